import { useState } from "preact/hooks";
import type { ApiError } from "../lib/api";
import { put } from "../lib/language";
import { whyNot, type Visitor, type VisitTurn } from "../lib/visit";
import { t } from "../words/visitor";
import "./Panel"; // so that what both hold is one file: markdown.ts

/** As the service takes it: browsers take a host without a dot, too. They refuse in their own language. */
const WITH_HOST = "[^@]+@[^@]+\\.[^@.]+";

/** Hands the question over to a person: an address, and it goes along. */
export default function Person({ name, visitor, turn }: { name: string; visitor: Visitor; turn: VisitTurn }) {
  const [state, setState] = useState<"open" | "sending" | "sent">("open");
  const [error, setError] = useState("");
  if (state === "sent")
    return (
      <p class="person" role="status">
        {t.sent}
      </p>
    );
  return (
    <form
      class="person"
      aria-labelledby={`person-${turn.key}`}
      onSubmit={async (event) => {
        event.preventDefault();
        const given = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
        setState("sending");
        setError("");
        try {
          await visitor.leave(turn, given);
          setState("sent");
        } catch (failure) {
          setState("open");
          setError(whyNot(failure as ApiError));
        }
      }}
    >
      <h2 id={`person-${turn.key}`}>{t.askPerson}</h2>
      <p class="mute" dir="auto">
        {put(t.personText, { name })}
      </p>
      <label>
        {t.yourName}
        <input name="name" autocomplete="name" maxLength={120} dir="auto" />
      </label>
      <label>
        {t.yourMail}
        <input name="email" type="email" pattern={WITH_HOST} autocomplete="email" maxLength={254} required dir="ltr" />
      </label>
      <label>
        {t.yourQuestion}
        <textarea name="question" rows={2} maxLength={8000} required dir="auto" defaultValue={turn.question.text} />
      </label>
      {error && <p role="alert">{error}</p>}
      <button class="go" disabled={state === "sending"}>
        {t.send}
      </button>
    </form>
  );
}
