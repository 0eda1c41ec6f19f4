/** Rules: the recorded ledger, what a person confirms and takes off, and hooks in settings that are a text in memory. */
import type { BrokenRule, GuardedRule, MemoryRule, RuleFields, SettingsLine } from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import { anyRecorded, recorded } from "./fixtures";
import { refuse } from "./log";
import { fakeHash } from "./text";

type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

const USER_SETTINGS = "/home/ada/.claude/settings.json";
const ABSENT = "absent";

/** The hook of a guard in settings that hold nothing else. */
const hookOf = ({ lines }: GuardedRule) => lines.map(({ text }) => `${text}\n`).join("");

/** Confirmed rules, and the settings that hooks were put into. */
export class FakeRules {
  /** Settings by file; a file that is not in it does not exist. */
  settings = new Map<string, string>();
  /** Breaks that were found while sessions ran, the newest first. */
  broken: BrokenRule[] = [];
  private readonly rules: MemoryRule[] = recorded("memory_rules").rules;
  private proposed: RuleFields[] = recorded("propose_rules", { sessions: true }).rules;

  private rule(id: string | undefined): MemoryRule {
    return this.rules.find((rule) => rule.rule_id === id) ?? refuse("not_found", "There is no such rule.", id ?? "");
  }

  private shown = (rule: MemoryRule): MemoryRule => {
    const guards = (rule.guards ?? []).map((guard) => {
      const text = this.settings.get(guard.settings) ?? "";
      return { ...guard, in_place: text.includes(`--rule ${rule.rule_id}`) };
    });
    return { ...rule, guards };
  };

  private guard(request: Request<"guard_rule">): GuardedRule {
    const { rule: id = "", remove = false, settings, project, dry_run = false, expect = null } = request;
    const rule = this.rule(id);
    const guards = rule.guards ?? [];
    const named = settings ?? (project ? `${project}/.claude/settings.local.json` : null);
    const kept = guards.find((guard) => guard.settings === (named ?? guard.settings));
    if (remove && !kept) refuse("not_found", "The rule has no guard there.", id);
    const file = (remove ? kept?.settings : named) ?? USER_SETTINGS;
    const remind = (remove ? kept?.remind : request.remind) ?? false;
    const before = this.settings.get(file) ?? "";
    const hash = (text: string) => (text === "" ? ABSENT : fakeHash(text));
    if (expect !== null && expect !== hash(before)) refuse("head_moved", "The settings were changed meanwhile.", file);
    const guarded = recorded("guard_rule", { rule: id, remind, dry_run: true });
    const isOurs = before.includes(`--rule ${id}`);
    const after = !remove ? hookOf(guarded) : isOurs ? "" : before;
    const others = guards.filter((guard) => guard.settings !== file);
    if (!dry_run) {
      if (after === "") this.settings.delete(file);
      else this.settings.set(file, after);
      rule.guards = remove ? others : [...others, { settings: file, remind, since: rule.added_at, in_place: true }];
    }
    const tagged = (tag: SettingsLine["tag"], text: string, other: string) =>
      text
        .split("\n")
        .filter((line) => line && !other.includes(line))
        .map((line) => ({ tag, text: line }));
    const lines = [...tagged("delete", before, after), ...tagged("insert", after, before)];
    const hashes = { from_sha256: hash(before), to_sha256: hash(after) };
    const back_test = remove ? null : guarded.back_test;
    return { ...guarded, ...hashes, dry_run, rule: this.shown(rule), settings: file, remind, lines, back_test };
  }

  /** Breaks that nobody saw yet. */
  open(): BrokenRule[] {
    return this.broken.filter(({ seen_at }) => seen_at === null);
  }

  /** A session breaks the first rule. */
  breakRule(number: number, present: boolean): void {
    const [one] = anyRecorded("broken_rules").broken;
    const what = `npm install part-${number}`;
    this.broken.unshift({ ...one!, id: `break_${number}`, what, turn: number, present, cause: present ? null : "cut" });
  }

  private see(ids: readonly string[], putBack: boolean): BrokenRule[] {
    const of = this.broken.filter(({ id }) => ids.includes(id));
    for (const one of of) one.seen_at = putBack ? null : one.found_at;
    return of;
  }

  /** Answers what the window asks about rules. */
  handlers(): Handlers {
    const listed = () => this.rules.filter((rule) => rule.removed_at === null).map(this.shown);
    const those = (broken: BrokenRule[]) => ({ broken: structuredClone(broken), total: broken.length });
    return {
      memory_rules: () => ({ rules: this.rules.map(this.shown) }),
      adherence: ({ rule = null, cases = false }) => {
        const ledger = recorded("adherence", { cases: true });
        const rules = listed().flatMap((one) => {
          const known = ledger.rules.find(({ rule_id }) => rule_id === one.rule_id);
          if (!known || (rule !== null && rule !== one.rule_id)) return [];
          return [{ ...known, guards: one.guards, cases: cases ? known.cases : [] }];
        });
        return { ...ledger, rules };
      },
      propose_rules: () => ({ rules: structuredClone(this.proposed) }),
      add_memory_rule: ({ rule, dismissed }) => {
        const fields = rule as RuleFields;
        this.proposed = this.proposed.filter(({ sentence }) => sentence !== fields.sentence);
        const { added_at } = this.rules[0]!;
        const rule_id = `rule_${this.rules.length + 1}`;
        const added = { ...fields, rule_id, added_at, removed_at: dismissed ? added_at : null, guards: [] };
        this.rules.push(added);
        return added;
      },
      list_memory_rule: ({ rule, put_back }) => {
        const found = this.rule(rule);
        found.removed_at = put_back ? null : found.added_at;
        return this.shown(found);
      },
      broken_rules: ({ seen = false }) => those(seen ? this.broken : this.open()),
      see_broken_rules: ({ broken = [], put_back = false }) => those(this.see(broken, put_back)),
      guard_rule: (request) => this.guard(request),
    };
  }
}
