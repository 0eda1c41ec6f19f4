/** Hosts of stores, and what is said of changes that wait to be sent to one. */
import type { Backend } from "@/host";

/** The address that calls go to when no other is given. */
export const API_URL = "https://api.anthropic.com";

/** A host's name for people: of a base URL what stands between the slashes, and the path where there is one. */
export function hostName(baseUrl: string): string {
  try {
    const { host, pathname } = new URL(baseUrl);
    return pathname === "/" ? host : `${host}${pathname.replace(/\/$/, "")}`;
  } catch {
    return baseUrl;
  }
}

/** The names of the hosts that these stores are mirrors of, each once. Asks the program, which calls nobody for it. */
export async function hostsOf(backend: Backend, stores: readonly string[]): Promise<string> {
  const wanted = new Set(stores);
  const remotes = await backend.call("remotes", {}).catch(() => null);
  const rows = (remotes?.stores ?? []).filter(({ store_id }) => wanted.has(store_id));
  return [...new Set(rows.map(({ base_url }) => hostName(base_url)))].join(", ");
}

/** True for an address of a host: https, or http on this machine. */
export function isHostUrl(text: string): boolean {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  const loopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && loopback);
}
