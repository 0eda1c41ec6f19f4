import { verbatim } from "@/host/fake/verbatim";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Unauthorized } from "@/host";
import { fakeBackend } from "@/host/fake";
import type { Finding, HubRole } from "@/bindings";
import { activateLanguage, switchLanguage } from "@/i18n";
import {
  fakeAuditRow,
  fakeHubRedaction,
  fakeHubRule,
  fakeHubSession,
  fakeHubStore,
  fakeProposal,
  itemOf,
} from "@/host/fake/hub";
import { callsOf, openWindow, rowWith } from "./testing";

function joined(role: HubRole = "owner") {
  const fake = fakeBackend();
  fake.hub.joined = true;
  fake.hub.role = role;
  return fake;
}

/** A finding as the program gives it for a content at the hub. */
const SECRET = {
  rule: "secret/github",
  severity: "error" as const,
  path: "berths.md",
  line: 2,
  column: 3,
  end_line: 2,
  end_column: 43,
  start: 12,
  end: 52,
  message: { id: "verbatim", args: {}, text: "A key of GitHub in plain text." },
  remedy: "Redact it, then rotate it.",
} as Finding;

const ADA = {
  person: "ada@example.org",
  name: "Ada",
  issuer: "https://login.example",
  ends_at: "2026-11-26T12:00:00Z",
};

describe("the hub", () => {
  it("names what is missing, and goes to the first field of it", async () => {
    const { fake, user } = openWindow("#/hub");
    await user.click(await screen.findByTestId("hub-join-confirm"));
    const url = screen.getByTestId("hub-url");
    expect(url).toHaveFocus();
    expect(url).toHaveAccessibleDescription("Enter the address of the hub.");
    await user.type(url, "https://hub.example");
    await user.click(screen.getByTestId("hub-join-confirm"));
    expect(screen.getByTestId("hub-token")).toHaveFocus();
    expect(screen.getByTestId("hub-token")).toHaveAccessibleDescription(/one-time token/);
    expect(callsOf(fake, "hub_join").real).toHaveLength(0);
  });

  it("is joined with an address and a token, and says why where it is not", async () => {
    const { fake, user } = openWindow("#/hub");
    await user.type(await screen.findByTestId("hub-url"), "https://hub.example");
    await user.type(screen.getByTestId("hub-token"), "wrong");
    await user.click(screen.getByTestId("hub-join-confirm"));
    expect(await screen.findByTestId("failure")).toHaveTextContent("The token is unknown, was used, or is too old.");
    await user.clear(screen.getByTestId("hub-token"));
    await user.type(screen.getByTestId("hub-token"), "right");
    await user.click(screen.getByTestId("hub-join-confirm"));
    expect(await screen.findByTestId("hub-total")).toHaveTextContent("3 unreviewed memories");
    expect(callsOf(fake, "hub_join").real.at(-1)).toMatchObject({ token: "right", send: "everything" });
  });

  it("names what the hub lost of what was said here, and opens what it was about", async () => {
    const fake = joined();
    const made = { at: "2026-11-20T10:00:00Z", found_at: "2026-11-26T12:00:00Z" };
    fake.answer("hub_status", (_, usual) => ({
      ...usual(),
      lost: [
        { kind: "comment" as const, about: "memver_hub2@machine_laptop", ...made },
        { kind: "proposal" as const, about: "memstore_laptop", ...made },
      ],
    }));
    const { user } = openWindow("#/hub", fake);
    const notice = await screen.findByTestId("hub-lost");
    expect(notice).toHaveTextContent("The hub lost 2 things that were said on this machine.");
    const [comment, proposal] = within(notice).getAllByTestId("hub-lost-row");
    expect(proposal).toHaveTextContent(/Proposal of .*memstore_laptop/);
    expect(within(proposal!).queryByTestId("hub-lost-open")).toBeNull();
    await user.click(within(comment!).getByTestId("hub-lost-open"));
    await waitFor(() => expect(window.location.hash).toContain("memver_hub2"));
  });

  it("says that the hub was put back, what was done here since, and has an owner acknowledge it", async () => {
    const fake = joined();
    const restored = {
      kept_until: "2026-11-20T10:00:00Z",
      lost_until: "2026-11-26T11:00:00Z",
      found_at: "2026-11-26T12:00:00Z",
      tokens: 1,
    };
    const act = { at: "2026-11-21T10:00:00Z", found_at: restored.found_at };
    fake.answer("hub_status", (_, usual) => {
      const { waiting, ...status } = usual();
      const acknowledged = callsOf(fake, "hub_acknowledge").real.length > 0;
      return {
        ...status,
        waiting: { ...waiting!, restored: acknowledged ? undefined : restored },
        acts_lost: [
          { kind: "machine" as const, about: "machine_old", again: true, ...act },
          { kind: "role" as const, about: "machine_laptop", value: "auditor", again: false, ...act },
          { kind: "role" as const, about: "machine_x", value: "constructor", again: false, ...act },
        ],
      };
    });
    const { user } = openWindow("#/hub", fake);
    const notice = await screen.findByTestId("hub-restored");
    expect(notice).toHaveTextContent("Access that was taken since may be open again");
    expect(notice).toHaveTextContent("1 one-time token was ended.");
    const rows = screen.getAllByTestId("hub-act-lost-row");
    expect(rows[0]).toHaveTextContent("machine_old was removed again.");
    expect(rows[1]).toHaveTextContent("machine_laptop had been given the role auditor.");
    expect(rows[2]).toHaveTextContent("machine_x had been given the role constructor.");
    await user.click(within(notice).getByTestId("hub-acknowledge"));
    await waitFor(() => expect(screen.queryByTestId("hub-restored")).toBeNull());
    expect(callsOf(fake, "hub_acknowledge").real).toEqual([{}]);
  });

  it("goes on without machines that are gone, where an owner says so", async () => {
    const fake = joined();
    const made = fakeHubRedaction({});
    const machines = made.machines.map((reach) =>
      reach.state === "done" ? reach : { ...reach, left: true, removed: true },
    );
    fake.hub.redactions = [{ ...made, machines }];
    const { user } = openWindow("#/hub?view=redactions", fake);
    expect(await screen.findByText("removed: out of reach")).toBeInTheDocument();
    await user.click(screen.getByTestId("acknowledge-redaction"));
    expect(await screen.findByTestId("reach-acknowledged")).toHaveTextContent("acknowledged by desk");
    expect(screen.queryByTestId("acknowledge-redaction")).toBeNull();
  });

  it("shows one change after the other by keys, and approves it", async () => {
    const { fake, user } = openWindow("#/hub", joined());
    await rowWith("hub-item", "berths.md");
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("Berth 2 is closed."));
    await user.keyboard("j");
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("tides.md"));
    await user.keyboard("a");
    await waitFor(() => expect(screen.getByTestId("hub-total")).toHaveTextContent("2 unreviewed memories"));
    expect(callsOf(fake, "hub_approve").real).toEqual([{ versions: ["memver_hub2@machine_laptop"] }]);
  });

  it("says that the content of a machine that sends none is not there", async () => {
    openWindow("#/hub?version=memver_hub3@machine_laptop", joined());
    expect(await screen.findByText("Its machine sends paths and hashes only.")).toBeInTheDocument();
  });

  it("keeps comments, and proposes a rollback that can be withdrawn", async () => {
    const { fake, user } = openWindow("#/hub", joined());
    await user.type(await screen.findByTestId("hub-comment-text"), "Is that so?");
    await user.click(screen.getByTestId("hub-comment-send"));
    expect(await screen.findByTestId("hub-comment")).toHaveTextContent("Is that so?");
    await user.click(await screen.findByTestId("hub-comment-remove"));
    await waitFor(() => expect(screen.queryByTestId("hub-comment")).toBeNull());
    await user.click(await screen.findByTestId("hub-propose-rollback"));
    await user.click(await screen.findByRole("button", { name: "Withdraw" }));
    await waitFor(() => expect(fake.hub.proposals[0]?.state).toBe("withdrawn"));
  });

  it("carries out a proposal for this machine", async () => {
    const fake = joined();
    fake.hub.proposals = [fakeProposal("proposal_1", { here: true })];
    const { user } = openWindow("#/hub?view=proposals", fake);
    await user.click(await screen.findByTestId("proposal-accept"));
    await waitFor(() => expect(screen.getByTestId("proposal")).toHaveAttribute("data-state", "done"));
    expect(screen.queryByTestId("proposal-accept")).toBeNull();
  });

  it("shows how far a redaction reached, and is its second person", async () => {
    const fake = joined();
    fake.hub.redactions = [fakeHubRedaction({ state: "waiting", by: "machine_laptop", by_name: "laptop" })];
    const { user } = openWindow("#/hub?view=redactions", fake);
    const redaction = await screen.findByTestId("hub-redaction");
    expect(redaction).toHaveTextContent("1 of 2 machines");
    expect(
      within(redaction)
        .getAllByTestId("reach")
        .map((one) => one.dataset.state),
    ).toEqual(["done", "outstanding"]);
    await user.click(screen.getByTestId("approve-redaction"));
    await waitFor(() => expect(screen.queryByTestId("approve-redaction")).toBeNull());
  });

  it("has machines look again at what a redaction left there", async () => {
    const fake = joined();
    const made = fakeHubRedaction({});
    const receipt = {
      verified: true,
      created_at: "2026-11-01T00:00:00Z",
      versions: 1,
      live_files: 0,
      purge: "done",
      places_left: 2,
      receipts: ["receipt_1"],
      reason: null,
      body: "{}",
      signature: "",
      public_key: "",
    };
    const machines = made.machines.map((reach) => (reach.state === "done" ? { ...reach, receipt } : reach));
    fake.hub.redactions = [{ ...made, machines }];
    const { user } = openWindow("#/hub?view=redactions", fake);
    expect(await screen.findByTestId("places-left")).toHaveTextContent("2 places left");
    await user.click(screen.getByTestId("recheck-redaction"));
    expect(await screen.findByText("looks again at its next sync")).toBeInTheDocument();
    expect(screen.queryByTestId("recheck-redaction")).toBeNull();
  });

  it("names a machine of which a copy was refused", async () => {
    const fake = joined();
    const copy = { at: "2026-11-01T00:00:00Z", store: "memstore_laptop", store_name: "harbour", seq: 4 };
    fake.hub.machines = fake.hub.machines.map((machine) => (machine.is_this ? machine : { ...machine, copy }));
    openWindow("#/hub?view=machines", fake);
    expect(await screen.findByTestId("hub-refused-copy")).toHaveTextContent("from version 4 of harbour on");
  });

  it("lists machines and makes a token that is shown once", async () => {
    const { user } = openWindow("#/hub?view=machines", joined());
    expect(await screen.findAllByTestId("hub-machine")).toHaveLength(2);
    await user.click(screen.getByTestId("hub-make-token"));
    expect(await screen.findByTestId("hub-made-token")).toHaveTextContent("rthub_once");
  });

  it("goes on with the next change after an approval, and with the one before after the last", async () => {
    const { user } = openWindow("#/hub?version=memver_hub2@machine_laptop", joined());
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("tides.md"));
    await user.keyboard("a");
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("keys.md"));
    await user.keyboard("a");
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("berths.md"));
    await user.keyboard("a");
    expect(await screen.findByText("Everything is reviewed")).toBeInTheDocument();
  });

  it("walks by arrows, comments and proposes by keys, and lists them", async () => {
    const { fake, user } = openWindow("#/hub", joined());
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("berths.md"));
    await screen.findByTestId("hub-propose-rollback");
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("tides.md"));
    await screen.findByTestId("hub-propose-rollback");
    await user.keyboard("x");
    await waitFor(() => expect(fake.hub.proposals).toHaveLength(1));
    await user.keyboard("c");
    expect(screen.getByTestId("hub-comment-text")).toHaveFocus();
    await user.keyboard("Why?{Enter}");
    expect(await screen.findByTestId("hub-comment")).toHaveTextContent("Why?");
    screen.getByTestId("hub-comment-text").blur();
    await user.keyboard("?");
    expect(await screen.findByTestId("key-help")).toHaveTextContent("Propose rolling back");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByTestId("key-help")).toBeNull());
  });

  it("says what the rules find in a content, beside it and then on its row", async () => {
    const fake = joined();
    fake.hub.findings.set("memver_hub1", [SECRET]);
    openWindow("#/hub", fake);
    expect(await screen.findByTestId("hub-finding")).toHaveTextContent("A key of GitHub in plain text.");
    expect(await rowWith("hub-item", "berths.md")).toHaveTextContent(/berths\.md.*GitHub/i);
    // A reading is noted in the audit log: rows that were not opened are not read.
    expect(callsOf(fake, "hub_show").real.map(({ version }) => version)).toEqual(["memver_hub1@machine_laptop"]);
  });

  it("offers a writer no act of a reviewer, and says why where it would be", async () => {
    const fake = joined("writer");
    const { user } = openWindow("#/hub", fake);
    const pane = await screen.findByTestId("hub-pane");
    expect(await within(pane).findByText(/Your role is writer: owners and reviewers approve/)).toBeInTheDocument();
    expect(await within(pane).findByText(/owners and reviewers read contents/)).toBeInTheDocument();
    for (const id of ["hub-approve", "hub-propose-rollback", "hub-comment-text"])
      expect(screen.queryByTestId(id)).toBeNull();
    await user.keyboard("a");
    const message = await screen.findByRole("alertdialog");
    expect(message).toHaveTextContent("Your role is writer: owners and reviewers approve");
    expect(callsOf(fake, "hub_approve").real).toEqual([]);
    expect(callsOf(fake, "hub_diff").real).toEqual([]);
    expect(callsOf(fake, "hub_show").real.every(({ content }) => content === false)).toBe(true);
  });

  it.each([
    ["audit", "reviewer", "audit"],
    ["audit", "writer", "audit"],
    ["machines", "reviewer", "administer"],
    ["machines", "auditor", "administer"],
    ["redactions", "auditor", "review"],
    ["proposals", "auditor", "send"],
  ] as const)("says on %s why a %s is not offered what needs to %s", async (view, role, right) => {
    const fake = joined(role);
    fake.hub.redactions = [fakeHubRedaction({ state: "waiting", by: "machine_laptop" })];
    fake.hub.proposals = [fakeProposal("proposal_1", { here: true, mine: false })];
    openWindow(`#/hub?view=${view}`, fake);
    await waitFor(() => {
      const lines = screen.getAllByTestId("why-not").map(({ dataset }) => dataset.right);
      expect(lines).toContain(right);
    });
    for (const id of ["approve-redaction", "hub-make-token", "proposal-accept", "audit-row"])
      expect(screen.queryByTestId(id)).toBeNull();
  });

  it("counts on the inbox what it lists, where a role sees its own machine alone", async () => {
    const fake = joined("writer");
    fake.hub.items = fake.hub.items.slice(0, 1);
    fake.hub.unlisted = 4;
    openWindow("#/hub", fake);
    expect(await screen.findByTestId("hub-total")).toHaveTextContent("1 unreviewed memory");
  });

  it("names what a redaction leaves at the hub, and looks there again", async () => {
    const fake = joined();
    const message = verbatim("It stands in the hub's audit log.");
    const left = [{ place: "audit", rows: 2, numbers: [4, 9], message, hint: verbatim("Have these rows masked.") }];
    fake.hub.redactions = [fakeHubRedaction({ left })];
    const { user } = openWindow("#/hub?view=redactions", fake);
    const said = await screen.findByTestId("redaction-left");
    expect(said).toHaveTextContent("It stands in the hub's audit log. Have these rows masked.");
    await user.click(screen.getByTestId("recheck-redaction"));
    await waitFor(() => expect(callsOf(fake, "hub_recheck_redaction").real).toHaveLength(1));
  });

  it("says that a redaction waits which no machine was asked for yet", async () => {
    const fake = joined();
    fake.hub.redactions = [fakeHubRedaction({ state: "waiting", machines: [] })];
    openWindow("#/hub?view=redactions", fake);
    expect(await screen.findByTestId("hub-redaction")).toHaveTextContent("waiting");
    expect(screen.getByTestId("hub-redaction")).not.toHaveTextContent("0 of 0");
  });

  it("signs a person in with a code that is entered elsewhere, and out again", async () => {
    const { fake, user } = openWindow("#/hub?view=machines", joined());
    await user.click(await screen.findByTestId("hub-sign-in"));
    const code = await screen.findByTestId("hub-sign-in-code");
    expect(code).toHaveTextContent("https://login.example/device");
    expect(code).toHaveTextContent("WDJB-MJHT");
    fake.hub.entered = ADA;
    await waitFor(() => expect(screen.getByTestId("hub-person")).toHaveTextContent("Ada (ada@example.org)"));
    await user.click(screen.getByTestId("hub-sign-out"));
    await waitFor(() => expect(screen.getByTestId("hub-person")).toHaveTextContent("Nobody is signed in"));
  });

  it("offers no signing in where the hub has no provider", async () => {
    const fake = joined();
    fake.hub.provider = false;
    openWindow("#/hub?view=machines", fake);
    expect(await screen.findAllByTestId("hub-machine")).toHaveLength(2);
    expect(screen.getByTestId("hub-person")).toHaveTextContent("Nobody is signed in");
    expect(screen.queryByTestId("hub-sign-in")).toBeNull();
  });

  it("gives a machine another role after saying what follows, and takes it back", async () => {
    const fake = joined();
    const { user } = openWindow("#/hub?view=machines", fake);
    const row = await rowWith("hub-machine", "laptop");
    await user.click(within(row).getByRole("button", { name: "Change the role of laptop" }));
    const sheet = await screen.findByTestId("hub-role-sheet");
    expect(screen.getByTestId("hub-role-confirm")).toBeDisabled();
    await user.click(within(sheet).getByRole("radio", { name: "auditor" }));
    expect(screen.getByTestId("hub-role-means")).toHaveTextContent("redactions of others stay outstanding there");
    expect(callsOf(fake, "hub_set_role").real).toEqual([]);
    await user.click(screen.getByTestId("hub-role-confirm"));
    expect(await rowWith("hub-machine", "laptop")).toHaveTextContent("auditor");
    await waitFor(() => expect(screen.queryByTestId("hub-role-sheet")).toBeNull());
    await user.click(await screen.findByTestId("toast-action"));
    await waitFor(async () => expect(await rowWith("hub-machine", "laptop")).toHaveTextContent("writer"));
    expect(callsOf(fake, "hub_set_role").real.map(({ role }) => role)).toEqual(["auditor", "writer"]);
  });

  it("says why a role is not given, and that who gives up being an owner does not get it back here", async () => {
    const fake = joined();
    const { user } = openWindow("#/hub?view=machines", fake);
    const change = async () => {
      await user.click(within(await rowWith("hub-machine", "desk")).getByTestId("hub-role-change"));
      const sheet = await screen.findByTestId("hub-role-sheet");
      await user.click(within(sheet).getByRole("radio", { name: "reviewer" }));
      expect(screen.getByTestId("hub-role-own")).toHaveTextContent("only another owner");
      await user.click(screen.getByTestId("hub-role-confirm"));
    };
    await change();
    expect(await screen.findByTestId("failure")).toHaveTextContent("The last owner stays one.");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByTestId("hub-role-sheet")).toBeNull());
    fake.hub.machines[1]!.role = "owner";
    await change();
    await waitFor(() => expect(screen.queryByTestId("hub-role-change")).toBeNull());
    expect(await screen.findByTestId("why-not")).toHaveTextContent("Your role is reviewer");
  });

  it.each(["reviewer", "writer", "auditor"] as const)("does not show a %s the way to another role", async (role) => {
    openWindow("#/hub?view=machines", joined(role));
    expect(await screen.findAllByTestId("hub-machine")).toHaveLength(2);
    expect(screen.queryByTestId("hub-role-change")).toBeNull();
  });

  it("gives no role to a machine that left", async () => {
    const fake = joined();
    fake.hub.machines[1]!.left_at = "2026-11-21T09:00:00Z";
    openWindow("#/hub?view=machines", fake);
    expect(within(await rowWith("hub-machine", "laptop")).queryByTestId("hub-role-change")).toBeNull();
    expect(within(await rowWith("hub-machine", "desk")).getByTestId("hub-role-change")).toBeEnabled();
  });

  it("counts persons and not machines for a second approval where people sign in", async () => {
    const fake = joined();
    fake.hub.person = ADA;
    fake.hub.redactions = [
      fakeHubRedaction({ state: "waiting", by: "machine_here", first_person: "grace@example.org" }),
    ];
    const { user } = openWindow("#/hub?view=redactions", fake);
    await user.click(await screen.findByTestId("approve-redaction"));
    expect(callsOf(fake, "hub_approve_redaction").real).toHaveLength(1);
  });

  it("does not let the person who redacted approve on another machine", async () => {
    const fake = joined();
    fake.hub.person = ADA;
    fake.hub.redactions = [fakeHubRedaction({ state: "waiting", by: "machine_laptop", first_person: ADA.person })];
    openWindow("#/hub?view=redactions", fake);
    expect(await screen.findByTestId("second-elsewhere")).toHaveTextContent("is not you");
  });

  it("shares sessions of a store, and lists those of all machines with how rules fared", async () => {
    const fake = joined();
    fake.hub.stores = [fakeHubStore("notes")];
    const { user } = openWindow("#/hub?view=sessions", fake);
    const share = await screen.findByTestId("hub-share");
    expect(await screen.findByText("No shared session had a rule.")).toBeInTheDocument();
    expect(await screen.findByText("No machine shares sessions")).toBeInTheDocument();
    fake.hub.sessions = [fakeHubSession({ projects: ["webshop"], requests: 12, cost_usd: 1.5 })];
    fake.hub.rules = [fakeHubRule({ sentence: "Use pnpm, never npm.", opportunities: 7, followed: 5, broken: 2 })];
    await user.click(within(share).getByRole("radio", { name: "summary" }));
    await waitFor(() =>
      expect(callsOf(fake, "hub_share_sessions").real).toEqual([{ store: "memstore_notes", share: "summary" }]),
    );
    expect(await screen.findByTestId("hub-session")).toHaveTextContent(/webshop.*12 requests.*\$1\.50/);
    const rule = await screen.findByTestId("hub-rule");
    expect(rule).toHaveTextContent("Use pnpm, never npm.");
    expect(
      within(rule)
        .getAllByRole("cell")
        .map(({ textContent }) => textContent),
    ).toEqual(["1", "7", "5", "2", "2"]);
  });

  it("says in how many shared sessions a memory was before a model", async () => {
    const fake = joined();
    fake.hub.sessions = [fakeHubSession(), fakeHubSession({ session: "two" })];
    openWindow("#/hub", fake);
    expect(await screen.findByTestId("hub-presence")).toHaveTextContent("Before a model in 1 of 2 shared sessions.");
  });

  it("does not let the machine that redacted be the second person", async () => {
    const fake = joined();
    fake.hub.redactions = [fakeHubRedaction({ state: "waiting" })];
    openWindow("#/hub?view=redactions", fake);
    expect(await screen.findByTestId("second-elsewhere")).toHaveTextContent("another machine");
    expect(screen.queryByTestId("approve-redaction")).toBeNull();
  });

  it("says where a proposal of another machine is answered, and offers to withdraw its own alone", async () => {
    const fake = joined();
    fake.hub.proposals = [fakeProposal("proposal_1", { mine: false }), fakeProposal("proposal_2")];
    openWindow("#/hub?view=proposals", fake);
    expect(await screen.findAllByTestId("proposal")).toHaveLength(2);
    expect(screen.getByTestId("proposal-elsewhere")).toHaveTextContent("answered on laptop");
    expect(screen.getAllByTestId("proposal-withdraw")).toHaveLength(1);
  });

  it.each(["inbox", "proposals", "redactions", "machines", "audit"])(
    "says on %s that no hub answers, and asks again",
    async (view) => {
      const fake = joined();
      fake.hub.reachable = false;
      const { user } = openWindow(`#/hub?view=${view}`, fake);
      expect(await screen.findByTestId("failure")).toHaveTextContent(/cannot be reached.*goes on recording/);
      fake.hub.reachable = true;
      await user.click(screen.getByRole("button", { name: "Try again" }));
      await waitFor(() => expect(screen.queryByTestId("failure")).toBeNull());
    },
  );

  it.each([
    ["proposals", "No proposals"],
    ["redactions", "No redactions"],
    ["audit", "The audit log is empty"],
  ])("says what would be on %s where there is nothing", async (view, title) => {
    const fake = joined();
    fake.hub.audit = [];
    openWindow(`#/hub?view=${view}`, fake);
    expect(await screen.findByText(title)).toBeInTheDocument();
  });

  it("lists the audit log newest first, page after page", async () => {
    const fake = joined();
    fake.hub.audit = Array.from({ length: 450 }, (_, at) => fakeAuditRow(at + 1));
    openWindow("#/hub?view=audit", fake);
    const rows = await screen.findAllByTestId("audit-row");
    expect(rows[0]).toHaveTextContent("memver_hub450");
    expect(callsOf(fake, "hub_audit").real[0]).toEqual({ limit: 200, newest_first: true });
    fireEvent.scroll(screen.getByRole("group", { name: "Audit log" }));
    await waitFor(() => expect(callsOf(fake, "hub_audit").real).toHaveLength(2));
    expect(callsOf(fake, "hub_audit").real[1]).toMatchObject({ after: 251 });
  });

  it("lists what was done and refused", async () => {
    openWindow("#/hub?view=audit", joined());
    expect(await screen.findByTestId("audit-row")).toHaveAttribute("data-outcome", "refused");
  });
});

describe("a memory at the hub", () => {
  it("opens to what each earlier version changed", async () => {
    const fake = joined();
    fake.hub.earlier = [itemOf(9, "berths.md", { reviewed: true, machine: "machine_here", machine_name: "desk" })];
    const { user } = openWindow("#/hub", fake);
    const version = await rowWith("hub-version", "desk");
    expect(version).toHaveTextContent("reviewed");
    expect(within(version).queryByText(/Berth 2 is closed/)).toBeNull();
    await user.click(within(version).getByTestId("hub-version-open"));
    await waitFor(() => expect(version).toHaveTextContent("Berth 2 is closed."));
    expect(within(version).getByTestId("hub-version-open")).toHaveAttribute("aria-expanded", "true");
  });
});

/** A window that a hub serves, over the fake. */
function served(role: HubRole | null = "reviewer") {
  const fake = fakeBackend(undefined, { kind: "browser", ofHub: true });
  fake.hub.window = true;
  fake.hub.joined = role !== null;
  if (role) fake.hub.role = role;
  return fake;
}

describe("the window of a hub", () => {
  it("is signed in to with a name and a token, and shows the hub alone", async () => {
    const { fake, user } = openWindow("#/memories", served(null));
    await user.type(await screen.findByTestId("window-name"), "Ann");
    await user.type(screen.getByTestId("window-token"), "wrong");
    await user.click(screen.getByTestId("window-sign-in"));
    expect(await screen.findByTestId("failure")).toHaveTextContent("The token is unknown, was used, or is too old.");
    await user.clear(screen.getByTestId("window-token"));
    await user.type(screen.getByTestId("window-token"), "right");
    await user.click(screen.getByTestId("window-sign-in"));
    expect(await screen.findByTestId("hub-total")).toHaveTextContent("3 unreviewed memories");
    expect(callsOf(fake, "hub_join").real.at(-1)).toMatchObject({ token: "right", name: "Ann" });
    expect(screen.queryByTestId("nav-memories")).toBeNull();
    expect(screen.queryByTestId("hub-sync")).toBeNull();
    // It asks for nothing that needs a machine.
    expect(fake.calls.map(({ name }) => name).filter((name) => !name.startsWith("hub_"))).toEqual([]);
  });

  it("signs in at the provider only where that is offered", async () => {
    const none = openWindow("", served(null));
    await screen.findByTestId("window-token");
    expect(screen.queryByTestId("window-at-provider")).toBeNull();
    none.view.unmount();
    const fake = served(null);
    fake.hub.signIn = true;
    const { user } = openWindow("", fake);
    await user.click(await screen.findByTestId("window-at-provider"));
    expect(await screen.findByTestId("hub-sign-in-code")).toHaveTextContent("WDJB-MJHT");
    fake.hub.entered = ADA;
    expect(await screen.findByTestId("hub-who")).toHaveTextContent("Ada");
    expect(await screen.findByTestId("hub-pane")).toHaveTextContent("berths.md");
  });

  it("keeps nothing of who signed out", async () => {
    const { fake, user } = openWindow("", served());
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("Berth 2 is closed."));
    await user.click(screen.getByTestId("hub-close"));
    expect(await screen.findByTestId("window-sign-in-page")).toBeInTheDocument();
    const before = callsOf(fake, "hub_inbox").real.length;
    await user.type(screen.getByTestId("window-name"), "Ben");
    await user.type(screen.getByTestId("window-token"), "right");
    await user.click(screen.getByTestId("window-sign-in"));
    await screen.findByTestId("hub-total");
    expect(callsOf(fake, "hub_inbox").real.length).toBeGreaterThan(before);
  });

  it("says the policy in the language of the window", async () => {
    openWindow("#/hub?view=machines", served("owner"));
    await waitFor(() => expect(screen.getByTestId("hub-policy")).toHaveTextContent("nothing"));
    await act(() => switchLanguage("ko"));
    await waitFor(() => expect(screen.getByTestId("hub-policy")).not.toHaveTextContent(/nothing/));
    act(activateLanguage);
  });

  it("shows machines and the policy, and what its role does not give", async () => {
    const fake = served("auditor");
    fake.hub.machines.push({
      ...fake.hub.machines[1]!,
      machine: "machine_window",
      name: "browser of Ann",
      is_this: true,
      skew_seconds: 0,
      window_ends_at: "2026-11-27T09:00:00Z",
    });
    fake.hub.machines[0]!.is_this = false;
    const { user } = openWindow("#/hub?view=machines", fake);
    expect(await rowWith("hub-machine", "browser of Ann")).toHaveTextContent("this window");
    expect(await screen.findByTestId("hub-policy")).toHaveTextContent("harbour: 90 days");
    expect(screen.queryByTestId("hub-make-token")).toBeNull();
    expect(screen.getByTestId("hub-role")).toHaveTextContent("auditor");
    await user.keyboard("?");
    expect(await screen.findByTestId("key-help")).toHaveTextContent("All keys");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByTestId("key-help")).toBeNull());
  });

  it("gives the window of somebody else another role and ends it, for an owner", async () => {
    const fake = served("owner");
    const window = { ...fake.hub.machines[1]!, machine: "machine_window", name: "browser of Eve" };
    fake.hub.machines.push({ ...window, window_ends_at: "2026-11-27T09:00:00Z" });
    const { user } = openWindow("#/hub?view=machines", fake);
    await rowWith("hub-machine", "browser of Eve");
    await user.click(within(await rowWith("hub-machine", "browser of Eve")).getByTestId("hub-role-change"));
    await user.click(within(await screen.findByTestId("hub-role-sheet")).getByRole("radio", { name: "auditor" }));
    expect(screen.getByTestId("hub-role-means")).toHaveTextContent(/^It shows paths and times/);
    await user.click(screen.getByTestId("hub-role-confirm"));
    expect(await rowWith("hub-machine", "browser of Eve")).toHaveTextContent("auditor");
    await user.click(screen.getByTestId("hub-end-window"));
    await waitFor(() => expect(screen.queryByText("browser of Eve")).toBeNull());
  });

  it("goes back to the first page once the hub does not know it any more", async () => {
    const fake = served();
    const { user } = openWindow("", fake);
    await screen.findByTestId("hub-pane");
    fake.hub.joined = false;
    fake.failNext("hub_comment", new Unauthorized());
    await user.type(screen.getByTestId("hub-comment-text"), "Is that so?");
    await user.click(screen.getByTestId("hub-comment-send"));
    expect(await screen.findByTestId("window-sign-in-page")).toBeInTheDocument();
  });
});
