/**
 * Draft of a redaction. The text lives in the component's memory only: never in the address, in storage or in the cache
 * of answers. Pure.
 */
import type { FindingPlace, Receipt, RedactionMatch } from "@/bindings";
import type { Request } from "@/host";
import { toBase64 } from "@/shared/text";

/** Method of choosing the content. */
export type Method = "secret" | "find" | "versions" | "finding";

/** Entered fields. */
export interface Draft {
  /** Method of choosing the content. */
  method: Method;
  /** The exact text. */
  secret: string;
  /** The regular expression. */
  pattern: string;
  /** The versions. */
  versions: readonly string[];
  /** The finding whose text is meant; the text itself is not known here. */
  finding: FindingPlace | null;
  /** Only in this store; all when empty. */
  store: string;
  /** Also in live files. */
  live: boolean;
  /** Also in transcripts that no program holds open. */
  transcripts: boolean;
  /** Why. */
  reason: string;
}

/**
 * A draft with nothing in it, or with the finding or the versions that were named. Transcripts are another program's files: only a
 * person ticks them.
 */
export function newDraft(versions: readonly string[] = [], finding: FindingPlace | null = null): Draft {
  const method = finding !== null ? "finding" : versions.length > 0 ? "versions" : "secret";
  return { method, secret: "", pattern: "", versions, finding, store: "", live: true, transcripts: false, reason: "" };
}

/** True if there is something to search for. */
export function isReady(draft: Draft): boolean {
  switch (draft.method) {
    case "secret":
      return draft.secret !== "";
    case "find":
      return draft.pattern !== "";
    case "versions":
      return draft.versions.length > 0;
    case "finding":
      return draft.finding !== null;
  }
}

/** True if the reason gives away what is to be taken out. */
export function reasonTells({ method, secret, reason }: Draft): boolean {
  return method === "secret" && secret.trim().length > 3 && reason.includes(secret.trim());
}

/** True if transcripts are changed, too. */
export const changesTranscripts = ({ method, transcripts }: Draft) => method !== "versions" && transcripts;

/** The command for a draft. */
export function redactRequest(draft: Draft, dryRun: boolean): Request<"redact"> {
  return {
    versions: draft.method === "versions" ? [...draft.versions] : [],
    find: draft.method === "find" ? draft.pattern : null,
    secret_base64: draft.method === "secret" ? toBase64(draft.secret) : null,
    finding: draft.method === "finding" ? draft.finding : null,
    store: draft.store || null,
    live: draft.live,
    transcripts: changesTranscripts(draft),
    reason: draft.reason.trim() || null,
    dry_run: dryRun,
  };
}

/** Places that read the same, shown as one. */
export interface MatchGroup {
  /** The first of them. */
  match: RedactionMatch;
  /** Number of places. */
  places: number;
}

/** Joins versions of one path whose masked line is the same. */
export function groupMatches(matches: readonly RedactionMatch[]): MatchGroup[] {
  const groups = new Map<string, MatchGroup>();
  matches.forEach((match, at) => {
    const { place, store_id, path, line, masked, action } = match;
    const key =
      place === "version" && path !== null ? JSON.stringify([store_id, path, line, masked, action]) : `#${at}`;
    const known = groups.get(key);
    if (known) known.places += 1;
    else groups.set(key, { match, places: 1 });
  });
  return [...groups.values()];
}

/** What a redaction changes: places of the log and of stores, and transcripts. */
export function countChanged(matches: readonly RedactionMatch[]) {
  const changed = matches.filter(({ action }) => action !== "left");
  const { transcripts } = countPlaces(changed);
  return { places: changed.filter(({ place }) => place !== "transcript").length, transcripts };
}

/** Transcripts that a redaction changed, as its receipt tells. */
export const changedTranscripts = ({ places }: Pick<Receipt, "places">) =>
  places.filter(({ detail }) => detail?.id === "transcripts.replaced_marker").length;

/** Places by what they are. */
export function countPlaces(matches: readonly RedactionMatch[]) {
  const of = (place: string) => matches.filter((match) => match.place === place);
  const transcripts = new Set(of("transcript").map(({ path }) => path));
  const named = ["live", "version", "transcript"];
  const others = matches.filter(({ place }) => !named.includes(place)).length;
  return { live: of("live").length, versions: of("version").length, transcripts: transcripts.size, others };
}

/** A masked line cut into text and bars; a bar's length says how many characters it covers. */
export function maskedPieces(masked: string): { text: string; bar: boolean }[] {
  return masked
    .split(/(█+)/)
    .filter(Boolean)
    .map((text) => ({ text, bar: text.startsWith("█") }));
}
