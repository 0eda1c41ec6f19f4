/** Search and commands in one field. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Command } from "cmdk";
import { useDeferredValue, useEffect, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { useQueries } from "@tanstack/react-query";
import type { Hit, Store } from "@/bindings";
import { download } from "@/shared/download";
import { wordsFor } from "@/shared/failure";
import { spelled } from "@/shared/hidden";
import { Moment } from "@/shared/labels";
import { LineText } from "@/shared/LineText";
import { Kbd, useWords } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useAllKeys, useKeys } from "@/state/keys";
import { setKeyHelpOpen, setPaletteOpen, usePaletteOpen } from "@/state/palette";
import { useRead } from "@/state/queries";
import { navigate, type Route } from "@/state/route";
import { openStoresSheet } from "@/state/sheets";
import { say } from "@/state/toasts";
import { type Entry, pick } from "./entries";
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

/** Memories of every store, to be found by name. */
function useMemoryEntries(stores: readonly Store[]): Entry[] {
  const backend = useBackend();
  const reads = useQueries({
    queries: stores.map(({ id }) => {
      const request = { store: id, at: null };
      return { queryKey: ["memories", request], queryFn: () => backend.call("memories", request) };
    }),
  });
  return stores.flatMap((store, at) =>
    (reads[at]?.data?.memories ?? [])
      .filter(({ path }) => path !== null)
      .map(({ id, path }) => ({
        key: `memory ${id}`,
        label: spelled(path ?? id),
        detail: spelled(store.name),
        run: () => navigate({ screen: "memories", store: store.id, memory: id }),
      })),
  );
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
    place("go health", t`Health`, "g h", { screen: "health" }),
    place("go context", t`Context lab`, "g c", { screen: "context" }),
    place("go redactions", t`Redactions`, "g r", { screen: "redactions" }),
    place("go stores", t`Stores`, "g s", { screen: "stores" }),
    place("go hosted", t`Hosted stores`, "g o", { screen: "stores", view: "hosted" }),
    place("go dreams", t`Dreams`, "g d", { screen: "stores", view: "dreams" }),
    place("go compare", t`Compare two stores`, "g b", { screen: "stores", view: "compare" }),
    place("go settings", t`Settings`, "g ,", { screen: "settings" }),
  ];
}

/** Writes a report of the review and offers it as a file. */
function useReport(): Entry {
  const { t, i18n } = useLingui();
  const backend = useBackend();
  const save = async () => {
    try {
      const { file_name, media_type, text } = await backend.call("review_report", { store: null, since: null });
      download(file_name, text, media_type);
    } catch (cause) {
      say({ tone: "failure", title: i18n._(wordsFor(cause).title), detail: wordsFor(cause).detail });
    }
  };
  return { key: "report", label: t`Save a report of this review…`, run: () => void save() };
}

/** Sheets that can be opened from anywhere. */
function useSheets(): Entry[] {
  const { t } = useLingui();
  const open = (sheet: "add-hosted" | "attach-list") => () => {
    navigate({ screen: "stores", view: "hosted" });
    openStoresSheet(sheet);
  };
  return [
    { key: "sheet hosted", label: t`Add a hosted store…`, run: open("add-hosted") },
    { key: "sheet mounts", label: t`Check an attach list…`, run: open("attach-list") },
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
  onRun,
}: {
  title: string;
  entries: readonly Entry[];
  onRun: (run: () => void) => void;
}) {
  if (entries.length === 0) return null;
  return (
    <Command.Group heading={title}>
      {entries.map((entry) => (
        <Command.Item key={entry.key} value={entry.key} onSelect={() => onRun(entry.run)} data-testid="palette-item">
          <span className={css.paletteLabel}>{entry.label}</span>
          {entry.detail && <span className="muted">{entry.detail}</span>}
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
        <LineText text={hit.snippet} words={hit.matches} />
      </span>
    </Command.Item>
  );
}

/** Hits of the text in all stores, or in the whole history. */
function useHits(query: string, history: boolean) {
  const rested = useRested(query.trim());
  const wanted = rested.length > 1;
  const search = useRead(
    "search",
    { query: rested, history, store: null, limit: MAX_HITS },
    { enabled: wanted, keepPrevious: true },
  );
  return { search, wanted, hits: wanted ? (search.data?.hits ?? []) : [] };
}

/** What can be chosen by name: memories once something is typed, actions, places, and stores. */
function useNamed(query: string, stores: readonly Store[]) {
  const { t } = useLingui();
  const deferred = useDeferredValue(query);
  const memories = useMemoryEntries(stores);
  const actions = [...useActions(), ...useSheets(), useReport()];
  const places = usePlaces();
  const storeEntries = stores.map((store): Entry => {
    const run = () => navigate({ screen: "memories", store: store.id });
    return { key: `store ${store.id}`, label: spelled(store.name), detail: store.root, run };
  });
  const named = (entries: readonly Entry[]) => pick(entries, deferred, MAX_NAMED);
  return {
    found: query.trim() === "" ? [] : named(memories),
    groups: [
      { title: t`Actions`, entries: named(actions) },
      { title: t`Go to`, entries: named(places) },
      { title: t`Stores`, entries: named(storeEntries) },
    ],
  };
}

/** How the search stands. */
function Foot({ search, wanted }: Pick<ReturnType<typeof useHits>, "search" | "wanted">) {
  const say = useWords();
  return (
    <div className={css.paletteFoot} role="status">
      {search.error && wanted ? (
        <span className="text-del">{say(wordsFor(search.error).title)}</span>
      ) : search.isFetching && wanted ? (
        <Trans>Searching…</Trans>
      ) : search.data?.more && wanted ? (
        <Trans>There are more; add a word.</Trans>
      ) : (
        <Trans>Every word has to occur; each may be the beginning of a longer one.</Trans>
      )}
    </div>
  );
}

function PaletteBody({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [query, setQuery] = useState("");
  const [history, setHistory] = useState(false);
  const [chosen, setChosen] = useState("");
  const stores = useRead("stores", {}).data?.stores ?? [];
  const { found, groups } = useNamed(query, stores);
  const { search, wanted, hits } = useHits(query, history);
  const storeName = (id: string) => stores.find((store) => store.id === id)?.name ?? t`removed store`;
  const run = (work: () => void) => {
    onClose();
    work();
  };
  const asked = query.trim() !== "";
  const keys = [
    ...found.map(({ key }) => key),
    ...hits.map(hitKey),
    ...groups.flatMap(({ entries }) => entries.map(({ key }) => key)),
  ];
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
          onValueChange={(text) => {
            setQuery(text);
            setChosen("");
          }}
          placeholder={history ? t`Search every recorded version` : t`Search memories, stores, actions`}
          data-testid="palette-input"
          autoFocus
        />
        <ToggleButton className="segment" isSelected={history} onChange={setHistory} data-testid="palette-history">
          <Trans>History</Trans>
        </ToggleButton>
      </div>
      <Command.List>
        {!search.isFetching && asked && (
          <Command.Empty>
            <Trans>Nothing found.</Trans> {!history && <Trans>Text that was there once may be in the history.</Trans>}
          </Command.Empty>
        )}
        <Group title={t`Memories`} entries={found} onRun={run} />
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
        {groups.map(({ title, entries }) => (
          <Group key={title} title={title} entries={entries} onRun={run} />
        ))}
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
