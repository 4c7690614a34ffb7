// Every component of web/visitor in its states. A file there that has no place here fails a story.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { paint, type Look, type Settings } from "../lib/look";
import type { State as TurnState } from "../lib/talk";
import { newVisitTurn, Visitor, type TalkSource, type VisitTurn } from "../lib/visit";
import { Bar } from "../visitor/Bar";
import Closest from "../visitor/Closest";
import Differ from "../visitor/Differ";
import { Exchange } from "../visitor/Exchange";
import { Face } from "../visitor/Face";
import { Field } from "../visitor/Field";
import { Fold } from "../visitor/Fold";
import { Foot } from "../visitor/Foot";
import { Formatted } from "../visitor/Formatted";
import After from "../visitor/After";
import Person from "../visitor/Person";
import { Icon } from "../visitor/Icon";
import { Opening } from "../visitor/Opening";
import { Panel } from "../visitor/Panel";
import Pictures from "../visitor/Pictures";
import Share from "../visitor/Share";
import { Sources } from "../visitor/Sources";
import { Talks } from "../visitor/Talks";
import Viewer from "../visitor/Viewer";
import * as data from "./data";
import { Framed, isDark, show, State, type Specimens } from "./page";

const look: Look = {
  chat_bot_avatar: null,
  chat_bot_bg: null,
  chat_bot_bg_type: "color",
  chat_bot_bg_color: "#FFFFFF",
  chat_bot_color_scheme: "fresh",
  radius_styling: "soft",
  font_family: "inter",
  chatbot_color: "#0a5f57",
  chatbot_toolbar_color: "#000000",
  chatbot_title: "Ask Harbour Bikes",
  chatbot_title_color: null,
  user_avatar_enabled: true,
  user_avatar: null,
  title_avatar_enabled: true,
  spotlight_avatar_enabled: false,
  spotlight_avatar: null,
  spotlight_avatar_shape: null,
  spotlight_avatar_type: null,
  user_avatar_orientation: null,
  agent_title_avatar_alignment: "left",
  is_in_chat_agent_avatar_enabled: true,
  is_in_chat_user_avatar_enabled: true,
  is_loading_indicator_enabled: true,
  remove_branding: false,
  markdown_enabled: true,
  enable_feedbacks: true,
  enable_copy_button: true,
  input_field_addendum: "Answers come from our own documents.",
  ai_disclaimer: "A machine writes these answers.",
  default_prompt: "What would you like to know?",
  example_questions: null,
  citations_answer_source_label_msg: "Sources",
  citations_sources_label_msg: "Sources",
  hang_in_there_msg: "One moment …",
  chatbot_siesta_msg: "We are asleep.",
  account_out_of_queries_msg: "No more questions this month.",
  ending_message: null,
  try_asking_questions_msg: "Try asking",
  view_more_msg: "Show more",
  view_less_msg: "Show less",
  pdf_limited_page_label: "Excerpt",
  chatbot_msg_lang: "en",
  contact_person: "The workshop",
  enable_citations: 3,
  citations_view_type: "show",
  image_citation_display: "default",
  limit_image_citation_height: false,
  use_opengraph_image_citation: false,
  max_inline_images_per_response: 0,
  can_share_conversation: true,
  can_export_conversation: true,
  conversation_time_window: null,
  use_context_aware_starter_question: false,
  conversation_history: "everyone",
  is_pdf_viewer: true,
  is_pdf_viewer_autoopen: false,
  is_pdf_page_visibility_limited: false,
  is_pdf_limited_label_linked: false,
};
const settings: Settings = {
  slug: "harbour",
  name: "Harbour Bikes",
  surface: "ama",
  site: "",
  share: null,
  lang: "en",
  persona: "Gustav",
  keep_days: 30,
  look,
  children: [],
};

const place = {
  page_no: 1,
  second: null,
  offset: data.places[0]!.offset,
  length: data.places[0]!.length,
  words: "A frame is guaranteed for ten years.",
};
const sources: TalkSource[] = [
  {
    id: 7,
    title: "Warranty and returns.pdf",
    url: null,
    is_pdf: true,
    dated_at: "2024-05-02T00:00:00.000000Z",
    places: [place],
  },
  { id: 8, title: data.sources[1]!.title, url: data.sources[1]!.url, is_pdf: false, dated_at: null, places: [] },
  { id: 9, title: null, url: null, is_pdf: false, dated_at: null, places: [] },
  { id: 10, title: "Opening hours.md", url: null, is_pdf: false, dated_at: null, places: [] },
];
const questions = ["How long is the guarantee?", "What does an inspection cost?", "Do you rent?", "Where are you?"];
const starters = questions.slice(0, 3).map((question, i) => ({ question, from: i ? null : sources[0]!.title }));
const opening = {
  topics: [],
  suggested: [],
  documents: 79,
  asked: questions.map((question) => ({ question, page_id: 7, title: sources[0]!.title })),
  areas: ["Opening hours", "Repairs"],
  is_coming: false,
};

function turn(state: TurnState, text = "", cited = sources.slice(0, 2)): VisitTurn {
  const files = state === "waiting" ? [new File(["1"], "Invoice 4711.pdf")] : [];
  const made = newVisitTurn({ text: questions[0]!, files });
  made.text.value = text;
  made.state.value = state;
  made.error.value = look.chatbot_siesta_msg;
  made.id.value = 12;
  made.reaction.value = "liked";
  if (state !== "done") return made;
  made.answer.value = {
    is_answered: true,
    kind: null,
    sources: cited,
    closest: [],
    found: null,
    answered_by: "The workshop",
  };
  if (cited.length) made.pictures.value = [];
  return made;
}
const excerpts = [
  "A frame is guaranteed for ten years from the day of purchase. Salt water is not covered.",
  "Bring with you:\n• the invoice\n• the key",
  "Inspections are made on Mondays.",
];
const answer = "A frame is guaranteed for **ten years** from the day of purchase. [1] Salt water is not covered. [2]";

function visitorOf(turns: VisitTurn[] = []): Visitor {
  const visitor = new Visitor(settings);
  visitor.talk.turns.value = turns;
  visitor.sessionId.value = "a";
  visitor.opening.value = opening;
  return visitor;
}

function Listed({ state, shown }: { state: string; shown: boolean }) {
  const [open, setOpen] = useState(shown);
  return (
    <State name={state}>
      <Sources
        id={`list-${state}`}
        look={look}
        sources={sources}
        current={null}
        open={open}
        onToggle={setOpen}
        onOpen={() => {}}
        onBack={() => {}}
        pictures={() => null}
      />
    </State>
  );
}

/** Of somebody whom a site has named. */
const greeted = visitorOf();
greeted.name.value = "Ann";

function nothing(): VisitTurn {
  const made = turn("done", "I do not know.", []);
  made.answer.value = { ...made.answer.peek()!, is_answered: false, kind: "none" };
  return made;
}

const specimens: Specimens = {
  After: () => (
    <>
      {(
        [
          ["behind an answer", turn("done", answer)],
          ["where there is none", nothing()],
        ] as const
      ).map(([name, shown]) => (
        <State key={name} name={name}>
          <After settings={settings} visitor={visitorOf([shown])} turn={shown} onAsk={() => {}} onReword={() => {}} />
        </State>
      ))}
    </>
  ),
  Bar: () => (
    <>
      {["left", "center", "right"].map((side) => (
        <State key={side} name={side} kind="flush">
          <div role="group" aria-label={side}>
            <Bar
              settings={{ ...settings, look: { ...look, agent_title_avatar_alignment: side } }}
              title={`Ask Harbour Bikes (${side})`}
            />
          </div>
        </State>
      ))}
    </>
  ),
  Closest: () => (
    <State name="three passages, the first was it">
      <Closest
        passages={sources.slice(0, 3).map((source, i) => ({ ...source, excerpt: excerpts[i]! }))}
        found={7}
        onOpen={() => {}}
        onFound={() => {}}
      />
    </State>
  ),
  Differ: () => (
    <State name="two days, one of which nobody knows">
      <Differ
        conflicts={[
          {
            said: {
              page_id: 7,
              title: "Prices.pdf",
              text: "A frame costs 900 euros.",
              dated_at: "2024-05-02T00:00:00Z",
            },
            other: { page_id: 8, title: "Old prices.pdf", text: "A frame costs 800 euros.", dated_at: null },
          },
        ]}
      />
    </State>
  ),
  Exchange: () => (
    <>
      {(
        [
          ["waiting, with a file", turn("waiting")],
          ["coming", turn("coming", "A frame is guaranteed for ten")],
          ["whole", turn("done", answer)],
          ["stopped", turn("stopped", "A frame is")],
          ["failed", turn("failed")],
        ] as const
      ).map(([name, shown]) => (
        <State key={name} name={name}>
          <Exchange
            settings={settings}
            visitor={visitorOf([shown])}
            turn={shown}
            title="Ask Harbour Bikes"
            onAsk={() => {}}
            onReword={() => {}}
          />
        </State>
      ))}
    </>
  ),
  Face: () => (
    <State name="of an agent, of a visitor">
      <Face name="Harbour Bikes" src={null} />
      <Face name="You" src={null} kind="user" />
    </State>
  ),
  Field: () => (
    <State name="with a file">
      <Field
        text={signal("How much does it cost?")}
        files={signal([new File(["1"], "Invoice 4711.pdf")])}
        placeholder={look.default_prompt}
        busy={false}
        disabled={false}
        onSend={() => {}}
        onStop={() => {}}
        onFiles={() => {}}
      />
    </State>
  ),
  Fold: () => (
    <State name="three of four">
      <ul>
        <Fold items={questions} more="Show all" less="Show fewer">
          {(question) => question}
        </Fold>
      </ul>
    </State>
  ),
  Foot: () => (
    <>
      {[false, true].map((forgets) => (
        <State key={String(forgets)} name={forgets ? "in a browser that keeps nothing" : "usual"}>
          <div role="group" aria-label={forgets ? "forgetful" : "usual"}>
            <Foot settings={settings} forgets={forgets} />
          </div>
        </State>
      ))}
    </>
  ),
  Formatted: () => (
    <State name="an answer's words">
      <Formatted text={answer.replaceAll(/ \[\d\]/g, "")} />
    </State>
  ),
  Icon: () => (
    <State name="what visitors see">
      {(["send", "share", "thumb"] as const).map((name) => (
        <Icon key={name} name={name} />
      ))}
    </State>
  ),
  Opening: () => (
    <>
      <State name="before the first question">
        <Opening settings={settings} visitor={greeted} starters={starters} begun={false} onAsk={() => {}} />
      </State>
      <State name="behind it">
        <Opening settings={settings} visitor={greeted} starters={starters} begun onAsk={() => {}} />
      </State>
    </>
  ),
  Panel: () => (
    <>
      <Framed name="Panel" state="before the first question" />
      <Framed name="PanelWithTalk" state="with a talk" />
      <Framed name="PanelClosed" state="closed" />
    </>
  ),
  Person: () => (
    <State name="an address for a person">
      <Person name="The workshop" visitor={visitorOf()} turn={nothing()} />
    </State>
  ),
  Pictures: () => (
    <>
      {[false, true].map((limited) => (
        <State key={String(limited)} name={limited ? "of limited height" : "as high as they are"}>
          <Pictures
            limited={limited}
            pictures={[
              { path: "/pictures/square", text: "A bicycle" },
              { path: "/pictures/wide", text: "The shop" },
            ]}
          />
        </State>
      ))}
    </>
  ),
  Share: () => (
    <State name="behind its button">
      <Share visitor={visitorOf()} />
    </State>
  ),
  Sources: () => (
    <>
      <Listed state="open" shown />
      <Listed state="folded" shown={false} />
    </>
  ),
  Talks: () => (
    <State name="two talks" kind="flush">
      <Talks visitor={visitorOf()} onClose={() => {}} />
    </State>
  ),
  Viewer: () => <Framed name="Viewer" state="a cited page" />,
};

data.answerRequests();

const window_ = (visitor: Visitor) => () => (
  <Panel settings={settings} visitor={visitor} starters={starters} onClose={() => {}} />
);
const closed = visitorOf([turn("done", answer)]);
closed.isLocked.value = true;

show(
  "Components of the visitors’ pages",
  specimens,
  {
    Panel: window_(visitorOf()),
    PanelWithTalk: window_(visitorOf([turn("done", answer), turn("waiting")])),
    PanelClosed: window_(closed),
    Viewer: () => (
      <div class="panel with-viewer">
        <main>
          <h1 class="hidden">Viewer</h1>
        </main>
        <Viewer look={look} path="/document" source={sources[0]!} n={1} focused={false} onClose={() => {}} />
      </div>
    ),
  },
  () => {
    for (const [name, value] of Object.entries(paint(look, isDark.value)))
      document.documentElement.style.setProperty(name, value);
  },
);
