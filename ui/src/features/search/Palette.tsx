/** Search and commands in one field. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Command } from "cmdk";
import { useDeferredValue, useEffect, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { ToggleButton } from "react-aria-components/ToggleButton";
import type { Hit, Store } from "@/bindings";
import { wordsFor } from "@/shared/failure";
import { spelled } from "@/shared/hidden";
import { Moment } from "@/shared/labels";
import { useMaskedPart } from "@/shared/known-secrets";
import { LineText } from "@/shared/LineText";
import { Space } from "@/shared/punctuation";
import { Kbd, useWords } from "@/shared/ui";
import { useAllKeys, useKeys } from "@/state/keys";
import { setKeyHelpOpen, setPaletteOpen, usePaletteOpen } from "@/state/palette";
import { useRead } from "@/state/queries";
import { navigate, type Route } from "@/state/route";
import { useCommands } from "./commands";
import { type Entry, pick } from "./entries";
import { useFound } from "./found";
import { classes } from "@/shared/classes";
import css from "./palette.module.css";

const MAX_NAMED = 8;
const MAX_HITS = 50;
/** The text is searched for once typing rests for so many milliseconds. */
const REST_MS = 150;

function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(text), REST_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return rested;
}

function usePlaces(): Entry[] {
  const { t } = useLingui();
  const place = (key: string, label: string, keys: string, route: Route): Entry => ({
    key,
    label,
    keys,
    run: () => navigate(route),
  });
  return [
    place("go inbox", t`Inbox`, "g i", { screen: "inbox" }),
    place("go memories", t`Memories`, "g m", { screen: "memories" }),
    place("go timeline", t`Timeline`, "g t", { screen: "timeline" }),
    place("go rules", t`Rules`, "g l", { screen: "rules" }),
    place("go health", t`Health`, "g h", { screen: "health" }),
    place("go context", t`Context lab`, "g c", { screen: "context" }),
    place("go redactions", t`Redactions`, "g r", { screen: "redactions" }),
    place("go stores", t`Stores`, "g s", { screen: "stores" }),
    place("go hosted", t`Hosted stores`, "g o", { screen: "stores", view: "hosted" }),
    place("go dreams", t`Dreams`, "g d", { screen: "stores", view: "dreams" }),
    place("go compare", t`Compare two stores`, "g b", { screen: "stores", view: "compare" }),
    place("go hub", t`Hub`, "g u", { screen: "hub" }),
    place("go settings", t`Settings`, "g ,", { screen: "settings" }),
  ];
}

const PLACE_KEYS = /^g /;
const WALKING = new Set(["j", "k", "/", "mod+k"]);

/** The commands of what is on screen. */
function useActions(): Entry[] {
  return useAllKeys()
    .filter(({ keys }) => !PLACE_KEYS.test(keys) && !WALKING.has(keys))
    .map(({ keys, label, run }) => ({ key: `action ${keys}`, label, keys, run }));
}

const hitKey = ({ version_id, line }: Hit) => `hit ${version_id} ${line}`;

function openHit(hit: Hit, history: boolean): void {
  const { store_id: store, memory_id: memory, version_id: version, line } = hit;
  navigate({ screen: "memories", store, memory, version: history ? version : undefined, tab: "content", line });
}

function Group({
  title,
  entries,
  onChoose,
}: {
  title: string;
  entries: readonly Entry[];
  onChoose: (entry: Entry) => void;
}) {
  if (entries.length === 0) return null;
  return (
    <Command.Group heading={title}>
      {entries.map((entry) => (
        <Command.Item key={entry.key} value={entry.key} onSelect={() => onChoose(entry)} data-testid="palette-item">
          <span className={css.paletteLabel}>{entry.label}</span>
          {entry.detail && <span className={classes("muted", css.paletteDetail)}>{entry.detail}</span>}
          {entry.keys && <Kbd keys={entry.keys} />}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

function HitItem({ hit, store, onSelect }: { hit: Hit; store: string; onSelect: () => void }) {
  const { t } = useLingui();
  return (
    <Command.Item value={hitKey(hit)} onSelect={onSelect} data-testid="search-hit" className={css.paletteHit}>
      <span className={css.paletteLabel}>
        <span className="mono">{hit.path ?? t`redacted path`}</span>
        <span className="muted">
          {" "}
          {store} · {t`line ${hit.line}`} · <Moment at={hit.created_at} form="moment" />
        </span>
      </span>
      <span className={classes("mono", css.paletteSnippet)}>
        <LineText text={useMaskedPart(hit.snippet)} words={hit.matches} />
      </span>
    </Command.Item>
  );
}

/** Hits of the text in all stores, or in the whole history. */
function useHits(query: string, history: boolean, isCommand: boolean) {
  const rested = useRested(query.trim());
  // What stands behind a verb is its arguments: it is never searched for, and no cache keeps it.
  const wanted = rested.length > 1 && !isCommand;
  const search = useRead(
    "search",
    { query: rested, history, store: null, limit: MAX_HITS },
    { enabled: wanted, keepPrevious: true },
  );
  return { search, wanted, hits: wanted ? (search.data?.hits ?? []) : [] };
}

/** What can be chosen: actions and commands first, then what was found by name; the text comes last. */
function useNamed(query: string, stores: readonly Store[]) {
  const { t } = useLingui();
  const deferred = useDeferredValue(query);
  const found = useFound(deferred, stores);
  // Not deferred: what is typed behind a verb must never be searched for, not even for a moment.
  const commands = useCommands(query, stores, found.all);
  const actions = useActions();
  const places = usePlaces();
  const storeEntries = stores.map((store): Entry => {
    const run = () => navigate({ screen: "memories", store: store.id });
    return { key: `store ${store.id}`, label: spelled(store.name), detail: store.root, run };
  });
  const named = (entries: readonly Entry[]) => pick(entries, deferred, MAX_NAMED);
  return {
    isCommand: commands.typed !== null,
    expected: commands.expected,
    groups: [
      { title: t`Actions`, entries: commands.typed ?? named([...actions, ...commands.all]) },
      { title: t`Go to`, entries: commands.typed ? [] : named(places) },
      { title: t`Stores`, entries: commands.typed ? [] : named(storeEntries) },
      { title: t`Memories`, entries: commands.typed ? [] : found.memories },
      { title: t`Sessions`, entries: commands.typed ? [] : found.sessions },
      { title: t`Findings`, entries: commands.typed ? [] : found.findings },
    ],
  };
}

function SearchFailed({ error }: { error: unknown }) {
  const say = useWords();
  const { title, next } = wordsFor(error);
  return (
    <>
      <span className="text-del">{say(title)}</span>
      <Space />
      <span>{say(next)}</span>
    </>
  );
}

/** How the search stands. */
function Foot({ search, wanted }: Pick<ReturnType<typeof useHits>, "search" | "wanted">) {
  return (
    <div className={css.paletteFoot} role="status">
      {search.error && wanted ? (
        <SearchFailed error={search.error} />
      ) : search.isFetching && wanted ? (
        <Trans>Searching…</Trans>
      ) : search.data?.more && wanted ? (
        <Trans>There are more; add a word.</Trans>
      ) : (
        <Trans>All words must occur; each may be the beginning of a longer word.</Trans>
      )}
      <span className="spacer" />
      <span>
        <Kbd keys="↑ ↓" /> <Kbd keys="Enter" /> <Kbd keys="Esc" />
      </span>
    </div>
  );
}

function PaletteBody({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [query, setQuery] = useState("");
  const [history, setHistory] = useState(false);
  const [chosen, setChosen] = useState("");
  const stores = useRead("stores", {}).data?.stores ?? [];
  const { isCommand, expected, groups } = useNamed(query, stores);
  const { search, wanted, hits } = useHits(query, history, isCommand);
  const storeName = (id: string) => stores.find((store) => store.id === id)?.name ?? t`removed store`;
  const ask = (text: string) => {
    setQuery(text);
    setChosen("");
  };
  const run = (work: () => void) => {
    onClose();
    work();
  };
  const choose = ({ goesOn, run: work }: Entry) => (goesOn === undefined ? run(work) : ask(goesOn));
  const asked = query.trim() !== "";
  const keys = [...groups.flatMap(({ entries }) => entries.map(({ key }) => key)), ...hits.map(hitKey)];
  // The chosen row may have gone with the last answer: the first row is chosen then.
  const value = keys.includes(chosen) ? chosen : (keys[0] ?? "");

  return (
    <Command
      shouldFilter={false}
      label={t`Search and commands`}
      value={value}
      onValueChange={setChosen}
      loop
      className={css.palette}
    >
      <div className={css.paletteHead}>
        <Command.Input
          value={query}
          onValueChange={ask}
          placeholder={history ? t`Search every recorded version` : t`Type a command or search`}
          data-testid="palette-input"
          autoFocus
        />
        <ToggleButton className="segment" isSelected={history} onChange={setHistory} data-testid="palette-history">
          <Trans>History</Trans>
        </ToggleButton>
      </div>
      <Command.List>
        {asked && (isCommand || !search.isFetching) && (
          <Command.Empty>
            <Trans>Nothing found.</Trans>{" "}
            {isCommand ? expected : !history && <Trans>Text that is not there any more may be in the history.</Trans>}
          </Command.Empty>
        )}
        {groups.map(({ title, entries }) => (
          <Group key={title} title={title} entries={entries} onChoose={choose} />
        ))}
        {hits.length > 0 && (
          <Command.Group heading={history ? t`In the history` : t`In the text`}>
            {hits.map((hit) => (
              <HitItem
                key={hitKey(hit)}
                hit={hit}
                store={storeName(hit.store_id)}
                onSelect={() => run(() => openHit(hit, history))}
              />
            ))}
          </Command.Group>
        )}
      </Command.List>
      <Foot search={search} wanted={wanted} />
    </Command>
  );
}

/** The palette and the keys that open it. Used once. */
export function Palette() {
  const { t } = useLingui();
  const open = usePaletteOpen();
  const close = () => setPaletteOpen(false);
  useKeys([
    { keys: "mod+k", label: t`Search and commands`, run: () => setPaletteOpen(!open), whileTyping: true },
    { keys: "/", label: t`Search`, run: () => setPaletteOpen(true) },
    { keys: "?", label: t`All keys`, run: () => setKeyHelpOpen(true) },
    ...usePlaces().map(({ keys = "", label, run }) => ({ keys, label: t`Go to ${label}`, run })),
  ]);
  return (
    <ModalOverlay
      className={classes("overlay", css.overlayTop)}
      isOpen={open}
      isDismissable
      onOpenChange={setPaletteOpen}
    >
      <Modal className={css.paletteModal}>
        <Dialog aria-label={t`Search and commands`} className={css.paletteDialog} data-testid="palette">
          <PaletteBody onClose={close} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
