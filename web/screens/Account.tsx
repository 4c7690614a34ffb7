import { useRef, useState } from "preact/hooks";
import { Avatar } from "../components/Avatar";
import { Button } from "../components/Button";
import { Field } from "../components/Field";
import { Note } from "../components/Note";
import { PagesLanguage } from "../components/PagesLanguage";
import { PagesLight } from "../components/PagesLight";
import { Screen } from "../components/Shell";
import { post } from "../lib/api";
import { isWhole, leave, readSignIn, attempt, signIn, tell } from "../lib/state";
import type { User } from "../lib/types";
import { w } from "../words/dashboard";
import { Programs } from "./Programs";

export default function Account() {
  const user = signIn.value!.user!;
  const [name, setName] = useState(user.name);
  const [error, setError] = useState("");
  const file = useRef<HTMLInputElement>(null);
  async function save(body: unknown) {
    setError("");
    try {
      await post<User>("/user", body);
      await readSignIn();
      tell(w.saved);
    } catch (failure) {
      setError((failure as Error).message);
    }
  }
  return (
    <Screen
      title={w.account}
      actions={
        <Button icon="signout" onClick={() => void attempt(leave)}>
          {w.signOut}
        </Button>
      }
    >
      <div class="column narrow">
        {!isWhole.value && <Note>{w.limitedKey}</Note>}
        <form
          class="card padded options"
          onSubmit={(event) => {
            event.preventDefault();
            void save({ name });
          }}
        >
          <div class="split">
            <Avatar name={user.name} src={user.profile_photo_url} size="large" />
            <Button icon="upload" disabled={!isWhole.value} onClick={() => file.current!.click()}>
              {user.profile_photo_url ? w.changePicture : w.choosePicture}
            </Button>
            {user.profile_photo_url && (
              <Button kind="quiet" disabled={!isWhole.value} onClick={() => void save({ profile_photo: null })}>
                {w.remove}
              </Button>
            )}
            <input
              ref={file}
              type="file"
              hidden
              aria-label={w.choosePicture}
              accept="image/png,image/jpeg,image/webp,image/gif"
              onChange={(event) => {
                const form = new FormData();
                const picked = event.currentTarget.files?.[0];
                if (!picked) return;
                form.set("profile_photo", picked);
                void save(form);
              }}
            />
          </div>
          <Field label={w.name}>
            {(given) => (
              <input
                {...given}
                class="input"
                maxLength={255}
                disabled={!isWhole.value}
                value={name}
                onInput={(e) => setName(e.currentTarget.value)}
              />
            )}
          </Field>
          {user.email && (
            <Field label={w.email}>{(given) => <input {...given} class="input" disabled value={user.email!} />}</Field>
          )}
          {error && <Note kind="bad">{error}</Note>}
          <div class="split">
            <Button kind="primary" type="submit" disabled={!isWhole.value || !name.trim() || name === user.name}>
              {w.save}
            </Button>
          </div>
        </form>
        <section class="card padded options">
          <PagesLanguage />
          <PagesLight />
        </section>
        <Programs />
      </div>
    </Screen>
  );
}
