/** The desk of the recordings as a log that tests change. */
import { everyRecorded, recorded } from "./fixtures";
import { FakeLog } from "./log";

const SESSION = {
  type: "session_actor",
  session_id: "5f2c1d9e-41aa-4c55-9a0e-7d1c2b3a4fe1",
  evidence: "stated",
} as const;

/** The contents of a memory of the desk, or of another recording, oldest first. */
export const contentsOf = (path: string, group = "desk"): string[] =>
  everyRecorded(group, "show").flatMap((shown) =>
    shown.path === path && shown.content != null ? [shown.content] : [],
  );

/** The key in the recorded desk. */
export const SECRET = /sk_live_\w+/.exec(contentsOf("sources.md")[0] ?? "")?.[0] ?? "";

/** A log with two stores and some history, ending at `now`. */
export function seededLog(now: Date): FakeLog {
  const minutes = (count: number) => new Date(now.getTime() - count * 60_000);
  const log = new FakeLog(minutes(60 * 24 * 9));
  const add = (name: string, ...paths: string[]) => {
    const { root, kind } = recorded("stores").stores.find((store) => store.name === name)!;
    return log.addStore(root, kind, name, Object.fromEntries(paths.map((path) => [path, contentsOf(path)[0]!])));
  };
  const diary = "logs/2025/04/2025-04-30.md";
  const harbour = add("harbour", "MEMORY.md", "berth-rules.md", "tides.md", "cranes/daily.md", diary);
  log.now = minutes(60 * 24 * 8);
  add("almanac", "index.md", "sources.md");
  const newest = (path: string) => harbour.disk.set(path, contentsOf(path).at(-1)!);
  log.now = minutes(60 * 30);
  newest("berth-rules.md");
  log.scan(harbour, { source: "scan", by: SESSION });
  log.now = minutes(190);
  newest("MEMORY.md");
  harbour.disk.delete("tides.md");
  log.scan(harbour);
  log.now = minutes(2);
  newest("cranes/weekly.md");
  log.scan(harbour, { source: "tool", by: SESSION });
  log.now = now;
  return log;
}
