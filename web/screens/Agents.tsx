import { Avatar } from "../components/Avatar";
import { Button } from "../components/Button";
import { Empty } from "../components/Empty";
import { Loaded } from "../components/Loaded";
import { Pager } from "../components/Pager";
import { ReadyBadge } from "../components/Reading";
import { SearchField } from "../components/SearchField";
import { Screen } from "../components/Shell";
import { get } from "../lib/api";
import { deletedAgents, restoreAgent } from "../lib/deleted";
import { number } from "../lib/format";
import { useReadiness } from "../lib/readiness";
import { goQuery, location_ } from "../lib/router";
import { useResource } from "../lib/resource";
import { isWhole } from "../lib/state";
import type { Agent, List } from "../lib/types";
import { w } from "../words/dashboard";
import { Deleted } from "./Deleted";
import NewAgent from "./NewAgent";

function Card({ agent }: { agent: Agent }) {
  const now = useReadiness(agent);
  return (
    <a class="card agent-card" href={`/agents/${agent.id}`}>
      <span>
        <Avatar name={agent.project_name} size="large" />
        <b>{agent.project_name}</b>
      </span>
      <span class="facts num">
        <ReadyBadge is={now?.readiness} />
        {agent.is_master && <span class="badge accent">{w.master}</span>}
        {agent.is_shared && <span class="badge accent">{w.shared}</span>}
      </span>
      <span class="facts num">
        {now ? (
          <>
            <span>{w.documents(now.stats.pages_found)}</span>
            <span>{w.questions(now.stats.total_queries)}</span>
          </>
        ) : (
          <span>&nbsp;</span>
        )}
      </span>
    </a>
  );
}

export default function Agents() {
  const { query } = location_.value;
  const name = query.get("name") ?? "",
    page = Number(query.get("page") ?? 1);
  // The palette leads here, too.
  const isNew = location_.value.query.has("new");
  const setNew = (on: boolean) => goQuery({ new: on ? 1 : null }, { replace: true });
  const agents = useResource(
    (signal) => get<List<Agent>>("/projects", { name, page, limit: 24 }, signal),
    [name, page],
  );
  const create = isWhole.value && (
    <Button kind="primary" icon="add" onClick={() => setNew(true)}>
      {w.newAgent}
    </Button>
  );
  return (
    <Screen title={w.agents} actions={create}>
      <div class="column">
        <Loaded from={agents}>
          {(list) =>
            list.total === 0 && !name ? (
              <Empty icon="spark" title={w.agentsNoneTitle}>
                <p>{w.agentsNoneText}</p>
                {create}
              </Empty>
            ) : (
              <>
                {(list.total > 6 || name) && (
                  <div class="split">
                    <SearchField
                      label={w.searchAgents}
                      value={name}
                      onSearch={(text) => goQuery({ name: text, page: null }, { replace: true })}
                    />
                    <span class="lead num">{number(list.total)}</span>
                  </div>
                )}
                {list.total === 0 && <Empty icon="search" title={w.agentsNoMatch} />}
                <div class="cards">
                  {list.data.map((agent) => (
                    <Card key={agent.id} agent={agent} />
                  ))}
                </div>
                <Pager list={list} />
              </>
            )
          }
        </Loaded>
        <Deleted read={deletedAgents} restore={restoreAgent} onChanged={() => void agents.again()} />
      </div>
      {isNew && <NewAgent onClose={() => setNew(false)} />}
    </Screen>
  );
}
