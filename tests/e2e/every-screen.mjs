/**
 * Draws every screen of the window in a browser, at three widths, light and dark, in four languages, over memories as they are
 * after weeks of use: some 700 pictures to be looked at, which nothing keeps.
 *
 *   node tests/e2e/every-screen.mjs DIRECTORY [light|dark] [LANGUAGE...]
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { BrowserDriver, closeBrowser } from "./harness/browser.mjs";
import { walk } from "./harness/session.mjs";
import { LANGUAGES, OVERLAYS, places, speak, weeksOfUse } from "./walks/layout.mjs";

const WIDTHS = [
  [800, 900],
  [1100, 800],
  [1920, 1080],
];
const [out = "/tmp/every-screen", theme, ...languages] = process.argv.slice(2);

async function drawAll({ app }, dark) {
  const go = (to) => app.driver.run((next) => (location.hash = next), to);
  await app.driver.resize(1360, 860);
  await app.see("nav-memories");
  const { all, opened } = await places(app);
  for (const language of languages.length ? languages : LANGUAGES) {
    const draw = async (name) => {
      for (const [width, height] of WIDTHS) {
        await app.driver.resize(width, height);
        await app.gone("toast");
        await app.settled();
        const folder = join(resolve(out), `${language}-${dark ? "dark" : "light"}-${width}`);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${name.replaceAll(/\W+/g, "-")}.png`), await app.driver.picture());
      }
      await app.driver.resize(1360, 860);
    };
    await speak(app, language);
    for (const [name, hash, ready] of all) {
      await go(hash);
      await app.see(ready);
      await draw(name);
    }
    for (const [name, hash, ready, opener, id] of opened) {
      await go(hash);
      await app.see(ready);
      await app.click(opener);
      await app.see(id);
      await draw(name);
      await go("#/inbox");
      await app.gone(id);
    }
    for (const [name, hash, key, id] of OVERLAYS) {
      await go(hash);
      await app.press(key);
      await app.see(id);
      await draw(name);
      await app.press("Escape");
      await app.gone(id);
    }
  }
}

for (const dark of [false, true].filter((dark) => !theme || dark === (theme === "dark"))) {
  const prepared = async (machine) => {
    await weeksOfUse(machine);
    return BrowserDriver.open(machine, { dark });
  };
  await walk(`every screen ${dark ? "dark" : "light"}`, prepared, (context) => drawAll(context, dark));
}
await closeBrowser();
