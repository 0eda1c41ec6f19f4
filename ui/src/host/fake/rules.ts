/** Rules in the fake: a ledger with two rules, proposals, and hooks in settings that are a text in memory. */
import type {
  Adherence,
  BrokenRule,
  GuardedRule,
  MemoryRule,
  RuleCase,
  RuleFields,
  RuleGuard,
  RuleLedger,
  SettingsLine,
} from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import { refuse } from "./log";
import { fakeHash } from "./text";

type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

const ADDED = "2026-11-01T09:00:00Z";
const USER_SETTINGS = "/home/ada/.claude/settings.json";
const ABSENT = "absent";

const NO_FIELDS = {
  program: null,
  arguments: [],
  form: null,
  before: null,
  after: null,
  paths: [],
};

const CONFIRMED: RuleFields[] = [
  {
    ...NO_FIELDS,
    kind: "command_never",
    program: "npm",
    sentence: "pnpm, never npm",
    source: "harbour:MEMORY.md:3",
  },
  {
    ...NO_FIELDS,
    kind: "order",
    before: "pnpm lint",
    after: "git commit",
    sentence: "Lint before commit",
    source: null,
  },
];

const PROPOSED: RuleFields[] = [
  { ...NO_FIELDS, kind: "path_never", paths: ["migrations/**"], sentence: "Do not touch migrations", source: null },
];

function caseOf(outcome: RuleCase["outcome"], turn: number, cause: RuleCase["cause"] = null): RuleCase {
  const present = outcome === "broken" ? cause === null : null;
  return {
    outcome,
    what: `npm install part-${turn}`,
    session: "5e1f",
    title: "Make the berth tables green",
    transcript: "5e1f",
    subagent: cause === "subagent",
    turn,
    line: turn * 9,
    at: "2026-11-19T14:26:00Z",
    present,
    cause,
  };
}

/** Confirmed rules, and the settings that hooks were put into. */
export class FakeRules {
  /** Settings by file; a file that is not in it does not exist. */
  settings = new Map<string, string>();
  /** Breaks that were found while sessions ran, the newest first. */
  broken: BrokenRule[] = [];
  private readonly rules: MemoryRule[] = CONFIRMED.map((rule, at) => ({
    ...rule,
    rule_id: `rule_${at + 1}`,
    added_at: ADDED,
    removed_at: null,
    guards: [],
  }));
  private readonly proposed = [...PROPOSED];

  private rule(id: string | undefined): MemoryRule {
    return this.rules.find((rule) => rule.rule_id === id) ?? refuse("not_found", "There is no such rule.", id ?? "");
  }

  private commandOf(rule: string, remind: boolean): string {
    return `retrace rule check --rule ${rule}${remind ? " --remind" : ""}`;
  }

  private textWith(file: string, without: string | null, command: string | null): string {
    const lines = (this.settings.get(file) ?? "").split("\n").filter((line) => line !== "" && line !== without);
    return [...lines, ...(command === null ? [] : [command])].map((line) => `${line}\n`).join("");
  }

  private guardsOf(rule: MemoryRule): RuleGuard[] {
    return (rule.guards ?? []).map((guard) => ({
      ...guard,
      in_place: (this.settings.get(guard.settings) ?? "").includes(this.commandOf(rule.rule_id, guard.remind)),
    }));
  }

  private shown = (rule: MemoryRule): MemoryRule => ({ ...rule, guards: this.guardsOf(rule) });

  private ledger(rule: MemoryRule, withCases: boolean): RuleLedger {
    const { added_at: _added, removed_at: _removed, ...fields } = this.shown(rule);
    const never = rule.kind === "command_never";
    return {
      ...fields,
      opportunities: never ? 54 : 8,
      followed: never ? 44 : 8,
      broken: never ? 10 : 0,
      broken_present: never ? 6 : 0,
      broken_absent: never ? { subagent: 4 } : {},
      broken_unknown: 0,
      excepted: 0,
      predates: 0,
      undecidable: 0,
      sessions: never ? 29 : 6,
      tokens_per_session: 11,
      last_at: "2026-11-19T14:26:00Z",
      by_version: [],
      cases: withCases && never ? [caseOf("broken", 3), caseOf("broken", 5, "subagent"), caseOf("followed", 7)] : [],
    };
  }

  private guard(request: Request<"guard_rule">): GuardedRule {
    const {
      rule: id = "",
      remind = false,
      remove = false,
      settings,
      project,
      dry_run = false,
      expect = null,
    } = request;
    const rule = this.rule(id);
    const named = settings ?? (project ? `${project}/.claude/settings.local.json` : null);
    const kept = (rule.guards ?? []).find((guard) => guard.settings === (named ?? guard.settings));
    if (remove && !kept) refuse("not_found", "The rule has no guard there.", id);
    const file = (remove ? kept?.settings : named) ?? USER_SETTINGS;
    const hashOf = () => (this.settings.has(file) ? fakeHash(this.settings.get(file)!) : ABSENT);
    if (expect !== null && expect !== hashOf())
      refuse(
        "head_moved",
        "The settings were changed meanwhile.",
        file,
        "Preview the edit again. Nothing was written.",
      );
    const earlier = (rule.guards ?? []).find((guard) => guard.settings === file);
    const old = earlier ? this.commandOf(id, earlier.remind) : null;
    const command = this.commandOf(id, remove ? (kept?.remind ?? false) : remind);
    const [before, from] = [this.settings.get(file) ?? "", hashOf()];
    const after = this.textWith(file, old, remove ? null : command);
    const lines: SettingsLine[] = [
      ...before
        .split("\n")
        .filter((line) => line && !after.includes(line))
        .map((text) => ({ tag: "delete" as const, text })),
      ...after
        .split("\n")
        .filter(Boolean)
        .map((text) => ({ tag: before.includes(text) ? ("equal" as const) : ("insert" as const), text })),
    ];
    if (!dry_run) {
      if (after === "") this.settings.delete(file);
      else this.settings.set(file, after);
      const others = (rule.guards ?? []).filter((guard) => guard.settings !== file);
      rule.guards = remove ? others : [...others, { settings: file, remind, since: ADDED, in_place: true }];
    }
    return {
      dry_run,
      rule: this.shown(rule),
      settings: file,
      command,
      remind: remove ? (kept?.remind ?? false) : remind,
      from_sha256: from,
      to_sha256: after === "" ? ABSENT : fakeHash(after),
      lines,
      back_test: remove
        ? null
        : {
            sessions: project ? 9 : 31,
            calls: 412,
            fired: 14,
            broken: 8,
            wrongly: 2,
            predates: 4,
            cases: [caseOf("broken", 3), caseOf("excepted", 4), caseOf("predates", 1)],
          },
    };
  }

  /** Answers what the window asks about rules. */
  /** Breaks that nobody saw yet. */
  open(): BrokenRule[] {
    return this.broken.filter(({ seen_at }) => seen_at === null);
  }

  /** A session breaks the first rule. */
  breakRule(number: number, present: boolean): BrokenRule {
    const broken: BrokenRule = {
      id: `break_${number}`,
      rule_id: "rule_1",
      sentence: "pnpm, never npm",
      source: "harbour:MEMORY.md:3",
      what: `npm install part-${number}`,
      at_end: false,
      quiet_minutes: null,
      session: "5e1f",
      title: "Make the berth tables green",
      transcript: "/home/ada/.claude/projects/harbour/5e1f.jsonl",
      subagent: false,
      turn: number,
      line: number * 9,
      at: "2026-11-19T14:26:00Z",
      found_at: "2026-11-19T14:26:01Z",
      present,
      cause: present ? null : "cut",
      grade: "recorded",
      seen_at: null,
      seen_by: null,
    };
    this.broken.unshift(broken);
    return broken;
  }

  private see(ids: readonly string[], putBack: boolean): BrokenRule[] {
    this.broken = this.broken.map((known) =>
      ids.includes(known.id) ? { ...known, seen_at: putBack ? null : ADDED } : known,
    );
    return this.broken.filter(({ id }) => ids.includes(id));
  }

  handlers(): Handlers {
    const listed = () => this.rules.filter((rule) => rule.removed_at === null);
    return {
      memory_rules: () => ({ rules: this.rules.map(this.shown) }),
      adherence: ({ rule = null, cases = false }): Adherence => ({
        sessions: 31,
        problems: [],
        rules: listed()
          .filter(({ rule_id }) => rule === null || rule_id === rule)
          .map((one) => this.ledger(one, cases)),
      }),
      propose_rules: () => ({ rules: this.proposed.map((rule) => ({ ...rule })) }),
      add_memory_rule: ({ rule, dismissed }) => {
        this.proposed.splice(0, 1);
        const id = `rule_${this.rules.length + 1}`;
        const added = {
          ...(rule as RuleFields),
          rule_id: id,
          added_at: ADDED,
          removed_at: dismissed ? ADDED : null,
          guards: [],
        };
        this.rules.push(added);
        return added;
      },
      list_memory_rule: ({ rule, put_back }) => {
        const found = this.rule(rule);
        found.removed_at = put_back ? null : ADDED;
        return this.shown(found);
      },
      broken_rules: ({ seen = false }) => {
        const broken = seen ? this.broken : this.open();
        return { broken, total: broken.length };
      },
      see_broken_rules: ({ broken = [], put_back = false }) => {
        const seen = this.see(broken, put_back);
        return { broken: seen, total: seen.length };
      },
      guard_rule: (request) => this.guard(request),
    };
  }
}
