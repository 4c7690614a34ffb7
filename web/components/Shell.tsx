import type { ComponentChildren } from "preact";
import { signal } from "@preact/signals";
import { number } from "../lib/format";
import { isOffline } from "../lib/online";
import { may } from "../lib/people";
import { location_ } from "../lib/router";
import { screens } from "../lib/screens";
import { agent, attempt, leave, signIn, stats } from "../lib/state";
import { places } from "../lib/places";
import { usage } from "../lib/usage";
import { w } from "../words/dashboard";
import { Avatar } from "./Avatar";
import { Button } from "./Button";
import { Icon, type IconName } from "./Icon";
import { Meter } from "./Meter";
import { openPalette } from "./Palette";

export const railOpen = signal(false);

function NavLink({
  href,
  icon,
  children,
  count,
}: {
  href: string;
  icon: IconName;
  children: ComponentChildren;
  count?: number;
}) {
  return (
    <a
      href={href}
      aria-current={location_.value.path === href ? "page" : undefined}
      onClick={() => (railOpen.value = false)}
    >
      <Icon name={icon} />
      {children}
      {count !== undefined && count > 0 && <b>{number(count)}</b>}
    </a>
  );
}

function AgentNav() {
  const now = agent.value!;
  const base = `/agents/${now.id}`;
  const shown = screens.filter((screen) => (!screen.master || now.is_master) && may(now.id, screen.right));
  const counts: Record<string, number | undefined> = { content: stats.value?.pages_indexed };
  const group = (name: string) =>
    shown
      .filter((screen) => screen.group === name)
      .map((screen) => (
        <NavLink key={screen.name} href={`${base}/${screen.name}`} icon={screen.icon} count={counts[screen.name]}>
          {screen.title()}
        </NavLink>
      ));
  const shape = group("shape"),
    more = group("more");
  return (
    <>
      <button class="switch" onClick={openPalette}>
        <Avatar name={now.project_name} size="small" />
        <span>
          <span class="hidden">{w.chooseAgent}: </span>
          <b>{now.project_name}</b>
          {stats.value && <small>{w.documents(stats.value.pages_indexed)}</small>}
        </span>
        <Icon name="switch" />
      </button>
      <div class="nav">
        {group("")}
        {shape.length > 0 && <h2>{w.shape}</h2>}
        {shape}
        {more.length > 0 && <h2>{w.more}</h2>}
        {more}
      </div>
    </>
  );
}

function AccountNav() {
  return (
    <div class="nav">
      {places()
        .filter((place) => place.rail)
        .map((place) => (
          <NavLink key={place.href} href={place.href} icon={place.icon}>
            {place.title}
          </NavLink>
        ))}
    </div>
  );
}

/** The rail at the side, or behind a button on a narrow window. */
function Rail() {
  const user = signIn.value?.user;
  const name = signIn.value?.person?.name ?? user?.name;
  const limits = usage.value;
  return (
    <>
      {railOpen.value && <div class="rail-scrim" onClick={() => (railOpen.value = false)} />}
      <nav
        class={`rail ${railOpen.value ? "open" : ""}`}
        aria-label={w.main}
        onKeyDown={(e) => e.key === "Escape" && (railOpen.value = false)}
      >
        <a class="brand" href="/agents" onClick={() => (railOpen.value = false)}>
          <i />
          Docent
        </a>
        {agent.value ? <AgentNav /> : <AccountNav />}
        <div class="foot">
          {limits && limits.max_queries < 2147483647 && (
            <Meter label={w.questionsThisMonth} used={limits.current_queries} limit={limits.max_queries} />
          )}
          <div class="who">
            <Avatar name={name ?? "?"} src={user?.profile_photo_url} size="small" />
            <span title={name}>{name}</span>
            <Button kind="quiet" icon="search" label={`${w.palette} (Ctrl K)`} onClick={openPalette} />
            <Button kind="quiet" icon="signout" label={w.signOut} onClick={() => void attempt(leave)} />
          </div>
        </div>
      </nav>
    </>
  );
}

export const Shell = ({ children }: { children: ComponentChildren }) => (
  <div class="frame">
    <a class="skip" href="#content">
      {w.skip}
    </a>
    <Rail />
    {children}
    <p class="offline" role="status">
      {isOffline.value && (
        <>
          <Icon name="alert" />
          {w.offline}
        </>
      )}
    </p>
  </div>
);

interface TopProps {
  title: string;
  children?: ComponentChildren;
  /** Beside the title. */
  aside?: ComponentChildren;
  actions?: ComponentChildren;
}

/** A screen: its title and what can be done, above its content. */
export const Screen = ({ title, children, aside, actions, bare }: TopProps & { bare?: boolean }) => {
  document.title = agent.value ? `${title} · ${agent.value.project_name} · Docent` : `${title} · Docent`;
  return (
    <main class="screen" id="content" tabIndex={-1}>
      <div class="top">
        <span class="menu-button">
          <Button kind="quiet" icon="menu" label={w.menu} onClick={() => (railOpen.value = true)} />
        </span>
        <h1>{title}</h1>
        {aside}
        <span class="space" />
        {actions}
      </div>
      {bare ? children : <div class="content">{children}</div>}
    </main>
  );
};
