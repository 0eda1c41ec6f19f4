/** Waiting on conditions, the only way these tests wait. */
import { setTimeout as pause } from "node:timers/promises";

/** A condition that stays false this long, in milliseconds, fails the test. Generous: a loaded machine is slow, not wrong. */
export const PATIENCE_MS = 30_000;
const BETWEEN_CHECKS_MS = 40;

/**
 * Asks `condition` again and again until it gives something true, and gives that. A throw counts as false.
 *
 * @template T
 * @param {string} what what is waited for, for the message
 * @param {() => T | Promise<T>} condition
 * @param {() => unknown} [describe] what is there instead, for the message
 * @returns {Promise<T>}
 */
export async function until(what, condition, describe = () => "") {
  const end = Date.now() + PATIENCE_MS;
  let thrown;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
      thrown = undefined;
    } catch (error) {
      thrown = error;
    }
    if (Date.now() > end) break;
    await pause(BETWEEN_CHECKS_MS);
  }
  const found = await Promise.resolve(describe()).catch((error) => `(${error.message})`);
  throw new Error([`Waited in vain for: ${what}.`, thrown?.message, found && `There was: ${found}`].filter(Boolean).join("\n"));
}
