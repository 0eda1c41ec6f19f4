/** A secret got into memory: out of it everywhere, with proof. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SECRET } from "../harness/memories.mjs";
import { runRetrace } from "../harness/programs.mjs";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";

const NAME = "payment-webhooks.md";
const pageText = () => document.body.innerText;

/** True if the log holds the secret nowhere: the terminal program unpacks what the files hold and looks there too. */
async function isAbsent(machine) {
  const file = join(machine.root, "secret");
  machine.write(file, SECRET);
  const { printed } = await runRetrace(machine, "verify", "--absent-file", file);
  const [verified] = printed;
  assert.equal(verified.problems.length, 0, JSON.stringify(verified));
  return verified.absent;
}

async function redactsASecret({ app, machine }) {
  const file = join(machine.webshop, NAME);
  await firstRun(app);
  await app.choose("store-select", "webshop");
  await app.click("memory-row", NAME);
  // Out of sight until it is asked for.
  await app.see("document-line", "The signing key is sk_l");
  assert.ok(!(await app.driver.run(pageText)).includes(SECRET), "the memory shows it masked");
  await app.click("show-secrets");
  await app.see("document-line", SECRET);
  machine.write(file, `${readFileSync(file, "utf8")}- Rotate ${SECRET} after the launch.\n`);
  await app.see("version-row", "v2");
  assert.equal(await isAbsent(machine), false, "the log holds it before");

  await app.click("nav-redactions");
  await app.fill("redact-secret", SECRET);
  await app.fill("redact-reason", "signing key of the payment service");
  await app.see('[data-testid="redact-live"][data-selected]');
  await app.click("redact-find");
  await app.see("match", NAME);
  assert.ok((await app.count("mask-bar")) > 0);
  assert.ok(!(await app.driver.run(pageText)).includes(SECRET), "the preview shows it masked");
  assert.ok(readFileSync(file, "utf8").includes(SECRET), "a preview changes nothing");

  await app.click("redact-places");
  await app.click("redact-confirm");
  await app.see("receipt", "signing key of the payment service");
  await app.gone("purge-pending");
  const states = await app.driver.run(() =>
    Array.from(document.querySelectorAll('[data-testid="receipt-place"]'), ({ dataset, innerText }) => `${dataset.state}: ${innerText}`),
  );
  assert.ok(states.some((state) => state.startsWith("clean")), states.join("\n"));
  assert.deepEqual(states.filter((state) => state.startsWith("left")), []);

  assert.ok(!readFileSync(file, "utf8").includes(SECRET), "the live file holds it no more");
  assert.deepEqual(machine.filesHolding(SECRET), [], "no file that the app wrote holds it");
  assert.equal(await isAbsent(machine), true, "nor does the log, unpacked");

  await app.click("nav-memories");
  await app.choose("store-select", "webshop");
  await app.click("memory-row", NAME);
  await app.see("version-row", "redacted");
  await until("the page to show it nowhere", async () => !(await app.driver.run(pageText)).includes(SECRET));
}

/** Walks of this file. */
export const redaction = [{ name: "redacts a secret everywhere and proves it", steps: redactsASecret }];
