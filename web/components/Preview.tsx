import { useState } from "preact/hooks";
import { contrast, inkOn, rgb } from "../lib/colour";
import { number } from "../lib/format";
import { w } from "../words/dashboard";
import { Avatar } from "./Avatar";
import { Icon } from "./Icon";
import { Note } from "./Note";
import type { Values } from "./SettingsForm";

const radii: Record<string, string> = { sharp: "0", soft: "10px", round: "18px", legacy: "4px" };
const colour = (value: unknown, otherwise: string) => (typeof value === "string" && rgb(value) ? value : otherwise);

/** What visitors will see, of settings that may not be saved yet. */
export function Preview({
  values,
  isDefault,
  name,
}: {
  values: Values;
  isDefault: (name: string) => boolean;
  name: string;
}) {
  const [dark, setDark] = useState(false);
  const [rtl, setRtl] = useState(false);
  const [phone, setPhone] = useState(false);
  const [begun, setBegun] = useState(true);
  const text = (field: string) => String(values[field] ?? "");
  const picture = (field: string) => (typeof values[field] === "string" ? (values[field] as string) : null);
  const main = colour(values.chatbot_color, "#0a5f57");
  const legacy = values.chat_bot_color_scheme === "legacy";
  const isDark = dark && !legacy;
  // A colour that its owner has not chosen is the scheme's own.
  const chosen = (field: string) => (isDefault(field) ? null : values[field]);
  const bar = colour(chosen("chatbot_toolbar_color"), legacy ? main : isDark ? "#191d1b" : "#ffffff");
  const titleColour = colour(chosen("chatbot_title_color"), inkOn(bar));
  const sides = text("user_avatar_orientation") || "agent-left-user-right";
  const title = text("chatbot_title") || name;
  const starters = (values.example_questions as string[] | null) ?? [];
  const unreadable = contrast(titleColour, bar) < 4.5;
  const background =
    values.chat_bot_bg_type === "image" && picture("chat_bot_bg")
      ? { backgroundImage: `url("${picture("chat_bot_bg")}")` }
      : isDark
        ? {}
        : { backgroundColor: colour(values.chat_bot_bg_color, "#ffffff") };
  const userSide = sides.endsWith("right") ? "end" : "start",
    agentSide = sides.startsWith("agent-right") ? "end" : "start";
  return (
    <aside class="preview" aria-label={w.preview}>
      <span class="chips">
        <button type="button" class="chip" aria-pressed={isDark} disabled={legacy} onClick={() => setDark(!dark)}>
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
        style={
          { "--main": main, "--main-ink": inkOn(main), "--radius": radii[text("radius_styling")] ?? "10px" } as never
        }
        inert
      >
        <div
          class={`widget-bar ${text("agent_title_avatar_alignment")}`}
          style={{ background: bar, color: titleColour }}
        >
          {values.title_avatar_enabled !== false && <Avatar name={title} src={picture("chat_bot_avatar")} />}
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
                  <Avatar name={title} src={picture("chat_bot_avatar")} size="small" />
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
                    <Avatar name={title} size="large" />
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
      {unreadable && <Note kind="warn">{w.unreadable(number(Math.floor(contrast(titleColour, bar) * 10) / 10))}</Note>}
    </aside>
  );
}
