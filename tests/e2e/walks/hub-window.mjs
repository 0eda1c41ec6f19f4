/**
 * The window that a hub serves, in a browser without a machine: signing in with a token, reviewing by keys, being the second person,
 * and what a role does not give. Every page is looked at by axe in both themes, and in every size and language.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Checks } from "../harness/axe.mjs";
import { done } from "../harness/hub.mjs";
import { Misplaced } from "../harness/layout.mjs";
import { looksEverywhere, reviews, secondPerson, theOtherWorks, VIEWS, WIDTHS } from "./hub.mjs";
import { LANGUAGES } from "./layout.mjs";

/** A window shares nothing of its own; the ledger is there for it. */
const OF_WINDOW = VIEWS.map(([view, ready]) => [view, view === "sessions" ? '[aria-labelledby] .muted' : ready]);

/** Chooses a language where this window has it. */
async function speaks(app, language) {
  await app.click("hub-settings");
  await app.see("hub-settings-sheet");
  await app.driver.run((chosen) => {
    const list = document.querySelector('[data-testid="language"]');
    Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(list, chosen);
    list.dispatchEvent(new Event("change", { bubbles: true }));
  }, language);
  await app.see(`html[lang="${language}"]`);
  await app.press("Escape");
  await app.gone("hub-settings-sheet");
}

/** The first page, looked at, and a token that is none. */
async function firstPage(app) {
  await app.see("window-sign-in-page");
  const checks = new Checks(app);
  const found = new Misplaced(app);
  await app.fill("window-name", "Ann");
  await app.fill("window-token", "rthub_wrong");
  await app.tabTo("window-sign-in");
  await app.press("Enter");
  await app.see("failure", "Ask an owner for a new token.");
  await checks.at("signing in");
  await app.click("hub-settings");
  await app.see("hub-settings-sheet");
  await checks.at("settings of the window");
  for (const [width, height] of WIDTHS) {
    await app.driver.resize(width, height);
    await found.at(`settings of the window at ${width}`);
  }
  await app.press("Escape");
  await app.gone("hub-settings-sheet");
  for (const language of LANGUAGES) {
    await app.driver.resize(1360, 860);
    await speaks(app, language);
    for (const [width, height] of WIDTHS) {
      await app.driver.resize(width, height);
      await found.at(`signing in, in ${language} at ${width}`);
    }
  }
  await app.driver.resize(1360, 860);
  await speaks(app, "en");
  checks.areClean();
  found.isEmpty();
}

async function signsIn(app, token, name) {
  await app.fill("window-name", name);
  await app.fill("window-token", token);
  await app.click("window-sign-in");
  await app.see("hub-who", name);
}

const tokenOf = async (machine, role) => (await done(machine, "hub", "token", "--role", role))[0].token;

async function inABrowser({ app, machine, hub, seen = async () => {} }) {
  await done(machine, "stores", "add", machine.infra, "--kind", "claude-auto", "--name", "infra");
  await done(machine, "hub", "join", hub.url, "--token", hub.token, "--name", "desk");
  await done(machine, "sync");
  await theOtherWorks(machine, hub, await tokenOf(machine, "writer"));
  await firstPage(app);
  await signsIn(app, await tokenOf(machine, "reviewer"), "Ann");
  assert.equal(await app.count("hub-sync"), 0, "there is no machine to sync");
  await reviews(app);
  await secondPerson(app);
  // What a reviewer is not given is said, in place of it.
  await app.click("view-audit");
  await app.see("why-not", "owners and auditors read the audit log");
  await app.click("view-machines");
  await app.see("hub-machine", "browser of Ann");
  await app.see("hub-policy", "yes");
  await app.click("hub-close");
  await app.see("window-sign-in-page");
  assert.equal(await app.driver.run(() => document.cookie), "", "no script reads the session");
  await signsIn(app, await tokenOf(machine, "owner"), "Cid");
  await looksEverywhere(app, OF_WINDOW, speaks);
  await seen(app);
  // A page that is loaded anew is the same person's; one whose window an owner removed is nobody's.
  await app.driver.reload();
  await app.see("hub-who", "Cid");
  await done(machine, "hub", "remove", "browser of Cid");
  await app.see("window-sign-in-page");
  // Without the hub the page says so.
  app.driver.expectsNothing();
  await hub.goAway();
  await app.fill("window-name", "Cid");
  await app.fill("window-token", "rthub_late");
  await app.click("window-sign-in");
  await app.see("connection-lost");
}

/** With TLS: what the browser keeps is bound to it, and nothing is there without it. */
async function overTls({ app, machine, hub }) {
  await done(machine, "stores", "add", machine.infra, "--kind", "claude-auto", "--name", "infra");
  await done(machine, "hub", "join", hub.url, "--token", hub.token, "--name", "desk", "--ca", hub.certificate);
  machine.write(join(machine.infra, "berths.md"), "# Berths\n\n- Pilots wait at berth 9.\n");
  await done(machine, "record", "--once");
  await done(machine, "sync");
  await app.see("window-sign-in-page");
  assert.deepEqual(await app.driver.cookies(), []);
  await signsIn(app, await tokenOf(machine, "reviewer"), "Ann");
  await app.click("hub-item", "berths.md");
  await app.see("hub-pane", "Pilots wait at berth 9.");
  const [cookie, ...more] = await app.driver.cookies();
  assert.deepEqual(more, []);
  const { name, domain, path, secure, httpOnly, sameSite } = cookie;
  assert.match(name, /^__Host-retrace-hub-[0-9a-z]{12}$/);
  assert.deepEqual({ domain, path, secure, httpOnly, sameSite }, { domain: "127.0.0.1", path: "/", secure: true, httpOnly: true, sameSite: "Strict" });
  assert.equal(await app.driver.run(() => document.cookie), "", "no script reads the session");
  await app.driver.reload();
  await app.see("hub-who", "Ann");
  assert.equal(await app.driver.answers(hub.url.replace("https:", "http:")), false, "nothing is answered without TLS");
  assert.equal(await app.driver.answers(hub.url), true);
  await app.click("hub-close");
  await app.see("window-sign-in-page");
  assert.deepEqual(await app.driver.cookies(), [], "the browser keeps nothing of who signed out");
}

/** The same window over TLS. It needs a driver at the address of a hub with a certificate of its own. */
export const hubWindowOverTls = { name: "signs in to the window of a hub over TLS, with a session that is bound to it", steps: overTls };

/** The walk of this file. It needs a driver at the address of a hub that serves its window. */
export const hubWindow = { name: "signs in to the window of a hub, reviews there, and holds its layout", steps: inABrowser };
