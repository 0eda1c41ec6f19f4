/** Looking after stores and the log. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { firstRun } from "../harness/session.mjs";

async function pausesResumesAddsAndRemoves({ app, machine }) {
  await firstRun(app);
  await app.click("nav-stores");
  await app.click('[data-testid="store-row"]:has(button) [data-testid="store-menu"]');
  await app.click("store-pause");
  await app.see("store-row", "paused");
  await app.click('[data-testid="store-row"]:has(button) [data-testid="store-menu"]');
  await app.click("store-pause", "Resume");
  await app.gone("store-row", "paused");

  const notes = join(machine.home, "notes");
  mkdirSync(notes);
  machine.write(join(notes, "ideas.md"), "# Ideas\n");
  if (app.driver.name === "window") await app.click("pick-directory");
  else await app.fill("add-root", notes);
  await app.click("add-store");
  await app.see("store-row", notes);
  await app.see("status-line", "3 stores");

  await app.click(`tr:has([title="${notes}"]) [data-testid="store-menu"]`);
  await app.click("store-remove");
  await app.click("remove-confirm");
  await app.gone("store-row", notes);
}

async function verifiesAndChangesTheTheme({ app }) {
  await firstRun(app);
  await app.click("nav-settings");
  await app.click("view-dark");
  await app.see('html[data-theme="dark"]');
  await app.click("view-light");
  await app.see('html[data-theme="light"]');
  await app.click("verify");
  await app.see("verified", "The log is whole");
}

/** Walks of this file. */
export const keeping = [
  { name: "pauses, resumes, adds and removes stores", steps: pausesResumesAddsAndRemoves, environment: (machine) => ({ RETRACE_TEST_PICK: join(machine.home, "notes") }) },
  { name: "verifies the log and changes the theme", steps: verifiesAndChangesTheTheme },
];
