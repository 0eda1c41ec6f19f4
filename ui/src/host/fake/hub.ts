/** A hub: one other machine, what it recorded, and what machines ask of each other, in the shapes of a recorded hub. */
import type {
  Finding,
  HubAuditRow,
  HubComment,
  HubItem,
  HubMachine,
  HubPerson,
  HubProposal,
  HubRedaction,
  HubReview,
  HubRole,
  HubRuleLedger,
  HubSession,
  HubShown,
  HubStatus,
  HubStore,
} from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import { anyRecorded, everyRecorded, recorded } from "./fixtures";
import { refuse } from "./log";

type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

const LAPTOP = "machine_laptop";
const HERE = "machine_here";
const URL = "https://hub.example";
const [OUTSIDE, JOINED] = everyRecorded("hub", "hub_status") as [HubStatus, HubStatus];
const AT = JOINED.waiting?.at ?? "";

/** A version of a memory of the laptop. */
export const itemOf = (number: number, path: string, more: Partial<HubItem> = {}): HubItem => ({
  ...anyRecorded("hub_inbox").items[0]!,
  id: `memver_hub${number}`,
  machine: LAPTOP,
  store: "memstore_laptop",
  memory: `mem_hub${number}`,
  seq: number,
  path,
  ...more,
});

/** A row of the audit log: a reading that was refused. */
export const fakeAuditRow = (seq: number, more: Partial<HubAuditRow> = {}): HubAuditRow => ({
  ...anyRecorded("hub_audit").rows[0]!,
  seq,
  machine: LAPTOP,
  machine_name: "laptop",
  action: "show",
  subject: `memver_hub${seq}`,
  outcome: "refused",
  ...more,
});

/** A proposal that waits for the laptop. */
export const fakeProposal = (id: string, more: Partial<HubProposal> = {}): HubProposal => ({
  ...anyRecorded("hub_propose"),
  id,
  machine: LAPTOP,
  ...more,
});

/** A redaction that one of two machines carried out. */
export function fakeHubRedaction(more: Partial<HubRedaction> = {}): HubRedaction {
  const reach = { since: AT, seen_at: AT, left: false, receipt: null };
  return {
    ...anyRecorded("hub_redactions").redactions[0]!,
    by: HERE,
    by_name: "desk",
    state: "ordered",
    machines: [
      { ...reach, machine: HERE, name: "desk", state: "done" },
      { ...reach, machine: LAPTOP, name: "laptop", state: "outstanding" },
    ],
    ...more,
  };
}

/** A store of this machine that sends everything. */
export const fakeHubStore = (name: string): HubStore => ({ ...JOINED.stores[0]!, store_id: `memstore_${name}`, name });

/** A session that the laptop shares. */
export const fakeHubSession = (more: Partial<HubSession> = {}): HubSession => ({
  ...anyRecorded("hub_sessions").sessions[0]!,
  ...more,
});

/** How the laptop's sessions fared with a rule. */
export const fakeHubRule = (more: Partial<HubRuleLedger> = {}): HubRuleLedger => ({
  ...anyRecorded("adherence").rules[0]!,
  broken_present: more.broken ?? 0,
  cases: [],
  machines: [],
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
  machines: HubMachine[] = anyRecorded("hub_machines").machines.map((one) =>
    one.is_this ? { ...one, machine: HERE } : { ...one, machine: LAPTOP, skew_seconds: 400 },
  );

  private status(): HubStatus {
    const { joined, stores } = this;
    const waiting = joined && {
      ...JOINED.waiting!,
      outstanding: this.redactions.filter(({ complete }) => !complete).length,
      to_approve: this.redactions.filter(({ state }) => state === "waiting").length,
      proposals: this.proposals.filter(({ here, state }) => here && state === "waiting").length,
      unreviewed: this.unreviewed().length,
    };
    return {
      ...(joined ? { ...JOINED, machine: HERE, role: this.role } : OUTSIDE),
      send: "everything",
      stores,
      ...(joined && this.person && { signed_in: this.person }),
      ...(this.window && { window: { ends_at: joined ? AT : null, sign_in: !joined && this.signIn } }),
      background: { ...OUTSIDE.background, on: this.background },
      waiting: waiting || null,
    };
  }

  private listed = () => ({ machines: this.machines, sign_in: this.provider });

  private unreviewed = () => this.items.filter(({ reviewed }) => !reviewed);

  private item(name: string): HubItem {
    const found = [...this.items, ...this.earlier].find((one) => [one.id, `${one.id}@${one.machine}`].includes(name));
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

  private proposal(id: string, change: Partial<HubProposal>): HubProposal {
    const found = this.proposals.find((proposal) => proposal.id === id);
    return Object.assign(found ?? refuse("not_found", "There is no such proposal.", id), change);
  }

  handlers(): Handlers {
    // Those of this machine's own files answer without a network.
    const here = ["hub_status", "hub_background"];
    const asked = Object.entries(this.answers()).map(([name, answer]) => [
      name,
      (request: never) =>
        this.reachable || here.includes(name)
          ? (answer as (request: never) => unknown)(request)
          : refuse("store_unavailable", "The hub cannot be reached: connection refused.", URL),
    ]);
    return Object.fromEntries(asked) as Handlers;
  }

  private answers(): Handlers {
    const settled = (state: HubProposal["state"]) => ({ state, verified: true, settled_at: AT });
    const redactions = () => ({ redactions: [...this.redactions], copies: [] });
    return {
      hub_status: () => this.status(),
      hub_join: ({ token = "" }) => {
        if (token === "wrong") recorded("hub_join", { url: URL, token: "rthub_wrong", send: "everything" });
        this.joined = true;
        return this.status();
      },
      hub_background: ({ on = false }) => {
        this.background = on;
        return this.status();
      },
      hub_inbox: () => {
        const items = this.unreviewed();
        return { items, next: null, total: items.length + this.unlisted, total_is_least: false };
      },
      hub_show: ({ version = "", content = false }) => this.shown(version, content),
      hub_diff: ({ a = "" }) => {
        const { to, ...difference } = anyRecorded("hub_diff");
        return { ...difference, to: { ...to, path: this.item(a).path } };
      },
      hub_approve: ({ versions = [] }) => {
        versions.forEach((version) => (this.item(version).reviewed = true));
        return { memories: versions.length };
      },
      hub_comment: ({ version = "", text = "" }) => {
        const item = this.item(version);
        const all = this.comments.get(item.id) ?? [];
        const [comment] = anyRecorded("hub_comment").comments;
        this.comments.set(item.id, [...all, { ...comment!, number: all.length + 1, text, removable: true }]);
        item.comments = all.length + 1;
        return this.shown(version);
      },
      hub_remove_comment: ({ number = 0 }) => {
        const [id, all] = [...this.comments].find(([, some]) => some.some((one) => one.number === number))!;
        this.comments.set(
          id,
          all.filter((one) => one.number !== number),
        );
        this.item(id).comments = all.length - 1;
        return this.shown(id);
      },
      hub_propose: ({ kind = "rollback", version = null }) => {
        const proposal = fakeProposal(`proposal_${this.proposals.length + 1}`, { kind, to: version });
        this.proposals.unshift(proposal);
        return proposal;
      },
      hub_proposals: () => ({ proposals: [...this.proposals] }),
      hub_accept_proposal: ({ id = "" }) => this.proposal(id, settled("done")),
      hub_refuse_proposal: ({ id = "" }) => this.proposal(id, settled("refused")),
      hub_withdraw_proposal: ({ id = "" }) => this.proposal(id, { state: "withdrawn" }),
      hub_redactions: redactions,
      hub_approve_redaction: ({ id }) => {
        const found = this.redactions.find((redaction) => redaction.id === id);
        if (found) Object.assign(found, { state: "ordered", approved_by: "ada", approved_at: AT });
        return redactions();
      },
      hub_recheck_redaction: ({ id }) => {
        this.redactions = this.redactions.map((one) => {
          const machines = one.machines.map((reach) => ({ ...reach, recheck: reach.state === "done" }));
          return one.id === id ? { ...one, machines } : one;
        });
        return redactions();
      },
      hub_acknowledge: ({ order }) => {
        this.redactions = this.redactions.map((one) => {
          const gone = { acknowledged_at: AT, acknowledged_by: "desk" };
          const machines = one.machines.map((reach) => (reach.left ? { ...reach, ...gone } : reach));
          return one.id === order ? { ...one, machines } : one;
        });
        return this.status();
      },
      hub_history: ({ memory = "" }) => {
        const own = this.items.filter(({ store, path }) => `${store}:${path}` === memory);
        return { versions: [...own, ...this.earlier.filter(({ path }) => memory.endsWith(`:${path}`))], next: null };
      },
      hub_remove_machine: ({ machine = "" }) => {
        this.machines = this.machines.filter((one) => one.machine !== machine);
        return this.listed();
      },
      hub_set_role: ({ machine = "", role = "writer" }) => {
        const owners = this.machines.filter((one) => one.role === "owner");
        if (role !== "owner" && owners.length === 1 && owners[0]?.machine === machine)
          refuse("invalid", "The hub refused it: The last owner stays one.", URL);
        this.machines = this.machines.map((one) => (one.machine === machine ? { ...one, role } : one));
        if (machine === HERE) this.role = role;
        return this.listed();
      },
      hub_machines: () => this.listed(),
      hub_policy: () => ({ ...anyRecorded("hub_policy"), transcripts: "nothing", retention_days: { harbour: 90 } }),
      hub_leave: () => {
        this.joined = false;
        return this.status();
      },
      hub_sessions: () => ({ sessions: this.sessions, next: null }),
      hub_adherence: () => ({ rules: this.rules, sessions: this.sessions.length }),
      hub_presence: ({ memory = "" }) => {
        const sessions = this.sessions.length;
        return { ...anyRecorded("hub_presence"), memory, sessions, present: Math.min(1, sessions), machines: [] };
      },
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
        if (this.entered) [this.person, this.joined] = [this.entered, true];
        return { signed_in: this.entered, slower: false };
      },
      hub_sign_out: () => {
        this.person = null;
        return this.status();
      },
      hub_token: ({ role = "writer" }) => ({ ...anyRecorded("hub_token"), role: role ?? "writer" }),
      hub_audit: ({ after = null, limit = 100, newest_first = false }) => {
        const rows = newest_first ? this.audit.toReversed() : this.audit;
        const from = after === null ? 0 : rows.findIndex(({ seq }) => seq === after) + 1;
        const page = rows.slice(from, from + limit);
        return { rows: page, next: from + limit < rows.length ? (page.at(-1)?.seq ?? null) : null };
      },
    };
  }
}
