import { useEffect, useRef, useState } from "preact/hooks";

/** Tells what was typed once the typing rests. */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  label: string;
  value: string;
  onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      class="input search"
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={(event) => {
        const now = event.currentTarget.value;
        setText(now);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onSearch(now.trim()), 250);
      }}
    />
  );
}
