/** `retrace serve` on a machine: what browsers, SDKs and the recorder of fixtures talk to. */
import { join } from "node:path";
import { lineOf, start, stop } from "./process.mjs";
import { retrace } from "./programs.mjs";

/** Starts `retrace serve` on a machine. Gives the address with the token, and a way to stop it. */
export async function serve(machine, port = 0) {
  // The token is kept, so that a page goes on where the program is started again.
  const token = join(machine.root, "serve.token");
  const child = start(retrace(), ["serve", "--listen", `127.0.0.1:${port}`, "--token-file", token], {
    env: machine.environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [address] = await lineOf(child, child.stdout, /http:\/\/127\.0\.0\.1:\d+\/\S*#token=\S+(?=\s)/);
  return { address, stop: () => stop(child) };
}
