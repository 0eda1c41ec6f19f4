/**
 * Unreviewed changes in the fake: marks by memory, reviews that can be taken back, stale items skipped. Who acts by
 * other ways than a review knows nothing by it here, unlike in the real program.
 */
import { verbatim } from "./verbatim";
import type {
  Approval,
  Finding,
  Inbox,
  InboxGroup,
  InboxItem,
  InboxKinds,
  OriginNote,
  Reviewed,
  Severity,
  SkippedItem,
  Triage,
  Verdict,
} from "@/bindings";
import type { Request } from "@/host/backend";
import { anyRecorded } from "./fixtures";
import { filtersOf, kindOf } from "./kinds";
import { type FakeLog, type FakeStore, type FakeVersion, refuse } from "./log";
import { byteLength, diffTexts } from "./text";
import { triageOf } from "./triage";

interface FakeReview {
  seq: number;
  through: Map<string, number>;
  reviewed: FakeVersion[];
  operation: number | null;
  undone: boolean;
}

interface Left {
  store: FakeStore;
  base: FakeVersion | null;
  newest: FakeVersion;
  versions: number;
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** Words of four letters, roughly: the fake only needs a figure. */
const tokensOf = (text: string | null) => Math.ceil(byteLength(text ?? "") / 4);

/** Kind of a memory; a deleted one is what it was. */
const typeOf = ({ base, newest }: Pick<Left, "base" | "newest">) =>
  kindOf(newest.fullPath, (newest.operation === "deleted" ? base : newest)?.text);

/** The reviews of one person. What is in the log when it is made counts as known. */
export class FakeInbox {
  /** Findings by path, as the program would give them. */
  readonly findings = new Map<string, Finding[]>();
  /** Who wrote what, by path, as the program would tell once it has read the transcripts. */
  readonly origins = new Map<string, OriginNote>();
  /** Paths whose changes are the same edit. */
  readonly sameEdits = new Set<string>();
  readonly #log: FakeLog;
  readonly #baselines = new Map<string, number>();
  readonly #reviews: FakeReview[] = [];

  constructor(log: FakeLog) {
    this.#log = log;
    for (const store of log.stores) this.takeBaseline(store.id);
  }

  /** Says that all of a store is known. */
  takeBaseline(store: string): void {
    this.#baselines.set(store, this.#log.versions.length);
  }

  /** Number of unreviewed items in a store or in all. */
  count(store: string | null = null): number {
    return this.#left(store).length;
  }

  #mark(version: FakeVersion): number {
    const marks = this.#reviews
      .filter(({ undone }) => !undone)
      .map(({ through }) => through.get(version.memory_id) ?? 0);
    return Math.max(this.#baselines.get(version.store_id) ?? 0, ...marks);
  }

  #left(storeId: string | null, kind: string | null = null): Left[] {
    const memories = groupBy(this.#log.versions, ({ memory_id }) => memory_id);
    const left: Left[] = [];
    for (const versions of memories.values()) {
      const newest = versions.at(-1)!;
      const store = this.#log.stores.find(({ id }) => id === newest.store_id);
      if (!store || (storeId !== null && store.id !== storeId)) continue;
      const mark = this.#mark(newest);
      const later = versions.filter(({ seq }) => seq > mark);
      if (later.length === 0) continue;
      left.push({ store, newest, base: versions.findLast(({ seq }) => seq <= mark) ?? null, versions: later.length });
    }
    const kept = left.filter((one) => kind === null || filtersOf(typeOf(one)).includes(kind));
    return kept.sort((a, b) => b.newest.seq - a.newest.seq);
  }

  #item({ base, newest, versions }: Left): InboxItem {
    const before = base?.text ?? null;
    const counts = diffTexts(before ?? "", newest.text ?? "", 0, false);
    const [base_tokens, tokens] = [tokensOf(before), tokensOf(newest.text)];
    const wasThere = base !== null && base.operation !== "deleted";
    return {
      ...anyRecorded("inbox_items").items[0]!,
      store_id: newest.store_id,
      memory_id: newest.memory_id,
      path: newest.path,
      verb: newest.operation === "deleted" ? "deleted" : wasThere ? "changed" : "created",
      base_version_id: base?.id ?? null,
      version_id: newest.id,
      versions,
      operation_seq: newest.operation_seq,
      created_at: newest.created_at,
      created_by: newest.created_by,
      put_back: newest.put_back,
      source: newest.source,
      note: newest.note,
      content_kind: newest.redacted_at ? "redacted" : newest.content_kind,
      base_size_bytes: byteLength(before ?? ""),
      content_size_bytes: byteLength(newest.text ?? ""),
      size_change: byteLength(newest.text ?? "") - byteLength(before ?? ""),
      base_tokens,
      tokens,
      token_change: tokens - base_tokens,
      added: counts.added,
      removed: counts.removed,
      kind: typeOf({ base, newest }),
      origin: this.origins.get(newest.fullPath) ?? null,
      findings: this.findings.get(newest.fullPath) ?? [],
    };
  }

  /** Answers `inbox_kinds`. */
  kinds({ store = null }: Request<"inbox_kinds">): InboxKinds {
    const left = this.#left(store === null ? null : this.#log.store(store).id);
    const kinds = groupBy(
      left.flatMap((one) => filtersOf(typeOf(one))),
      (kind) => kind,
    );
    return { total: left.length, kinds: [...kinds].map(([kind, all]) => ({ kind, count: all.length })) };
  }

  /** Answers `triage`: what has findings or is gone first, the rest by writer; a test may say what is one edit. */
  triage({ store = null, kind = null }: Request<"triage">): Triage {
    const left = this.#left(store === null ? null : this.#log.store(store).id, kind);
    return triageOf(
      left.map((one) => this.#item(one)),
      this.sameEdits,
    );
  }

  /** Answers `inbox_items`. */
  items({ versions = [] }: Request<"inbox_items">): { items: InboxItem[] } {
    const left = this.#left(null);
    const found = versions.flatMap((id) => left.find(({ newest }) => newest.id === id) ?? []);
    return { items: found.map((one) => this.#item(one)) };
  }

  /** Answers `inbox`. */
  page({ store = null, kind = null, before = null, limit = null }: Request<"inbox">): Inbox {
    const left = this.#left(store === null ? null : this.#log.store(store).id, kind);
    const of = `${store === null ? "" : `@${store}`}${kind === null ? "" : `:${kind}`}`;
    const session = ({ newest }: Left) =>
      newest.created_by?.type === "session_actor" ? newest.created_by.session_id : null;
    const all = groupBy(left, (one) => session(one) ?? one.store.id);
    const ordered = [...all.values()].flat();
    const start = before === null ? 0 : ordered.findIndex(({ newest }) => newest.id === before) + 1;
    const shown = ordered.slice(start, start + (limit ?? 50));
    const groups = [...all.values()].flatMap((members): InboxGroup[] => {
      const items = members.filter((one) => shown.includes(one));
      const first = members[0]!;
      if (items.length === 0) return [];
      return [
        {
          id: `group_${first.newest.seq}${of}`,
          session: session(first),
          actor: first.newest.created_by,
          started_at: members.at(-1)!.newest.created_at,
          ended_at: first.newest.created_at,
          total: members.length,
          items: items.map((one) => this.#item(one)),
        },
      ];
    });
    const more = start + shown.length < ordered.length;
    return {
      groups,
      total: left.length,
      groups_total: all.size,
      next_before: more ? (shown.at(-1)?.newest.id ?? null) : null,
    };
  }

  #done(review: FakeReview, verdict: Verdict): Reviewed["done"] {
    return review.reviewed.map(({ id, store_id, memory_id, path }) => ({
      version_id: id,
      store_id,
      memory_id,
      path,
      verdict,
    }));
  }

  #write(reviewed: FakeVersion[], operation: number | null): FakeReview {
    const newest = (memory: string) => this.#log.versions.findLast(({ memory_id }) => memory_id === memory)!.seq;
    const through = new Map(reviewed.map(({ memory_id }) => [memory_id, newest(memory_id)]));
    const review = { seq: this.#reviews.length + 1, through, reviewed, operation, undone: false };
    this.#reviews.push(review);
    return review;
  }

  /** Takes what has errors and is not accepted out of what is to be approved, and says what that comes to. */
  #weigh(
    direction: Approval["direction"],
    open: readonly Left[],
    { with_findings = false, ticked = [] }: { with_findings?: boolean | undefined; ticked?: string[] | undefined },
  ): { open: Left[]; skipped: SkippedItem[]; approval: Approval } {
    const findingsOf = ({ newest }: Left) => this.findings.get(newest.fullPath) ?? [];
    const errorsOf = (one: Left) => findingsOf(one).filter(({ severity }) => severity === "error");
    const isLeft = (one: Left) => errorsOf(one).length > 0 && !with_findings && !ticked.includes(one.newest.id);
    const order = ["error", "warning", "note"];
    const rules = open.flatMap((one) => [
      ...new Set(findingsOf(one).map((found) => `${found.severity} ${found.rule}`)),
    ]);
    const findings = [...groupBy(rules, (rule) => rule)].map(([known, all]) => {
      const [severity = "", rule = ""] = known.split(" ");
      return { rule, severity: severity as Severity, items: all.length };
    });
    const times = open.map(({ newest }) => newest.created_at).sort();
    const left = open.filter(isLeft);
    return {
      open: open.filter((one) => !isLeft(one)),
      skipped: left.map((one) => ({
        version_id: one.newest.id,
        store_id: one.newest.store_id,
        memory_id: one.newest.memory_id,
        path: one.newest.path,
        reason: "findings",
        message: verbatim("It has findings of severity error, so it was left out."),
        base_version_id: one.base?.id ?? null,
        found_version_id: one.newest.id,
        findings: errorsOf(one),
      })),
      approval: {
        direction,
        approved: open.length - left.length,
        left: left.length,
        oldest_at: times.at(0) ?? null,
        newest_at: times.at(-1) ?? null,
        findings: findings.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity)),
      },
    };
  }

  /** Answers `review`. */
  review(request: Request<"review">): Reviewed {
    const { versions = [], verdict = "", text = null, dry_run = false } = request;
    const left = new Map(this.#left(null).map((one) => [one.newest.memory_id, one]));
    let open: Left[] = [];
    const skipped: SkippedItem[] = [];
    for (const seen of versions.map((id) => this.#log.version(id))) {
      const found = left.get(seen.memory_id);
      if (found?.newest.id === seen.id) open.push(found);
      else
        skipped.push({
          version_id: seen.id,
          store_id: seen.store_id,
          memory_id: seen.memory_id,
          path: seen.path,
          reason: found ? "stale" : "already_reviewed",
          message: verbatim("It was left as it is."),
          base_version_id: found?.base?.id ?? null,
          found_version_id: found?.newest.id ?? null,
          findings: [],
        });
    }
    let approval: Approval | null = null;
    if (verdict === "approve" && text === null && versions.length > 1) {
      const weighed = this.#weigh("named", open, request);
      skipped.push(...weighed.skipped);
      ({ open, approval } = weighed);
    }
    const reviewed = open.map(({ newest }) => newest);
    const word = text !== null ? "edited" : verdict === "reject" ? "rejected" : "approved";
    const draft = { seq: 0, through: new Map<string, number>(), reviewed, operation: null, undone: false };
    if (dry_run || open.length === 0)
      return { dry_run, review_seq: null, done: this.#done(draft, word), skipped, act: null, approval };
    const first = open[0]!;
    const act =
      word === "approved"
        ? null
        : this.#log.act(
            first.store,
            open.map(({ newest, base }) => ({ path: newest.fullPath, text: text ?? base?.text ?? null })),
            { source: text === null ? "rollback" : "api" },
            false,
          );
    const review = this.#write(reviewed, act?.operation_seq ?? null);
    return { dry_run, review_seq: review.seq, done: this.#done(review, word), skipped, act, approval };
  }

  /** Answers `review_up_to`. */
  reviewUpTo(request: Request<"review_up_to">): Reviewed {
    const { up_to = "", store = null, kind = null, dry_run = false } = request;
    const last = this.#log.version(up_to).seq;
    const meant = this.#left(store, kind).filter(({ newest }) => newest.seq <= last);
    const { open, skipped, approval } = this.#weigh("up_to", meant, request);
    const reviewed = open.map(({ newest }) => newest);
    const draft = { seq: 0, through: new Map<string, number>(), reviewed, operation: null, undone: false };
    const done = this.#done(draft, "up_to");
    if (dry_run || reviewed.length === 0) return { dry_run, review_seq: null, done, skipped, act: null, approval };
    return { dry_run, review_seq: this.#write(reviewed, null).seq, done, skipped, act: null, approval };
  }

  /** Answers `undo_review`. */
  undo({ review_seq = null, dry_run = false }: Request<"undo_review">): Reviewed {
    const review =
      this.#reviews.findLast(({ seq, undone }) => !undone && (review_seq === null || seq === review_seq)) ??
      refuse("not_found", "There is no review to undo.");
    const done = this.#done(review, "undone");
    if (dry_run) return { dry_run, review_seq: null, done, skipped: [], act: null, approval: null };
    let act: Reviewed["act"] = null;
    if (review.operation !== null && !this.#log.withdraw(review.operation)) {
      const { store, wanted, conflicts } = this.#log.reversal(review.operation);
      act = this.#log.act(store, wanted, { source: "rollback" }, false, conflicts);
      if (conflicts.length > 0) return { dry_run, review_seq: null, done: [], skipped: [], act, approval: null };
    }
    review.undone = true;
    return { dry_run, review_seq: this.#reviews.length + 1, done, skipped: [], act, approval: null };
  }
}
