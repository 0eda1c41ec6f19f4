/** A small invented store for tests: names, figures and sentences mean nothing outside them. */
import { FakeLog } from "./log";

const SESSION = {
  type: "session_actor",
  session_id: "5f2c1d9e-41aa-4c55-9a0e-7d1c2b3a4fe1",
  evidence: "stated",
} as const;

const INDEX = `# Harbour memory index

- [Berth rules](berth-rules.md): who may moor where
- [Tide tables](tides.md): source and rounding
- [Crane checks](cranes/daily.md): what to look at before the first lift
`;

const RULES = `## Berth rules

- Ferries take berth 1 to 4.
- Retry a failed booking three times with back-off.
- Components may call \`berth.assign\` directly.
- Reason: a double booking in spring.
`;

const RULES_LATER = `## Berth rules

- Ferries take berth 1 to 4.
- Never retry a failed booking from the client.
- Components never call \`berth.*\`; go through \`useBooking\`.
- Reason: a double booking in spring.\u200b
- Applies to the quay and the office.
`;

/** An index with `entries` entries, to meet the limit of what is loaded. */
export function longIndex(entries: number): string {
  const lines = Array.from(
    { length: entries },
    (_, at) => `- [Note ${at + 1}](notes/note-${at + 1}.md): one line about it`,
  );
  return `# Long index\n\n${lines.join("\n")}\n`;
}

/** A log with two stores and some history, ending at `now`. */
export function seededLog(now: Date): FakeLog {
  const minutes = (count: number) => new Date(now.getTime() - count * 60_000);
  const log = new FakeLog(minutes(60 * 24 * 9));
  const harbour = log.addStore("/home/ada/harbour/memory", "claude-auto", "harbour", {
    "MEMORY.md": INDEX,
    "berth-rules.md": RULES,
    "tides.md": "# Tides\n\nRounded to five minutes.\n",
    "cranes/daily.md": "# Daily checks\n\n- hook\n- brake\n",
    "logs/2031/04/notes.md": "quiet day\n",
  });
  log.now = minutes(60 * 24 * 8);
  log.addStore("/home/ada/almanac/memories", "memory-tool", "almanac", {
    "index.md": "# Almanac\n",
    "sources.md": "token is tk_live_0123456789abcdef, rotate in May\n",
  });
  log.now = minutes(60 * 30);
  harbour.disk.set("berth-rules.md", RULES_LATER);
  log.scan(harbour, { source: "scan", by: SESSION });
  log.now = minutes(190);
  harbour.disk.set("MEMORY.md", longIndex(259));
  harbour.disk.delete("tides.md");
  log.scan(harbour);
  log.now = minutes(2);
  harbour.disk.set("cranes/weekly.md", "# Weekly checks\n\n- cables\n- lights\n");
  log.scan(harbour, { source: "tool", by: SESSION });
  log.now = now;
  return log;
}
