/** The inbox: what agents wrote is reviewed one change after the other, by keyboard alone, and nothing is lost on the way. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CHANGED_CONVENTIONS, SECRET, WEBSHOP } from "../harness/memories.mjs";
import { runRetrace } from "../harness/programs.mjs";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";

const INDEX = `${WEBSHOP["MEMORY.md"]}- [Search](search.md) — how it ranks\n`;
const SEARCH = "# Search\n\n- Titles weigh three times as much as texts.\n";
const LATER_TESTING = `${WEBSHOP["testing.md"]}- Snapshots are written by hand.\n`;
const WEBHOOKS = WEBSHOP["payment-webhooks.md"].replace("until the launch", "until December");

const holds = (path, text) => until(`${path} to hold what was wanted`, () => readFileSync(path, "utf8") === text, () => readFileSync(path, "utf8"));

/** Head of the list and its rows say the same, and the badge as much as needs a person; with `count` they say that. */
async function badgeEqualsRows(app, count) {
  await until(
    `badge = total = rows${count === undefined ? "" : ` = ${count}`}`,
    async () => {
      const [badge, total, rows] = await numbers(app);
      return badge === total && total === rows && (count === undefined || rows === count);
    },
    () => numbers(app),
  );
}

function numbers(app) {
  return app.driver.run(() => {
    const badge = Number(document.querySelector('[data-testid="nav-inbox"] [data-testid="screen-count"]')?.textContent ?? "0");
    const total = Number(document.querySelector('[data-testid="inbox-total"]')?.dataset.total);
    const needs = document.querySelector('[data-testid="inbox-section"][data-part="needs"]');
    // The badge is of all stores and kinds.
    const isWhole = !/[?&](kind|store)=/.test(window.location.hash);
    return [isWhole && badge !== Number(needs?.dataset.rows ?? "0") ? -1 : total, total, document.querySelectorAll('[data-testid="inbox-row"]').length];
  });
}

/** Writes a file as an agent does, and waits until the inbox shows it. */
async function arrives(app, machine, name, text) {
  machine.write(join(machine.webshop, name), text);
  await app.see("inbox-row", name);
}

/** Confirms an approval of several once it says what it comes to. */
async function approvesSeveral(app, ask) {
  await ask();
  await app.see("approve-direction");
  await until("the button to have the focus", () => app.holdsFocus("approve-several"));
  await app.press("Enter");
  await app.gone("approve-sheet");
}

/** Asks for everything up to the chosen change, in the menu of its row. */
async function asksUpToHere(app) {
  await app.click("more-for-item");
  await app.click("review-up-to");
  await app.see("approve-sheet");
}

async function openInbox({ app }) {
  await firstRun(app);
  await app.press("g", "i");
  await app.see("inbox-empty");
}

async function theWholeLoop({ app, machine }) {
  const file = (name) => join(machine.webshop, name);
  await openInbox({ app });
  await arrives(app, machine, "payment-webhooks.md", WEBHOOKS);
  await app.see("item-title", "payment-webhooks.md");
  await arrives(app, machine, "checkout-conventions.md", CHANGED_CONVENTIONS);
  await arrives(app, machine, "MEMORY.md", INDEX);
  await arrives(app, machine, "search.md", SEARCH);
  await arrives(app, machine, "testing.md", LATER_TESTING);
  await badgeEqualsRows(app, 5);
  assert.equal(await app.see("item-title"), "payment-webhooks.md", "what arrives does not take the place of what is chosen");

  // Two are approved.
  await app.press("k", "k", "k", "k");
  await app.see("item-title", "testing.md");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "Snapshots are written by hand");
  await app.press("a");
  await app.see("toast", "Approved: testing.md");
  await app.see("item-title", "search.md");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "Titles weigh");
  await app.press("a");
  await app.see("toast", "Approved: search.md");
  await badgeEqualsRows(app, 3);

  // One gets another text.
  await app.see("item-title", "MEMORY.md");
  await app.press("e");
  await until("the editor to have the keyboard", () =>
    app.driver.run(() => document.querySelector('[data-testid="editor"]')?.shadowRoot?.activeElement?.isContentEditable ?? false),
  );
  await app.press("D", "r", "a", "f", "t");
  assert.equal(await app.count("inbox-row"), 3, "letters go into the text");
  await app.press("Control+Enter");
  await app.see("toast", "Edited and approved: MEMORY.md");
  await holds(file("MEMORY.md"), `Draft${INDEX}`);
  await badgeEqualsRows(app, 2);

  // One is rejected: the file is as it was.
  await app.see("item-title", "checkout-conventions.md");
  await app.press("x");
  await app.see("toast", "Rolled back: checkout-conventions.md");
  await holds(file("checkout-conventions.md"), WEBSHOP["checkout-conventions.md"]);
  await badgeEqualsRows(app, 1);

  // One is redacted.
  await app.see("item-title", "payment-webhooks.md");
  await app.press("r");
  await app.tabTo("redact-find");
  await app.press("Enter");
  await app.see("match", "payment-webhooks.md");
  await app.tabTo("redact-places");
  await app.press("Enter");
  await app.tabTo("redact-confirm");
  await app.press("Enter");
  await app.see("receipt");

  // Everything else is taken back, the newest first.
  await app.press("g", "i");
  await app.see("undo-review");
  await app.press("u");
  await holds(file("checkout-conventions.md"), CHANGED_CONVENTIONS);
  await app.see("inbox-row", "checkout-conventions.md");
  await app.press("u");
  await holds(file("MEMORY.md"), INDEX);
  await app.see("inbox-row", "MEMORY.md");
  await app.press("u");
  await app.see("inbox-row", "search.md");
  await app.press("u");
  await app.see("inbox-row", "testing.md");
  await badgeEqualsRows(app);

  // And all at once, and back.
  const before = await app.count("inbox-row");
  await app.press("Shift+A");
  await app.gone("inbox-row", "testing.md");
  await app.press("u");
  await app.see("inbox-row", "testing.md");
  await badgeEqualsRows(app, before);
  await app.press("?");
  await app.see("key-help", "Approve everything that is routine");
  assert.ok(!(await app.see("key-help")).includes("Reviewed up to here"), "what concerns everything before a change has no key");
  await app.press("Escape");
  await app.gone("key-help");
  assert.ok(!(await runRetrace(machine, "verify")).printed[0].problems.length);
}

async function aStaleItem({ app, machine }) {
  await openInbox({ app });
  const name = "checkout-conventions.md";
  await arrives(app, machine, "testing.md", LATER_TESTING);
  await arrives(app, machine, name, CHANGED_CONVENTIONS);
  await app.press("k");
  await app.see("item-title", name);
  const newer = `${CHANGED_CONVENTIONS}\n- Written while somebody looked.\n`;
  machine.write(join(machine.webshop, name), newer);
  await app.see("stale", "changed after you opened it");
  const sides = await until("the three contents", async () => {
    const texts = await app.texts("stale-side");
    return texts.length === 3 && texts.every((text) => text.includes("Checkout conventions")) && texts;
  });
  assert.ok(!sides[0].includes("Written while somebody looked"), "what was seen");
  assert.ok(sides[1].includes("Written while somebody looked"), "what is there now");
  assert.ok(sides[2].includes("Retry failed payment calls three times"), "what was reviewed last");

  // All that is routine is approved but for what changed, which is said with its reason.
  await app.press("Shift+A");
  await app.see("skipped", name);
  await app.gone("inbox-row", "testing.md");
  assert.equal(readFileSync(join(machine.webshop, name), "utf8"), newer);
  await badgeEqualsRows(app, 1);

  await app.press("n");
  await app.gone("stale");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "Written while somebody looked");
  await app.press("a");
  await app.see("inbox-empty");
}

async function whatCannotBeRead({ app, machine }) {
  await openInbox({ app });
  machine.write(join(machine.webshop, "picture.md"), Buffer.from([0, 255, 1, 254, 2]));
  await app.see("inbox-row", "picture.md");
  await app.see("inbox-pane", "not text");
  rmSync(join(machine.webshop, "testing.md"));
  await app.see("inbox-row", "testing.md");
  machine.write(join(machine.webshop, "secrets.md"), `key ${SECRET}\n`);
  await app.see("inbox-row", "secrets.md");
  await badgeEqualsRows(app, 3);
  await app.click("inbox-row", "testing.md");
  await app.see('[data-testid="diff-line"][data-tag="delete"]', "is flaky");
  // A deleted file is put back, one that is new is removed.
  await app.press("x");
  await holds(join(machine.webshop, "testing.md"), WEBSHOP["testing.md"]);
  await app.click("inbox-row", "picture.md");
  await app.press("x");
  await until("the file to be gone", () => !existsSync(join(machine.webshop, "picture.md")));
  await badgeEqualsRows(app, 1);
  // Everything up to here leaves out what has errors, until that is ticked.
  await asksUpToHere(app);
  await app.see("approve-errors", "secrets.md");
  await app.see("approve-several", "Nothing to approve");
  await app.click("approve-tick");
  await app.see("approve-several", "Approve 1");
  await app.click("approve-several");
  await app.see("inbox-empty");
  await badgeEqualsRows(app, 0);
  await app.press("u");
  await app.see("inbox-row", "secrets.md");
  await badgeEqualsRows(app, 1);
}

async function oneKindAlone({ app, machine }) {
  await openInbox({ app });
  await arrives(app, machine, "testing.md", LATER_TESTING);
  await arrives(app, machine, "MEMORY.md", INDEX);
  await arrives(app, machine, "search.md", SEARCH);
  await badgeEqualsRows(app, 3);
  await app.see('[data-testid="inbox-kind"] option', "topic (2)");
  await app.press("f");
  await app.see("item-title", "MEMORY.md");
  await until("the index alone, and a badge of all", async () => (await numbers(app)).join() === "1,1,1", () => numbers(app));
  // All three are one group; what is approved is what the list shows of it.
  await app.press("Shift+A");
  await app.see("inbox-empty", "2 changes of other kinds are left");
  await app.click("inbox-all-kinds");
  await badgeEqualsRows(app, 2);
  await app.press("u");
  await app.see("inbox-row", "MEMORY.md");
  await badgeEqualsRows(app, 3);
  // Back to the topics: everything up to the newest of them, and the index stays.
  await app.press("f");
  await until("the index alone again", async () => (await numbers(app)).join() === "1,1,1", () => numbers(app));
  await app.press("f");
  await app.gone("inbox-row", "MEMORY.md");
  await app.click("inbox-row", "search.md");
  await app.see("item-title", "search.md");
  await approvesSeveral(app, () => asksUpToHere(app));
  await app.see("inbox-empty", "1 change of another kind is left");
  assert.ok((await app.driver.run(() => window.location.hash)).includes("kind=topic"));
}

async function nothingByAccident({ app, machine }) {
  await openInbox({ app });
  await arrives(app, machine, "secrets.md", `key ${SECRET}\n`);
  await arrives(app, machine, "testing.md", LATER_TESTING);
  await arrives(app, machine, "search.md", SEARCH);
  await badgeEqualsRows(app, 3);
  // Who stops after the first key of a sequence has done nothing, however long it takes.
  for (const key of ["g", "Shift+G"]) {
    const pressed = await app.driver.run(() => performance.now());
    await app.press(key);
    await until("a long pause", () => app.driver.run((from) => performance.now() - from > 2500, pressed));
    await badgeEqualsRows(app, 3);
  }
  await app.press("g", "a");
  await app.press("g", "i");
  await badgeEqualsRows(app, 3);
  assert.equal(await app.count("toast"), 0, "nothing was done that could be taken back");

  // What needs a person is not approved with the routine, and with others only where it is ticked.
  const all = async () => {
    await app.press("[", "[", "[", "Shift+J", "Shift+J", "Shift+J", "a");
    await app.see("approve-direction", "The chosen changes");
  };
  await all();
  await app.see("approve-errors", "secrets.md");
  assert.equal(await app.see('[data-testid="approve-several"] .button-label'), "Approve 2, leave 1 with findings");
  await app.press("Escape");
  await app.gone("approve-sheet");
  await badgeEqualsRows(app, 3);
  await approvesSeveral(app, all);
  await badgeEqualsRows(app, 1);
  await app.see("inbox-row", "secrets.md");
  await app.press("u");
  await badgeEqualsRows(app, 3);
  await app.press("Shift+A");
  await badgeEqualsRows(app, 1);
  await app.see("inbox-row", "secrets.md");
}

async function aTextThatIsTooMuch({ app, machine }) {
  await openInbox({ app });
  await arrives(app, machine, "quotes.md", `${">".repeat(4096)}\n`);
  await app.click("view-rendered");
  await app.see("not-rendered", "nested too deeply");
  await arrives(app, machine, "testing.md", LATER_TESTING);
  await app.press("k");
  await app.see("item-title", "testing.md");
  await app.see("markdown", "Snapshots are written by hand");
  await app.press("j");
  await app.see("not-rendered");
  if (!app.driver.reload) return;
  // The view is remembered, and keeps nothing away.
  await app.driver.reload();
  await app.see("inbox-row", "quotes.md");
  await app.click("inbox-row", "testing.md");
  await app.see("markdown", "Snapshots are written by hand");
}

/** Walks of this file. */
export const inbox = [
  { name: "reviews by keyboard alone, and takes it all back", steps: theWholeLoop },
  { name: "says that a memory changed while it was looked at", steps: aStaleItem },
  { name: "lists what cannot be read, and puts it back", steps: whatCannotBeRead },
  { name: "reviews one kind alone", steps: oneKindAlone },
  { name: "approves nothing by accident, and leaves errors out of many", steps: nothingByAccident },
  { name: "shows a text that is too much as lines, and keeps the inbox", steps: aTextThatIsTooMuch },
];
