/** The frame: top bar, navigation with what belongs to the screen below it, status line. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { Status } from "@/bindings";
import { NewProjects } from "@/features/stores/NewProjects";
import { useFormat } from "@/shared/format";
import { BrandMark, PanelIcon, SearchIcon, SettingsIcon } from "@/shared/icons";
import { useSecretWatch } from "@/shared/known-secrets";
import { Moment } from "@/shared/labels";
import { Comma } from "@/shared/punctuation";
import { useTaskName } from "@/shared/tasks";
import { Dot, Kbd, useWords } from "@/shared/ui";
import { toTitle } from "@/state/focus";
import { useNotes } from "@/state/note";
import { useOfferedProjects } from "@/state/projects";
import { setPaletteOpen } from "@/state/palette";
import { useProgress } from "@/state/progress";
import { useSerious } from "@/state/health";
import { useHubWaiting } from "@/state/hub";
import { useRead } from "@/state/queries";
import { useReceipts } from "@/state/receipts";
import { formatRoute, type Route, type Screen } from "@/state/route";
import { classes } from "@/shared/classes";
import { useNeeds } from "@/state/triage";
import css from "./frame.module.css";

function RecordingChip({ status, reachable }: { status: Status | undefined; reachable: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const state = () => {
    if (!reachable)
      return { tone: "warn", word: t`no answer`, title: t`The program does not answer. Trying again.` } as const;
    if (!status) return { tone: "off", word: t`connecting`, title: "" } as const;
    if (!status.recording) return { tone: "off", word: t`not recording`, title: t`Nothing is recording.` } as const;
    const who = status.recording_here ? t`This program records.` : t`Another process records; this one shows.`;
    if (status.recordable === 0)
      return { tone: "off", word: t`no store`, title: t`No store to record. Add a directory.` } as const;
    if (status.recorded === 0)
      return {
        tone: "warn",
        word: t`nothing recorded`,
        title: t`Every store is paused or cannot be read.`,
      } as const;
    const [recorded, all] = [format.number(status.recorded), format.number(status.recordable)];
    if (status.recorded < status.recordable)
      return {
        tone: "on",
        word: t`recording ${recorded} of ${all}`,
        title: `${who} ${t`The other stores are paused or cannot be read.`}`,
      } as const;
    return { tone: "on", word: t`recording`, title: who } as const;
  };
  const { tone, word, title } = state();
  return (
    <a
      className={classes("chip", css.recordingChip)}
      href={formatRoute({ screen: "stores" })}
      title={title}
      data-testid="recording"
    >
      <Dot tone={tone} />
      {word}
    </a>
  );
}

interface TopBarProps {
  screen: Screen;
  status: Status | undefined;
  reachable: boolean;
  onMenu: () => void;
}

function TopBar({ screen, status, reachable, onMenu }: TopBarProps) {
  const { t } = useLingui();
  return (
    <header className={css.topBar}>
      <AriaButton className={css.skipLink} onPress={toTitle} data-testid="skip-link">
        <Trans>Skip to the content</Trans>
      </AriaButton>
      <AriaButton
        className={classes("icon-button", css.menuButton)}
        aria-label={t`Show or hide the navigation`}
        data-testid="open-nav"
        onPress={onMenu}
      >
        <PanelIcon />
      </AriaButton>
      <span className={css.brand}>
        <BrandMark />
        Retrace
      </span>
      <AriaButton className={css.paletteField} onPress={() => setPaletteOpen(true)} data-testid="open-palette">
        <SearchIcon />
        <span className={css.paletteFieldText}>
          <Trans>Search memories, stores, actions</Trans>
        </span>
        <span aria-hidden>
          <Kbd keys="mod+k" />
        </span>
      </AriaButton>
      <RecordingChip status={status} reachable={reachable} />
      <a
        className="icon-button"
        href={formatRoute({ screen: "settings" })}
        aria-label={t`Settings`}
        title={t`Settings`}
        aria-current={screen === "settings" ? "page" : undefined}
        data-testid="nav-settings"
      >
        <SettingsIcon />
      </a>
    </header>
  );
}

function Navigation({ screen, status }: { screen: Screen; status: Status | undefined }) {
  const { t } = useLingui();
  const format = useFormat();
  const receipts = useReceipts().data?.receipts.length;
  const serious = useSerious();
  const needs = useNeeds();
  const waiting = useHubWaiting();
  const items: { screen: Exclude<Screen, "settings" | "session">; label: string; count: number | undefined }[] = [
    { screen: "inbox", label: t`Inbox`, count: needs || undefined },
    { screen: "memories", label: t`Memories`, count: status?.memories },
    { screen: "timeline", label: t`Timeline`, count: undefined },
    { screen: "rules", label: t`Rules`, count: undefined },
    { screen: "health", label: t`Health`, count: serious || undefined },
    { screen: "context", label: t`Context lab`, count: undefined },
    { screen: "redactions", label: t`Redactions`, count: receipts || undefined },
    { screen: "stores", label: t`Stores`, count: status?.stores },
    { screen: "hub", label: t`Hub`, count: waiting || undefined },
  ];
  return (
    <nav aria-label={t`Screens`}>
      <ul className={css.navList}>
        {items.map((item) => (
          <li key={item.screen}>
            <a
              href={formatRoute({ screen: item.screen })}
              className={css.navLink}
              aria-current={item.screen === (screen === "session" ? "timeline" : screen) ? "page" : undefined}
              data-testid={`nav-${item.screen}`}
            >
              {item.label}
              {item.count !== undefined && (
                <span
                  className={classes(css.navCount, item.screen === "inbox" && css.navNeeds, "num")}
                  data-testid="screen-count"
                >
                  {format.number(item.count)}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ChainState({ status }: { status: Status }) {
  const { t } = useLingui();
  if (status.chain_verified_at === null) return <Trans>chain not verified yet</Trans>;
  if (status.chain_ok === false) return <strong className="text-del">{t`chain has problems: see Settings`}</strong>;
  return (
    <Trans>
      chain verified <Moment at={status.chain_verified_at} />
    </Trans>
  );
}

/** Notes of the log in the status line, where the screen has nothing to say. */
function LogNotes({ status }: { status: Status }) {
  const format = useFormat();
  const size = format.bytes(status.log_bytes);
  return (
    <>
      <span className={css.statusCount}>
        <Plural value={status.stores} one="# store" other="# stores" />
      </span>
      <span className={css.statusCount}>
        <Plural value={status.versions} one="# version" other="# versions" />
      </span>
      {status.last_write && (
        <span>
          <Trans>
            last write <Moment at={status.last_write} form="ago" />
          </Trans>
        </span>
      )}
      <span>
        <Trans>log {size}</Trans>
        <Comma />
        <ChainState status={status} />
      </span>
    </>
  );
}

/** Changes that wait to be sent to hosts, wherever the window is. */
function QueuedNote() {
  const { data } = useRead("remotes", {});
  const queued = data?.stores.reduce((sum, store) => sum + store.queued, 0) ?? 0;
  if (queued === 0) return null;
  return (
    <a href={formatRoute({ screen: "stores", view: "hosted" })} data-testid="queued-note">
      <Plural value={queued} one="# change queued for its host" other="# changes queued for their hosts" />
    </a>
  );
}

function StatusLine({ status }: { status: Status | undefined }) {
  const format = useFormat();
  const progress = useProgress();
  const taskName = useTaskName();
  const notes = useNotes();
  if (!status) return <footer className={css.statusLine} />;
  return (
    <footer className={css.statusLine} data-testid="status-line">
      {notes.length > 0 ? notes.map((note) => <span key={note}>{note}</span>) : <LogNotes status={status} />}
      {status.purge_pending > 0 && (
        <a href={formatRoute({ screen: "redactions" })}>
          <Plural value={status.purge_pending} one="# purge pending" other="# purges pending" />
        </a>
      )}
      <QueuedNote />
      {progress && (
        <span role="status">
          {taskName(progress.task)}{" "}
          {progress.total === null
            ? format.number(progress.done)
            : `${format.number(progress.done)} / ${format.number(progress.total)}`}
        </span>
      )}
      <span className={css.statusNetwork}>
        {status.network_calls === 0 ? (
          <Trans>no network calls in this session</Trans>
        ) : (
          <Plural
            value={status.network_calls}
            one="# network call in this session"
            other="# network calls in this session"
          />
        )}
      </span>
    </footer>
  );
}

const TITLES: Record<Screen, MessageDescriptor> = {
  inbox: msg`Inbox`,
  memories: msg`Memories`,
  timeline: msg`Timeline`,
  session: msg`Session`,
  rules: msg`Rules`,
  health: msg`Health`,
  context: msg`Context lab`,
  redactions: msg`Redactions`,
  stores: msg`Stores`,
  hub: msg`Hub`,
  settings: msg`Settings`,
};

/** Names the page after its screen: in the browser's tabs and history, and for who is told of a new page. */
function useScreenTitle(screen: Screen) {
  const title = useWords()(TITLES[screen]);
  useEffect(() => {
    document.title = `${title} – Retrace`;
  }, [title]);
}

/** Learns where secrets stand; draws nothing, so that the frame is not drawn anew for it. */
function SecretWatch() {
  useSecretWatch();
  return null;
}

/** Props of the frame. */
export interface FrameProps {
  /** Where the window is. */
  route: Route;
  /** Status for the status line, once known. */
  status: Status | undefined;
  /** True if the program answers. */
  reachable: boolean;
  /** Banner of the whole window, below the top bar; null for nothing. */
  banner: ReactNode;
  /** Part of the screen in the navigation, below the navigation. */
  context: ReactNode;
  /** The screen. */
  children: ReactNode;
}

/** The frame around every screen. */
export function Frame({ route, status, reachable, banner, context, children }: FrameProps) {
  useScreenTitle(route.screen);
  const [menu, setMenu] = useState(false);
  const offered = useOfferedProjects();
  const place = formatRoute(route);
  const [menuPlace, setMenuPlace] = useState(place);
  // In a narrow window the navigation lies over the screen; going somewhere closes it.
  if (menuPlace !== place) {
    setMenuPlace(place);
    setMenu(false);
  }
  const notice = banner || (offered.length > 0 && <NewProjects found={offered} />);
  return (
    <div className={classes(css.app, menu && "is-menu-open", Boolean(notice) && "has-banner")}>
      <TopBar screen={route.screen} status={status} reachable={reachable} onMenu={() => setMenu(!menu)} />
      {notice}
      <div className={css.navPanel}>
        <Navigation screen={route.screen} status={status} />
        {context}
      </div>
      {children}
      <SecretWatch />
      <StatusLine status={status} />
    </div>
  );
}
