/** All walks, for either driver. */
import { finding } from "./finding.mjs";
import { health } from "./health.mjs";
import { history } from "./history.mjs";
import { inbox } from "./inbox.mjs";
import { keeping } from "./keeping.mjs";
import { keyboard } from "./keyboard.mjs";
import { keys } from "./keys.mjs";
import { kinds } from "./kinds.mjs";
import { lab } from "./lab.mjs";
import { origins } from "./origins.mjs";
import { recording } from "./recording.mjs";
import { redaction } from "./redaction.mjs";
import { rules } from "./rules.mjs";
import { session } from "./session.mjs";

/**
 * Walks: `steps` is given the app and the machine; `environment` gives variables that the app needs besides.
 *
 * @type {{ name: string, steps: (context: object) => Promise<void>, environment?: (machine: object) => object }[]}
 */
export const WALKS = [...recording, ...inbox, ...history, ...redaction, ...finding, ...keeping, ...keys, ...keyboard, ...kinds, ...origins, ...session, ...rules, ...health, ...lab];
