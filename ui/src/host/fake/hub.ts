/** A hub in the fake: one other machine, what it recorded, and what machines ask of each other. */
import type {
  FileDiff,
  Finding,
  HubAuditRow,
  HubComment,
  HubItem,
  HubMachine,
  HubPerson,
  HubRuleLedger,
  HubSession,
  HubStore,
  HubProposal,
  HubRedaction,
  HubReview,
  HubRole,
  HubShown,
  HubStatus,
} from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import { refuse } from "./log";
import { diffTexts, fakeHash } from "./text";

type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

const AT = "2026-11-20T09:00:00Z";
const LAPTOP = "machine_laptop";
const HERE = "machine_here";

export const itemOf = (number: number, path: string, more: Partial<HubItem> = {}): HubItem => ({
  id: `memver_hub${number}`,
  machine: LAPTOP,
  machine_name: "laptop",
  store: "memstore_laptop",
  store_name: "harbour",
  project: "harbour",
  seq: number,
  memory: `mem_hub${number}`,
  path,
  content_sha256: fakeHash(path),
  content_size_bytes: 40,
  content: "kept",
  operation: "modified",
  source: "scan",
  created_at: AT,
  reviewed: false,
  comments: 0,
  ...more,
});

/** The hub of the fake. Nothing is joined at first. */
export class FakeHub {
  joined = false;
  /** Role of this machine. */
  role: HubRole = "owner";
  /** Memories of other machines that this role is not listed; the hub counts them all the same. */
  unlisted = 0;
  /** False: no hub answers, as without a network. */
  reachable = true;
  background = false;
  /** True in a window that the hub serves. */
  window = false;
  /** The provider signs people in there without a token. */
  signIn = false;
  /** The hub has a provider. */
  provider = true;
  /** Who is signed in. */
  person: HubPerson | null = null;
  /** Who entered the code at the provider. */
  entered: HubPerson | null = null;
  items: HubItem[] = [
    itemOf(1, "berths.md"),
    itemOf(2, "tides.md"),
    itemOf(3, "keys.md", { content: "not_sent", content_sha256: null }),
  ];
  /** Versions before those of the inbox. */
  earlier: HubItem[] = [];
  comments = new Map<string, HubComment[]>();
  reviews = new Map<string, HubReview[]>();
  findings = new Map<string, Finding[]>();
  audit: HubAuditRow[] = [fakeAuditRow(1)];
  proposals: HubProposal[] = [];
  redactions: HubRedaction[] = [];
  sessions: HubSession[] = [];
  rules: HubRuleLedger[] = [];
  stores: HubStore[] = [];
  machines: HubMachine[] = [
    { machine: HERE, name: "desk", role: "owner", is_this: true, skew_seconds: 0 },
    { machine: LAPTOP, name: "laptop", role: "writer", is_this: false, skew_seconds: 400 },
  ].map((machine) => ({
    ...(machine as Pick<HubMachine, "machine" | "name" | "role" | "is_this" | "skew_seconds">),
    joined_at: AT,
    seen_at: AT,
    left_at: null,
    removed_at: null,
  }));

  private status(): HubStatus {
    const { joined } = this;
    const own = this.proposals.filter(({ here, state }) => here && state === "waiting").length;
    return {
      url: joined ? "https://hub.example" : null,
      org: joined ? "org_fake" : null,
      machine: joined ? HERE : null,
      name: joined ? "desk" : null,
      role: joined ? this.role : null,
      send: "everything",
      stores: this.stores,
      ...(joined && this.person && { signed_in: this.person }),
      ...(this.window && { window: { ends_at: joined ? AT : null, sign_in: !joined && this.signIn } }),
      background: { on: this.background, last_at: null, went_well: null, problem: null, next_at: null },
      waiting: joined
        ? {
            redactions: 0,
            outstanding: this.redactions.filter(({ complete }) => !complete).length,
            to_approve: this.redactions.filter(({ state }) => state === "waiting").length,
            proposals: own,
            unreviewed: this.unreviewed().length,
            unreviewed_is_least: false,
            at: AT,
          }
        : null,
    };
  }

  private listed() {
    return { machines: this.machines, sign_in: this.provider };
  }

  private unreviewed(): HubItem[] {
    return this.items.filter(({ reviewed }) => !reviewed);
  }

  private item(name: string): HubItem {
    const found = [...this.items, ...this.earlier].find(
      ({ id, machine }) => id === name || `${id}@${machine}` === name,
    );
    return found ?? refuse("not_found", "The hub has no such version.", name);
  }

  private shown(name: string, content = false): HubShown {
    const version = this.item(name);
    return {
      version,
      text: null,
      content_base64: null,
      before: `memver_before${version.seq}`,
      comments: this.comments.get(version.id) ?? [],
      reviews: this.reviews.get(version.id) ?? [],
      findings: content ? (this.findings.get(version.id) ?? []) : [],
    };
  }

  private difference(name: string): FileDiff {
    const version = this.item(name);
    const side = (target: string) => ({
      target,
      store_id: version.store,
      version_id: target,
      path: version.path,
      content_sha256: version.content_sha256,
      content_size_bytes: 40,
      redacted: false,
    });
    const changes = diffTexts("# Berths\n- Berth 2 is open.\n", "# Berths\n- Berth 2 is closed.\n", 3, true);
    const sides = { from: side("memver_before"), to: side(version.id) };
    return { live: false, ...sides, truncated: false, binary: false, ...changes };
  }

  private proposal(id: string, change: Partial<HubProposal>): HubProposal {
    const found = this.proposals.find((proposal) => proposal.id === id);
    if (!found) return refuse("not_found", "There is no such proposal.", id);
    return Object.assign(found, change);
  }

  handlers(): Handlers {
    const all = this.answers();
    // Those of this machine's own files answer without a network.
    const here = ["hub_status", "hub_background"];
    const asked = Object.entries(all).map(([name, answer]) => [
      name,
      (request: never) =>
        this.reachable || here.includes(name)
          ? (answer as (request: never) => unknown)(request)
          : refuse("store_unavailable", "The hub cannot be reached: connection refused.", "https://hub.example"),
    ]);
    return Object.fromEntries(asked) as Handlers;
  }

  private answers(): Handlers {
    return {
      hub_status: () => this.status(),
      hub_join: ({ token = "" }) => {
        if (token === "wrong")
          refuse("key_refused", "The hub refused it: The token is unknown.", "https://hub.example");
        this.joined = true;
        return this.status();
      },
      hub_background: ({ on = false }) => {
        this.background = on;
        return this.status();
      },
      hub_sync: () => ({ stores: [], problems: [], redactions: [], proposals: [], reviews: 0, waiting: null }),
      hub_inbox: () => ({
        items: this.unreviewed(),
        next: null,
        total: this.unreviewed().length + this.unlisted,
        total_is_least: false,
      }),
      hub_show: ({ version = "", content = false }) => this.shown(version, content),
      hub_diff: ({ a = "" }) => this.difference(a),
      hub_approve: ({ versions = [] }) => {
        versions.forEach((version) => (this.item(version).reviewed = true));
        return { memories: versions.length };
      },
      hub_comment: ({ version = "", text = "" }) => {
        const item = this.item(version);
        const all = this.comments.get(item.id) ?? [];
        const comment = { number: all.length + 1, text, person: "ada", machine_name: "desk", created_at: AT };
        this.comments.set(item.id, [...all, comment]);
        item.comments = all.length + 1;
        return this.shown(version);
      },
      hub_propose: ({ kind = "rollback", version = null }) => {
        const proposal = fakeProposal(`proposal_${this.proposals.length + 1}`, { kind, to: version });
        this.proposals.unshift(proposal);
        return proposal;
      },
      hub_proposals: () => ({ proposals: [...this.proposals] }),
      hub_accept_proposal: ({ id = "" }) => this.proposal(id, { state: "done", verified: true, settled_at: AT }),
      hub_refuse_proposal: ({ id = "" }) => this.proposal(id, { state: "refused", verified: true, settled_at: AT }),
      hub_withdraw_proposal: ({ id = "" }) => this.proposal(id, { state: "withdrawn" }),
      hub_redactions: () => ({ redactions: [...this.redactions], copies: [] }),
      hub_approve_redaction: ({ id }) => {
        const found = this.redactions.find((redaction) => redaction.id === id);
        if (found) Object.assign(found, { state: "ordered", approved_by: "ada", approved_at: AT });
        return { redactions: [...this.redactions], copies: [] };
      },
      hub_history: ({ memory = "" }) => {
        const versions = this.items.filter(({ store, path }) => `${store}:${path}` === memory);
        return {
          versions: [...versions, ...this.earlier.filter(({ path }) => memory.endsWith(`:${path}`))],
          next: null,
        };
      },
      hub_remove_machine: ({ machine = "" }) => {
        this.machines = this.machines.filter((one) => one.machine !== machine);
        return this.listed();
      },
      hub_set_role: ({ machine = "", role = "writer" }) => {
        const owners = this.machines.filter((one) => one.role === "owner");
        if (role !== "owner" && owners.length === 1 && owners[0]?.machine === machine)
          refuse("invalid", "The hub refused it: The last owner stays one.", "https://hub.example");
        this.machines = this.machines.map((one) => (one.machine === machine ? { ...one, role } : one));
        if (machine === HERE) this.role = role;
        return this.listed();
      },
      hub_machines: () => this.listed(),
      hub_policy: () => ({
        two_person_redaction: true,
        retention_days: { harbour: 90 },
        transcripts: "nothing",
        required_rules: [],
      }),
      hub_leave: () => {
        this.joined = false;
        return this.status();
      },
      hub_sessions: () => ({ sessions: this.sessions, next: null }),
      hub_adherence: () => ({ rules: this.rules, sessions: this.sessions.length }),
      hub_presence: ({ memory = "" }) => ({
        memory,
        sessions: this.sessions.length,
        present: Math.min(1, this.sessions.length),
        inferred: 0,
        last_at: this.sessions.length > 0 ? AT : null,
        absent: {},
        machines: [],
      }),
      hub_share_sessions: ({ store = "", share = "nothing" }) => {
        this.stores = this.stores.map((one) => (one.store_id === store ? { ...one, share } : one));
        return this.status();
      },
      hub_sign_in: () => ({
        verification_uri: "https://login.example/device",
        verification_uri_complete: null,
        user_code: "WDJB-MJHT",
        interval_seconds: 0.01,
        expires_at: AT,
        handle: "sealed",
      }),
      hub_finish_sign_in: () => {
        if (this.entered) {
          this.person = this.entered;
          this.joined = true;
        }
        return { signed_in: this.entered, slower: false };
      },
      hub_sign_out: () => {
        this.person = null;
        return this.status();
      },
      hub_token: ({ role = "writer" }) => ({ token: "rthub_once", role: role ?? "writer", expires_at: AT }),
      hub_audit: ({ after = null, limit = 100, newest_first = false }) => {
        const rows = newest_first ? this.audit.toReversed() : this.audit;
        const from = after === null ? 0 : rows.findIndex(({ seq }) => seq === after) + 1;
        const page = rows.slice(from, from + limit);
        return { rows: page, next: from + limit < rows.length ? (page.at(-1)?.seq ?? null) : null };
      },
    };
  }
}

/** A row of the audit log: a reading that was refused. */
export function fakeAuditRow(seq: number, more: Partial<HubAuditRow> = {}): HubAuditRow {
  return {
    seq,
    at: AT,
    machine: LAPTOP,
    machine_name: "laptop",
    person: null,
    action: "show",
    subject: `memver_hub${seq}`,
    before: null,
    after: null,
    outcome: "refused",
    ...more,
  };
}

/** A proposal that waits for the laptop. */
export function fakeProposal(id: string, more: Partial<HubProposal> = {}): HubProposal {
  return {
    id,
    kind: "rollback",
    state: "waiting",
    machine: LAPTOP,
    machine_name: "laptop",
    here: false,
    store: "memstore_laptop",
    store_name: "harbour",
    path: "berths.md",
    to: null,
    at: null,
    expects: null,
    note: null,
    person: "ada",
    by_name: "desk",
    mine: true,
    created_at: AT,
    settled_at: null,
    operation_seq: null,
    reason: null,
    verified: null,
    ...more,
  };
}

/** A redaction that one of two machines carried out. */
export function fakeHubRedaction(more: Partial<HubRedaction> = {}): HubRedaction {
  const reach = { since: AT, seen_at: AT, left: false, receipt: null };
  return {
    id: "order_1",
    by: HERE,
    by_name: "desk",
    created_at: AT,
    method: "secret",
    live: true,
    reason: "A key of the harbour office",
    state: "ordered",
    approved_by: null,
    approved_at: null,
    versions: 1,
    contents: 1,
    texts: 0,
    destroyed_at: AT,
    machines: [
      { ...reach, machine: HERE, name: "desk", state: "done" },
      { ...reach, machine: LAPTOP, name: "laptop", state: "outstanding" },
    ],
    complete: false,
    ...more,
  };
}

/** A store of this machine that sends everything. */
export const fakeHubStore = (name: string): HubStore => ({
  store_id: `memstore_${name}`,
  name,
  send: "everything",
  chosen: false,
  acknowledged: 0,
  head: null,
  signed_at: null,
  accept_proposals: false,
});

/** A session that the laptop shares. */
export const fakeHubSession = (more: Partial<HubSession> = {}): HubSession => ({
  machine: LAPTOP,
  machine_name: "laptop",
  session: "one",
  agent: "claude-code",
  stores: ["harbour"],
  projects: [],
  started_at: AT,
  ended_at: AT,
  requests: 1,
  subagents: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  cost_usd: null,
  entries: 0,
  without_text: 0,
  ...more,
});

/** How the laptop's sessions fared with a rule. */
export const fakeHubRule = (more: Partial<HubRuleLedger> = {}): HubRuleLedger => ({
  rule_id: "rule_hub1",
  kind: "command_never",
  sentence: "Use pnpm, never npm.",
  source: null,
  opportunities: 0,
  followed: 0,
  broken: 0,
  broken_present: more.broken ?? 0,
  broken_absent: {},
  broken_unknown: 0,
  excepted: 0,
  predates: 0,
  undecidable: 0,
  sessions: 1,
  tokens_per_session: 0,
  last_at: AT,
  guards: [],
  by_version: [],
  cases: [],
  machines: [],
  ...more,
});
