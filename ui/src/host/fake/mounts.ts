/** Checks attach lists over the fake log: the rules that are public, near enough for a screen. */
import { verbatim } from "./verbatim";
import type { MountPreview, MountProblem, Mounts } from "@/bindings";
import type { Request } from "@/host/backend";
import type { FakeLog, FakeStore } from "./log";
import type { FakeRemote } from "./remote";
import { byteLength } from "./text";

const MAX_STORES = 8;
const MAX_CHARACTERS = 4096;

type Item = Record<string, unknown>;

function listOf(resources: unknown): Item[] | null {
  if (Array.isArray(resources)) return resources as Item[];
  if (typeof resources === "object" && resources !== null && "resources" in resources)
    return listOf(resources.resources);
  return null;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

function preview(store: FakeStore | undefined, item: Item, index: number, unreviewed: number): MountPreview {
  const at = `/${index}`;
  const problems: MountProblem[] = [];
  const instructions = [...text(item.instructions)].length;
  const access = text(item.access) || "read_write";
  if (!store)
    problems.push({
      severity: "warning",
      at: `${at}/memory_store_id`,
      message: verbatim("This store is not known here."),
    });
  if (!["read_write", "read_only"].includes(access))
    problems.push({ severity: "error", at: `${at}/access`, message: verbatim("Access is read_write or read_only.") });
  if (instructions > MAX_CHARACTERS)
    problems.push({
      severity: "error",
      at: `${at}/instructions`,
      message: verbatim("At most 4,096 characters are taken."),
    });
  const files = [...(store?.disk ?? [])].map(([path, content]) => {
    return { path, bytes: byteLength(content), tokens: Math.ceil(byteLength(content) / 4) };
  });
  const sum = (key: "bytes" | "tokens") => files.reduce((total, file) => total + file[key], 0);
  const slug = store?.name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return {
    index,
    memory_store_id: text(item.memory_store_id),
    store_id: store?.id ?? null,
    name: store?.name ?? null,
    access: access === "read_only" ? "read_only" : "read_write",
    instructions_chars: instructions,
    mount_path: slug ? `/mnt/memory/${slug}` : null,
    mount_path_assumed: slug !== undefined && (slug.startsWith("-") || slug.endsWith("-")),
    files: files.length,
    bytes: sum("bytes"),
    tokens: sum("tokens"),
    largest: files.sort((a, b) => b.bytes - a.bytes).slice(0, 100),
    unreviewed,
    problems,
  };
}

/** Answers `check_mounts`. */
export function checkMounts(
  log: FakeLog,
  remote: FakeRemote,
  count: (store: string) => number,
  { resources }: Request<"check_mounts">,
): Mounts {
  const list = listOf(resources);
  const problems: MountProblem[] = [];
  if (list === null) problems.push({ severity: "error", at: "", message: verbatim("This is no list of resources.") });
  const items = (list ?? []).filter(({ type }) => type === "memory_store");
  if (items.length > MAX_STORES)
    problems.push({ severity: "error", at: "", message: verbatim("A session gets at most eight memory stores.") });
  const mounts = items.map((item, index) => {
    const id = text(item.memory_store_id);
    const mirror = remote.mirrors.find((known) => known.remote.remote_id === id);
    const store = mirror?.store ?? log.stores.find((known) => known.id === id && known.shared);
    return preview(store, item, index, store ? count(store.id) : 0);
  });
  const tokens = mounts.reduce((total, mount) => total + mount.tokens, 0);
  const isBad = ({ severity }: MountProblem) => severity === "error";
  const ok = !problems.some(isBad) && !mounts.some((mount) => mount.problems.some(isBad));
  return { ok, problems, mounts, tokens, prompt_tokens: mounts.length * 60 };
}
