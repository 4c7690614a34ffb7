import { useState } from "preact/hooks";
import { contrast, rgb } from "../lib/colour";
import { number } from "../lib/format";
import { type Look, mayBeDark, paint } from "../lib/look";
import { w } from "../words/dashboard";
import { Avatar } from "./Avatar";
import { Icon } from "./Icon";
import { Note } from "./Note";
import type { Values } from "./SettingsForm";

const FACE = { background: "var(--main)", color: "var(--main-ink)" },
  BAR_FACE = { background: "var(--bar-face)", color: "var(--bar-face-ink)" };

/** What visitors will see, of settings that may not be saved yet. */
export function Preview({ values, name }: { values: Values; name: string }) {
  const [dark, setDark] = useState(false);
  const [rtl, setRtl] = useState(false);
  const [phone, setPhone] = useState(false);
  const [begun, setBegun] = useState(true);
  const text = (field: string) => String(values[field] ?? "");
  const picture = (field: string) => (typeof values[field] === "string" ? (values[field] as string) : null);
  const look = values as unknown as Look;
  const isDark = dark && mayBeDark(look);
  const colours = paint(look, isDark);
  const sides = text("user_avatar_orientation") || "agent-left-user-right";
  const title = text("chatbot_title") || name;
  const starters = (values.example_questions as string[] | null) ?? [];
  const titleColour = text("chatbot_title_color");
  const readable = rgb(titleColour) ? contrast(titleColour, paint(look, false)["--bar"]!) : Infinity;
  const background =
    values.chat_bot_bg_type === "image" && picture("chat_bot_bg")
      ? { backgroundImage: `url("${picture("chat_bot_bg")}")` }
      : { backgroundColor: "var(--ground)" };
  const userSide = sides.endsWith("right") ? "end" : "start",
    agentSide = sides.startsWith("agent-right") ? "end" : "start";
  return (
    <aside class="preview" aria-label={w.preview}>
      <span class="chips">
        <button
          type="button"
          class="chip"
          aria-pressed={isDark}
          disabled={!mayBeDark(look)}
          onClick={() => setDark(!dark)}
        >
          {w.dark}
        </button>
        <button type="button" class="chip" aria-pressed={rtl} onClick={() => setRtl(!rtl)}>
          {w.rightToLeft}
        </button>
        <button type="button" class="chip" aria-pressed={phone} onClick={() => setPhone(!phone)}>
          {w.phone}
        </button>
        <button type="button" class="chip" aria-pressed={!begun} onClick={() => setBegun(!begun)}>
          {w.beforeFirst}
        </button>
      </span>
      <div
        class={`widget ${phone ? "on-phone" : ""} ${isDark ? "dark" : "light"} ${values.font_family === "public-sans" ? "public" : ""}`}
        dir={rtl ? "rtl" : "ltr"}
        style={colours as never}
        inert
      >
        <div class={`widget-bar ${text("agent_title_avatar_alignment")}`}>
          {values.title_avatar_enabled !== false && (
            <Avatar name={title} src={picture("chat_bot_avatar")} look={BAR_FACE} />
          )}
          <b>{title}</b>
        </div>
        <div class="widget-talk" style={background}>
          {text("ai_disclaimer") && <p class="widget-note">{text("ai_disclaimer")}</p>}
          {begun ? (
            <>
              <div class={`line ${userSide}`}>
                <p class="bubble mine">{w.previewQuestion}</p>
                {Boolean(values.user_avatar_enabled) && values.is_in_chat_user_avatar_enabled !== false && (
                  <Avatar name="V" src={picture("user_avatar")} size="small" />
                )}
              </div>
              <div class={`line ${agentSide}`}>
                {values.is_in_chat_agent_avatar_enabled !== false && (
                  <Avatar name={title} src={picture("chat_bot_avatar")} size="small" look={FACE} />
                )}
                <p class="bubble">
                  {w.previewAnswer}
                  {Number(values.enable_citations ?? 3) >= 2 && <span class="n">1</span>}
                </p>
              </div>
            </>
          ) : (
            <>
              {Boolean(values.spotlight_avatar_enabled) && (
                <span class={`spot ${text("spotlight_avatar_shape")}`}>
                  {picture("spotlight_avatar") ? (
                    <img src={picture("spotlight_avatar")!} alt="" />
                  ) : (
                    <Avatar name={title} size="large" look={FACE} />
                  )}
                </span>
              )}
              {starters.length > 0 && <small>{text("try_asking_questions_msg")}</small>}
              {starters.slice(0, 3).map((starter) => (
                <span class="starter" key={starter}>
                  {starter}
                </span>
              ))}
            </>
          )}
        </div>
        <div class="widget-field">
          <span>{text("default_prompt") || "…"}</span>
          <i>
            <Icon name="send" />
          </i>
        </div>
        <p class="widget-foot">
          {[text("input_field_addendum"), values.remove_branding ? "" : w.madeWith].filter(Boolean).join(" · ") ||
            "\u00a0"}
        </p>
      </div>
      {readable < 4.5 && <Note kind="warn">{w.unreadable(number(Math.floor(readable * 10) / 10))}</Note>}
    </aside>
  );
}
