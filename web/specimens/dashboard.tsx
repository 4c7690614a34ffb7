// Every component of web/components in its states. A file there that has no place here fails a story.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { AddContent } from "../components/AddContent";
import { AddressField } from "../components/AddressField";
import { AgentCare } from "../components/AgentCare";
import { Answer, Proof, type Shown } from "../components/Answer";
import { Avatar } from "../components/Avatar";
import { Closest } from "../components/Closest";
import { Button } from "../components/Button";
import { Composer } from "../components/Composer";
import { Confirm } from "../components/Confirm";
import { Copy } from "../components/Copy";
import { DayField } from "../components/DayField";
import { Dialog } from "../components/Dialog";
import { DocumentPane } from "../components/DocumentPane";
import { DocumentText } from "../components/DocumentText";
import { DocumentView, textWords } from "../components/DocumentView";
import { DropZone } from "../components/DropZone";
import { Empty } from "../components/Empty";
import { ReadWithOption, reasonOf } from "../components/FailedReason";
import { Field } from "../components/Field";
import { FileChooser } from "../components/FileChooser";
import { Icon, iconNames } from "../components/Icon";
import { Loaded } from "../components/Loaded";
import { Markdown } from "../components/Markdown";
import { Leads } from "../components/Leads";
import { Meter } from "../components/Meter";
import { Note } from "../components/Note";
import { Pager } from "../components/Pager";
import { Pages } from "../components/Pages";
import { PageSheet } from "../components/PageSheet";
import { PagesLanguage } from "../components/PagesLanguage";
import { PagesLight } from "../components/PagesLight";
import { openPalette, Palette } from "../components/Palette";
import { Plot } from "../components/Plot";
import { Preview } from "../components/Preview";
import { QuestionField } from "../components/QuestionField";
import { Live, Reading } from "../components/Reading";
import { ReadingOptions } from "../components/ReadingOptions";
import { SearchField } from "../components/SearchField";
import { SettingsForm } from "../components/SettingsForm";
import { Screen, Shell } from "../components/Shell";
import { TwoAnswers } from "../components/TwoAnswers";
import { Unanswered } from "../components/Unanswered";
import { Table } from "../components/Table";
import { Toasts } from "../components/Toasts";
import { Toggle } from "../components/Toggle";
import { ApiError } from "../lib/api";
import { useChoice } from "../lib/choice";
import { look } from "../lib/fields";
import { pageReader } from "../lib/pages";
import { ofAddress, ofAgent, usual } from "../lib/reading";
import type { Resource } from "../lib/resource";
import { agent, progress, signIn, stats, tell } from "../lib/state";
import type { Page } from "../lib/types";
import { usage } from "../lib/usage";
import * as data from "./data";
import { Framed, isDark, Opened, show, State, type Specimens } from "./page";

const nothing = () => {};
const file = (name: string, size: number) => new File([new Uint8Array(size)], name);
const reader = pageReader(1, 7);
const load = async () => data.text;

/** A table of which rows are chosen. */
function Chosen() {
  const names = ["Warranty and returns.pdf", "Opening hours.md", "Rental.md"];
  const choice = useChoice([0, 1, 2], []);
  useEffect(() => choice.choose(1, true), []);
  return (
    <Table
      list={[0, 1, 2]}
      idOf={(row) => row}
      columns={[{ title: "Document", kind: "what", cell: (row) => <b>{names[row]}</b> }]}
      actions={(row) => <Button kind="quiet" icon="trash" label={`Delete ${names[row]}`} />}
      choice={{ ...choice, nameOf: (row) => names[row]! }}
      bulk={<Button icon="refresh">Read again</Button>}
    />
  );
}

function Answers() {
  const [shown, setShown] = useState<Shown | null>({ source: 0, claim: 0 });
  const whole = data.turn({ text: data.answer, isCited: true });
  return (
    <>
      <State name="waiting">
        <Answer turn={data.turn({ state: "waiting" })} shown={null} onShow={nothing} />
      </State>
      <State name="coming">
        <Answer turn={data.turn({ state: "coming", text: data.answer.slice(0, 60) })} shown={null} onShow={nothing} />
      </State>
      <State name="whole, with a statement in hand and one that nothing supports">
        <Answer turn={whole} shown={shown} onShow={setShown}>
          <div class="acts">
            <Proof turn={whole} />
          </div>
        </Answer>
      </State>
    </>
  );
}

function Choosing() {
  const [files, setFiles] = useState([file("Warranty and returns.pdf", 81_000), file("Opening hours.md", 812)]);
  return <FileChooser files={files} onChange={setFiles} />;
}

function Switching() {
  const [is, setIs] = useState(true);
  return <Toggle label="Public" help="Anybody with the link may ask." checked={is} onChange={setIs} />;
}

const resource = <T,>(value: T | undefined, error: ApiError | null = null): Resource<T> => ({
  value: signal(value),
  error: signal(error),
  again: async () => {},
});
const list = (current_page: number) => ({ current_page, data: [], last_page: 12, per_page: 10, total: 117, from: 1 });

/** A scan that was read while nothing read scans. */
const unread: Page = {
  id: 7,
  page_url: "",
  crawl_status: "ok",
  index_status: "failed",
  status_reason: "",
  status_option: "is_ocr_enabled",
  is_file: true,
  is_refreshable: true,
  created_at: "",
  updated_at: "",
};

const specimens: Specimens = {
  AddContent: () => <Opened name="files or an address">{(close) => <AddContent id={1} onClose={close} />}</Opened>,
  AddressField: () => (
    <State name="empty, filled">
      <AddressField label="Address" value="" onChange={nothing} />
      <AddressField label="Or an address" value="www.example.org" onChange={nothing} />
    </State>
  ),
  AgentCare: () => (
    <State name="of an agent" kind="flush">
      <AgentCare id={1} />
    </State>
  ),
  Answer: Answers,
  Avatar: () => (
    <State name="small, usual, large; a picture">
      <span class="split">
        <Avatar name="Harbour Bikes" size="small" />
        <Avatar name="Harbour Bikes" />
        <Avatar name="Ann Fenwick" size="large" />
        <Avatar name="Harbour Bikes" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>" />
      </span>
    </State>
  ),
  Button: () => (
    <>
      {(["", "primary", "danger", "quiet"] as const).map((kind) => (
        <State key={kind} name={kind || "usual"}>
          <span class="split">
            <Button kind={kind}>Save</Button>
            <Button kind={kind} icon="add">
              New agent
            </Button>
            <Button kind={kind} icon="refresh" label={`Again, ${kind || "usual"}`} />
            <Button kind={kind} disabled>
              Disabled
            </Button>
            <Button kind={kind} busy>
              Busy
            </Button>
          </span>
        </State>
      ))}
      <State name="pressed, a link">
        <span class="split">
          <Button pressed icon="larger" label="Larger" />
          <Button href="#Button" icon="external">
            Open
          </Button>
        </span>
      </State>
    </>
  ),
  Closest: () => (
    <>
      <State name="the first was it">
        <Closest near={data.near} found={7} onOpen={nothing} onFound={nothing} />
      </State>
      <State name="as the owner reads it">
        <Closest near={data.near} found={8} onOpen={nothing} />
      </State>
    </>
  ),
  Composer: () => (
    <>
      {(["empty", "written", "busy", "disabled"] as const).map((state) => (
        <State key={state} name={state}>
          <Composer
            text={signal(state === "written" ? "How long is the guarantee of a frame?" : "")}
            placeholder={`Ask Harbour Bikes … (${state})`}
            busy={state === "busy"}
            disabled={state === "disabled"}
            onSend={nothing}
            onStop={nothing}
          >
            <span class="chip">customers</span>
          </Composer>
        </State>
      ))}
    </>
  ),
  Confirm: () => (
    <>
      <Opened name="deleting a document">
        {(close) => (
          <Confirm title="Delete the document?" action="Delete" onConfirm={async () => {}} onClose={close}>
            <p>Answers will no longer stand on it.</p>
          </Confirm>
        )}
      </Opened>
      <Opened name="deleting an agent, by its name">
        {(close) => (
          <Confirm
            title="Delete agent"
            action="Delete agent"
            typed="Harbour Bikes"
            onConfirm={async () => {}}
            onClose={close}
          >
            <p>Its documents and conversations go with it.</p>
          </Confirm>
        )}
      </Opened>
    </>
  ),
  Copy: () => (
    <State name="usual, quiet">
      <span class="split">
        <Copy text="words" />
        <Copy text="words" label="Copy the answer" quiet />
      </span>
    </State>
  ),
  DayField: () => (
    <>
      <State name="a day">
        <DayField label="From" value="2026-03-01" onChange={nothing} />
      </State>
      <State name="none">
        <DayField label="To" value="" onChange={nothing} />
      </State>
    </>
  ),
  Dialog: () => (
    <>
      <Opened name="in the middle">
        {(close) => (
          <Dialog
            title="Rename"
            onClose={close}
            onSubmit={close}
            footer={
              <Button kind="primary" type="submit">
                Save
              </Button>
            }
          >
            <Field label="Name">{(given) => <input {...given} class="input" />}</Field>
          </Dialog>
        )}
      </Opened>
      <Opened name="at the side">
        {(close) => (
          <Dialog title="Warranty and returns.pdf" sheet onClose={close}>
            <p>What belongs to one document.</p>
          </Dialog>
        )}
      </Opened>
    </>
  ),
  DocumentPane: () => {
    const [current, setCurrent] = useState(0);
    return (
      <State name="a PDF with two places" kind="tall">
        <DocumentPane
          agentId={1}
          source={data.sources[0]!}
          n={1}
          places={data.places}
          current={current}
          onCurrent={setCurrent}
          onClose={nothing}
        />
      </State>
    );
  },
  DocumentText: () => (
    <>
      <State name="with its sentence marked">
        <DocumentText words={textWords()} load={load} places={data.places} current={0} number={1} />
      </State>
      <State name="without text">
        <DocumentText
          words={textWords()}
          load={async () => ({ blocks: [], next_from: null })}
          places={[]}
          current={0}
        />
      </State>
      <State name="not to be had">
        <DocumentText
          words={textWords()}
          load={() => Promise.reject(new ApiError("The document is gone.", 404))}
          places={[]}
          current={0}
        />
      </State>
    </>
  ),
  DocumentView: () => (
    <>
      <State name="pages" kind="tall">
        <DocumentView
          title="Warranty and returns.pdf: pages"
          reader={reader}
          pages={2}
          load={load}
          places={data.places}
          current={0}
          number={1}
        />
      </State>
      <State name="text alone" kind="tall">
        <DocumentView
          title="Warranty and returns.pdf: text"
          reader={null}
          pages={0}
          load={load}
          places={data.places}
          current={1}
          number={1}
        />
      </State>
    </>
  ),
  DropZone: () => (
    <>
      <State name="usual">
        <DropZone onFiles={nothing} />
      </State>
      <State name="compact">
        <DropZone onFiles={nothing} compact />
      </State>
    </>
  ),
  Empty: () => (
    <State name="with the next step">
      <Empty icon="document" title="No documents yet">
        <p>Drop files, or name an address.</p>
        <Button kind="primary">Add content</Button>
      </Empty>
    </State>
  ),
  FailedReason: () => (
    <State name="a scan, and reading scans is off">
      <Note kind="bad">
        {reasonOf(unread)} <ReadWithOption id={1} page={unread} onRead={nothing} />
      </Note>
    </State>
  ),
  Field: () => (
    <>
      <State name="with help and a counter">
        <Field label="Title" help="At the top of the talk." aside="17 of 50">
          {(given) => <input {...given} class="input" value="Ask Harbour Bikes" />}
        </Field>
      </State>
      <State name="refused, disabled">
        <Field label="Colour" error="“#12” is no colour.">
          {(given) => <input {...given} class="input" value="#12" />}
        </Field>
        <Field label="Address">{(given) => <input {...given} class="input" disabled value="https://…" />}</Field>
      </State>
    </>
  ),
  FileChooser: () => (
    <State name="with two files">
      <Choosing />
    </State>
  ),
  Icon: () => (
    <State name="all of them">
      <ul class="icons">
        {iconNames.map((name) => (
          <li key={name}>
            <Icon name={name} />
            {name}
          </li>
        ))}
      </ul>
    </State>
  ),
  Leads: () => (
    <State name="one with a name, one without" kind="flush">
      <Leads id={1} />
    </State>
  ),
  Loaded: () => (
    <>
      <State name="coming">
        <Loaded from={resource<string>(undefined)}>{(words) => <p>{words}</p>}</Loaded>
      </State>
      <State name="failed">
        <Loaded from={resource<string>(undefined, new ApiError("The service does not answer. Is it running?", 0))}>
          {(words) => <p>{words}</p>}
        </Loaded>
      </State>
      <State name="there">
        <Loaded from={resource("What came.")}>{(words) => <p>{words}</p>}</Loaded>
      </State>
    </>
  ),
  Markdown: () => (
    <>
      <State name="all that it draws">
        <Markdown
          text={
            "## A heading\n\nA paragraph, **strong**, *so*, `code`, [a link](https://harbour.example). [1]\n\n" +
            "1. first\n2. second\n   - within\n\n> quoted\n\n```\nserial: HB-2041-7Q\n```\n\n---\n\n" +
            "| Part | Crowns |\n| --- | --- |\n| Chain | 240 |\n| Inspection | 79 |"
          }
          cite={(n) => <span class="cite">{n}</span>}
        />
      </State>
      <State name="as it is written; right to left">
        <Markdown text="**Not** formatted." formatted={false} />
        <Markdown text="الإطار مضمون لمدة **عشر سنوات**." />
      </State>
    </>
  ),
  Meter: () => (
    <State name="some, much, all">
      <Meter label="Questions this month" used={120} limit={1000} />
      <Meter label="Agents" used={9} limit={10} />
      <Meter label="Documents" used={5000} limit={5000} />
    </State>
  ),
  Note: () => (
    <State name="to know, well, to mind, wrong">
      <Note>The agent is public.</Note>
      <Note kind="ok">All documents are read.</Note>
      <Note kind="warn">The title can hardly be read on this colour.</Note>
      <Note kind="bad">The server answered 503.</Note>
    </State>
  ),
  PageSheet: () => (
    <>
      {(["drawn", "not to be had"] as const).map((state) => (
        <State key={state} name={state}>
          <PageSheet
            reader={
              state === "drawn"
                ? reader
                : { ...reader, picture: () => Promise.reject(new Error("There is no page 3.")) }
            }
            no={1}
            name={`A page, ${state}`}
            places={data.places}
            current={0}
            number={1}
            near
            shape={0.6}
            onShape={nothing}
            onMarked={nothing}
            onFailed={nothing}
          />
        </State>
      ))}
    </>
  ),
  Pager: () => (
    <State name="first, middle, last page">
      {[1, 5, 12].map((page) => (
        <div key={page} role="group" aria-label={`At ${page}`}>
          <Pager list={list(page)} onPage={nothing} />
        </div>
      ))}
    </State>
  ),
  Pages: () => (
    <State name="two pages, a sentence marked" kind="tall">
      <div class="paper-scroll" tabIndex={0} role="region" aria-label="Pages">
        <Pages reader={reader} pages={[1, 2]} name={(n) => `Page ${n}`} places={data.places} current={0} number={1} />
      </div>
    </State>
  ),
  PagesLanguage: () => (
    <State name="the browser's, or one of ours">
      <PagesLanguage />
    </State>
  ),
  PagesLight: () => (
    <State name="as this browser has it">
      <PagesLight />
    </State>
  ),
  Palette: () => (
    <>
      <State name="goes anywhere by name">
        <button class="btn" data-opens onClick={openPalette}>
          Open: the palette
        </button>
      </State>
      <Palette />
    </>
  ),
  Plot: () => (
    <State name="questions by day" key={String(isDark.value)}>
      <Plot
        name="Questions by day"
        labels={["28 Apr", "29 Apr", "30 Apr", "1 May", "2 May", "3 May", "4 May"]}
        values={[12, 30, 22, 4, 0, 41, 37]}
      />
    </State>
  ),
  Preview: () => (
    <>
      <State name="readable">
        <Preview values={data.settings} name="Harbour Bikes" />
      </State>
      <State name="a title that can hardly be read">
        <Preview
          values={{ ...data.settings, chatbot_toolbar_color: "#ffee00", chatbot_title_color: "#ffffff" }}
          name="Harbour Bikes"
        />
      </State>
    </>
  ),
  QuestionField: () => (
    <State name="empty, disabled">
      <form class="composer">
        <QuestionField text={signal("")} placeholder="Ask …" />
        <QuestionField text={signal("")} placeholder="This conversation is closed" disabled />
      </form>
    </State>
  ),
  Reading: () => (
    <>
      <State name="documents on their way, with reasons">
        <Reading />
      </State>
      <State name="whether the agent answers">
        <Live />
      </State>
    </>
  ),
  ReadingOptions: () => (
    <>
      <State name="of an agent">
        <ReadingOptions names={ofAgent} values={usual} onChange={nothing} />
      </State>
      <State name="of an address">
        <ReadingOptions names={ofAddress} values={usual} onChange={nothing} />
      </State>
    </>
  ),
  SearchField: () => (
    <State name="with words">
      <SearchField label="Search documents" value="warranty*" onSearch={nothing} />
    </State>
  ),
  SettingsForm: () => (
    <State name="one of each kind of control" kind="flush">
      <SettingsForm id={1} groups={look} />
    </State>
  ),
  Shell: () => <Framed name="Shell" state="with an agent in hand" />,
  Table: () => (
    <>
      <State name="a row is chosen">
        <Chosen />
      </State>
      <State name="a page of several">
        <Table
          list={{ ...list(1), data: [1, 2] }}
          idOf={(row) => row}
          columns={[
            { title: "Name", kind: "what", cell: (row) => <b>{`Row ${row}`}</b> },
            { title: "Size", kind: "num right", cell: (row) => row * 1000 },
          ]}
        />
      </State>
      <State name="empty">
        <Table list={[]} idOf={Number} columns={[]} empty={<Empty icon="label" title="No labels yet" />} />
      </State>
    </>
  ),
  Toasts: () => (
    <>
      <State name="told for some seconds, in a corner">
        <button class="btn" data-opens onClick={() => tell("Saved.", undefined, 60_000)}>
          Open: what was done
        </button>
        <button
          class="btn"
          data-opens
          onClick={() => tell("The label is deleted.", { label: "Undo", run: nothing }, 60_000)}
        >
          Open: what can be undone
        </button>
      </State>
      <Toasts />
    </>
  ),
  Toggle: () => (
    <State name="on, off and disabled">
      <Switching />
      <Toggle label="Sell this agent" help="Not in your plan." checked={false} disabled onChange={nothing} />
    </State>
  ),
  TwoAnswers: () => (
    <Opened name="before a question">{(close) => <TwoAnswers id={1} fields={{}} onClose={close} />}</Opened>
  ),
  Unanswered: () => (
    <>
      <State name="what else there is">
        <Unanswered
          opening={{ documents: 79, asked: [], areas: ["Guarantee", "Opening hours"], is_coming: false }}
          onAsk={nothing}
          onReword={nothing}
          onWrite={nothing}
        />
      </State>
      <State name="nothing is known yet">
        <Unanswered opening={undefined} onAsk={nothing} onReword={nothing} onWrite={nothing} />
      </State>
    </>
  ),
};

data.answerRequests();
signIn.value = data.signedIn;
agent.value = data.agent;
progress.value = data.progress;
stats.value = {
  pages_found: 48,
  pages_crawled: 31,
  pages_indexed: 31,
  query_credits_used: 120,
  total_queries: 120,
  total_words_indexed: 21_000,
  total_storage_credits_used: 21_000,
};
usage.value = {
  max_projects_num: 10,
  current_projects_num: 1,
  max_total_storage_credits: 1_000_000,
  current_total_storage_credits: 21_000,
  max_queries: 1000,
  current_queries: 120,
};

show("Components of the dashboard", specimens, {
  Shell: () => (
    <Shell>
      <Screen title="Documents" aside={<Live />} actions={<Button kind="primary">Add content</Button>}>
        <Reading />
      </Screen>
    </Shell>
  ),
});
