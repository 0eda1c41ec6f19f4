/** Commands of the palette that are on no key: what is chosen at this window, recording, and verbs with arguments. */
import { useLingui } from "@lingui/react/macro";
import type { Store } from "@/bindings";
import { LANGUAGES, NAMES } from "@/i18n";
import { download } from "@/shared/download";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { useRecordingActs, useReporting } from "@/shared/store-acts";
import { startAct } from "@/state/acts";
import { useBackend } from "@/state/backend";
import { useNow } from "@/state/now";
import { navigate } from "@/state/route";
import { type LanguageChoice, type Theme, useLanguage, useTheme } from "@/state/settings";
import { openStoresSheet } from "@/state/sheets";
import { afterVerb, begunWith, type Entry, namedFirst, namedInPart, pick } from "./entries";
import type { Known } from "./found";
import { whenOf } from "./when";

/** A verb with arguments lists so many. */
const MOST = 12;

/** Theme and language. The English word finds each in every language of the window. */
function useChoices(): Entry[] {
  const { t } = useLingui();
  const [, setTheme] = useTheme();
  const [, setLanguage] = useLanguage();
  const themes: [Theme, string][] = [
    ["light", t`Theme: light`],
    ["dark", t`Theme: dark`],
    ["system", t`Theme: as the system`],
  ];
  const languages: [LanguageChoice, string][] = [
    ...LANGUAGES.map((tag): [LanguageChoice, string] => [tag, t`Language: ${NAMES[tag]}`]),
    ["system", t`Language: as the system`],
  ];
  return [
    ...themes.map(([theme, label]) => ({
      key: `theme ${theme}`,
      label,
      words: `theme ${theme}`,
      run: () => setTheme(theme),
    })),
    ...languages.map(([tag, label]) => ({
      key: `language ${tag}`,
      label,
      words: `language ${tag}`,
      run: () => setLanguage(tag),
    })),
  ];
}

/** Scanning, and pausing and resuming each store. */
function useRecording(stores: readonly Store[]): Entry[] {
  const { t } = useLingui();
  const { set, scan } = useRecordingActs();
  const mounted = stores.filter(({ state }) => state === "recording" || state === "paused");
  const recording = mounted.filter(({ state }) => state === "recording");
  const paused = mounted.filter(({ state }) => state === "paused");
  const each = (command: "pause_store" | "resume_store", among: readonly Store[]) => () => {
    for (const store of among) void set(command, store);
  };
  const entries: Entry[] = [
    { key: "scan all", label: t`Scan all stores now`, words: "scan all", run: () => void scan(mounted) },
  ];
  if (recording.length > 1)
    entries.push({
      key: "pause all",
      label: t`Pause recording of all stores`,
      words: "pause all",
      run: each("pause_store", recording),
    });
  if (paused.length > 1)
    entries.push({
      key: "resume all",
      label: t`Resume recording of all stores`,
      words: "resume all",
      run: each("resume_store", paused),
    });
  for (const store of mounted) {
    const name = spelled(store.name);
    const pause = store.state === "recording";
    entries.push(
      { key: `scan ${store.id}`, label: t`Scan ${name} now`, words: "scan", run: () => void scan([store]) },
      {
        key: `pause ${store.id}`,
        label: pause ? t`Pause recording of ${name}` : t`Resume recording of ${name}`,
        words: pause ? "pause" : "resume",
        run: each(pause ? "pause_store" : "resume_store", [store]),
      },
    );
  }
  return entries;
}

/** Writes a report of the review and offers it as a file; opens sheets of the hosted stores. */
function useOthers(): Entry[] {
  const { t } = useLingui();
  const backend = useBackend();
  const reporting = useReporting();
  const save = () =>
    reporting(async () => {
      const { file_name, media_type, text } = await backend.call("review_report", { store: null, since: null });
      download(file_name, text, media_type);
    });
  const open = (sheet: "add-hosted" | "attach-list") => () => {
    navigate({ screen: "stores", view: "hosted" });
    openStoresSheet(sheet);
  };
  return [
    { key: "sheet hosted", label: t`Add a hosted store…`, run: open("add-hosted") },
    { key: "sheet mounts", label: t`Check an attach list…`, run: open("attach-list") },
    { key: "report", label: t`Save a report of this review…`, run: () => void save() },
  ];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** `restore STORE TIME`: the preview of what the directory was. */
function useRestore(stores: readonly Store[]) {
  const { t } = useLingui();
  const format = useFormat();
  // By the minute: a row that is chosen must not be another one a second later.
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const verb = t({ context: "typed verb", message: "restore" });
  const usage = t({ context: "typed command", message: "restore STORE TIME" });
  const to = (store: Store, at: string, operation: boolean): Entry => {
    const name = spelled(store.name);
    const when = operation ? t`operation ${at}` : format.precise(at, now);
    return {
      key: `restore ${store.id} ${at}`,
      label: t`Restore ${name} as of ${when}…`,
      run: () =>
        startAct({
          command: "restore",
          request: { store: store.id, at, from_imported: false },
          subject: t`${name} as of ${when}`,
        }),
    };
  };
  const unread = (store: Store): Entry => ({
    key: "restore unread",
    label: t`A time that has come: yesterday 14:00, 2h ago, 2026-11-20, #824`,
    goesOn: `${verb} ${store.name} `,
    run: () => undefined,
  });
  const ofStore = (store: Store, typed: string): Entry[] => {
    const when = whenOf(typed, now);
    if (when) return [to(store, when.at, when.operation)];
    if (typed !== "") return [unread(store)];
    return [HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS].map((ago) => to(store, new Date(now - ago).toISOString(), false));
  };
  const goOn = (store: Store): Entry => ({
    key: `restore ${store.id}`,
    label: t`Restore ${spelled(store.name)} to a time…`,
    detail: usage,
    words: "restore put back",
    goesOn: `${verb} ${store.name} `,
    run: () => undefined,
  });
  const typed = (query: string): Entry[] | null => {
    const rest = afterVerb(query, ["restore", verb]);
    if (rest === null) return null;
    const found = namedFirst(rest, stores);
    if (found) return ofStore(found.named, found.rest);
    const parts = namedInPart(rest, stores, (text) => whenOf(text, now));
    if (parts) return parts.named.slice(0, MOST).map((store) => to(store, parts.read.at, parts.read.operation));
    const begun = pick(stores.map(goOn), rest, MOST);
    // What follows a name and is no time: says which times there are.
    return begun.length > 0 ? begun : begunWith(rest, stores).slice(0, 1).map(unread);
  };
  const start: Entry = {
    key: "restore",
    label: t`Restore a store to a time…`,
    detail: usage,
    words: "restore put back",
    goesOn: `${verb} `,
    run: () => undefined,
  };
  const expected = t`Expected: the name of a store or a part of it, then a time.`;
  return { typed, start, expected };
}

/** `redact MEMORY`: the screen of redactions with the memory's newest version. It takes a name, never the text itself. */
function useRedact(memories: readonly Known[]) {
  const { t } = useLingui();
  const verb = t({ context: "typed verb", message: "redact" });
  const usage = t({ context: "typed command", message: "redact MEMORY" });
  const typed = (query: string): Entry[] | null => {
    const rest = afterVerb(query, ["redact", verb]);
    if (rest === null) return null;
    const entries = memories.map(({ store, id, path, version }): Entry => ({
      key: `redact ${id}`,
      label: t`Redact ${spelled(path)}…`,
      detail: spelled(store.name),
      run: () => navigate({ screen: "redactions", versions: [version] }),
    }));
    const text: Entry = {
      key: "redact text",
      label: t`Redact a text or a pattern…`,
      detail: t`typed on its own screen, which keeps it nowhere`,
      run: () => navigate({ screen: "redactions" }),
    };
    return [...pick(entries, rest, MOST), text];
  };
  const start: Entry = {
    key: "redact",
    label: t`Redact a memory…`,
    detail: usage,
    words: "redact",
    goesOn: `${verb} `,
    run: () => undefined,
  };
  return { typed, start };
}

/** All commands; `typed` are those of a verb with its arguments, null where no verb was typed. */
export function useCommands(query: string, stores: readonly Store[], memories: readonly Known[]) {
  const choices = useChoices();
  const recording = useRecording(stores);
  const others = useOthers();
  const restore = useRestore(stores);
  const redact = useRedact(memories);
  return {
    all: [restore.start, redact.start, ...recording, ...choices, ...others],
    typed: restore.typed(query) ?? redact.typed(query),
    // The other verb always has an entry.
    expected: restore.expected,
  };
}
