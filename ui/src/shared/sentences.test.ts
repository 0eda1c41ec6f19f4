/** That what the program says is said in every language, with all that stands in it, and nothing else is touched. */
import { i18n } from "@lingui/core";
import { afterEach, describe, expect, it } from "vitest";
import type { ApiError, Code } from "@/bindings";
import { SENTENCES } from "@/bindings/sentences";
import { ApiFailure } from "@/host";
import { activateLanguage, LANGUAGES, switchLanguage } from "@/i18n";
import { wordsFor } from "./failure";
import { knownIn, noteIn, sentenceIn, together } from "./sentences";

afterEach(activateLanguage);

const others = LANGUAGES.filter((language) => language !== "en");

/** A sentence with something in each of its places. */
const filled = (english: string) => english.replace(/\{(\d)\}/g, (_, place: string) => `x${place}.md`);

/** What reads as English: words one after the other that are no code, path, name or value. */
function english(text: string): string[] {
  const words = text
    .replace(/`[^`]*`|"[^"]*"|「[^」]*」/g, "|")
    .replace(/\S*[/_.:=<>@*~-]\S*/g, "|")
    .replace(/Claude Code|Memory Stores|Copilot CLI|Gemini CLI|Messages API|Basic Memory|Codex|OpenAI chat/g, "|");
  return words.match(/\b[A-Za-z]+(?: [a-z]+){2,}/g) ?? [];
}

/** An error of each code, as the program makes them. */
const ERRORS: Record<Code, Omit<ApiError, "code">[]> = {
  invalid: [
    {
      message: "This names a whole store, not one memory.",
      hint: "Add :PATH to the store's name.",
      subject: "notes",
    },
    { message: 'There is a store named "notes" already.', hint: "", subject: "" },
    { message: '"x" is not a version id (memver_…).', hint: "Version ids are printed by `retrace log`.", subject: "x" },
    {
      message: "context_management.edits.0.clear_tool_uses_20250919.keep.value: Input should be a valid integer.",
      hint: 'The setting is "A".',
      subject: "context_management.edits.0",
    },
    { message: "The base URL cannot be used: it has no host.", hint: "", subject: "https://" },
  ],
  not_found: [
    {
      message: "There is no such memory.",
      hint: "It may be deleted: `retrace log` shows its history.",
      subject: "a.md",
    },
    { message: "There is no such version.", hint: "", subject: "memver_1" },
  ],
  head_moved: [
    {
      message: "The file was changed since; it was left as it is. Nothing was changed.",
      hint: "What is there now is recorded. Look at the differences, then repeat.",
      subject: "a.md",
    },
    {
      message: '"a.md" was changed by somebody else; it was left as it is.',
      hint: "Look at it again and repeat.",
      subject: "",
    },
  ],
  before_recording: [
    {
      message: "Nothing was recorded of this directory by then; recording began at 2026-11-20T14:02:17Z.",
      hint:
        "No imported history reaches back to that time; `retrace import git` and `retrace import transcripts` bring in " +
        "what others kept.",
      subject: "2026-10-01",
    },
  ],
  not_recorded: [
    {
      message: "It was done and is not recorded: The disk with the database is full.",
      hint: "2 files were changed and could not be put back. The next scan records them, without who and why; do not repeat it.",
      subject: "a.md",
    },
  ],
  store_unavailable: [
    {
      message: "The directory does not exist.",
      hint: "Check the path, or mount the disk it is on.",
      subject: "/home/ada/notes",
    },
    {
      message: "The host is not available, after 4 tries: the host's name is not known.",
      hint: "",
      subject: "https://host.example",
    },
    {
      message: '"notes/a.md": permission denied.',
      hint: "Check the permissions of the store's directory.",
      subject: "",
    },
  ],
  content_redacted: [
    {
      message: "The content was redacted.",
      hint: "Who, when and why are still in the log; the content is gone for good.",
      subject: "",
    },
  ],
  purge_pending: [
    {
      message: "The purge is not finished: another process is using the database",
      hint: "Try again in a moment. If it lasts, look for another Retrace that hangs.",
      subject: "",
    },
  ],
  database_newer: [
    {
      message: "The database has format 41; this program knows formats up to 40.",
      hint: "Install the newer program, or name another data directory with --data-dir.",
      subject: "",
    },
  ],
  database_damaged: [
    {
      message: "The database is damaged.",
      hint:
        "It was left as it is. Copy the data directory away, then run `retrace verify` on the copy, or start a new log " +
        "with --data-dir; the live memories are not affected.",
      subject: "the content of version 7 has another hash",
    },
  ],
  cannot_write: [
    {
      message: "The data directory cannot be written: Permission denied (os error 13).",
      hint: "Check its permissions and the room on its disk, or name another with --data-dir.",
      subject: "/home/ada/.local/share/retrace",
    },
  ],
  busy: [
    {
      message: "Another Retrace is recording already (process 812).",
      hint: "It records for all; what you do here is seen there.",
      subject: "",
    },
    {
      message: "Another process (812) is sending what is queued, since 2026-11-20T14:02:17Z.",
      hint: "Wait until it is done, then push what is left. If that process ended, push again.",
      subject: "push",
    },
  ],
  counter_unavailable: [
    {
      message: "No key: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or keep one in the system's keyring.",
      hint: "Or `retrace context key set`, which reads it from standard input.",
      subject: "",
    },
  ],
  key_refused: [
    {
      message: "There is no key for this host.",
      hint:
        "Keep a key for the host: `retrace remote key set`, with --url for any but the API's own. The environment's key is " +
        "only sent to where the environment leads.",
      subject: "",
    },
  ],
  host_limited: [
    {
      message: "The host's rate limit was reached: HTTP 429.",
      hint: "It was stopped; the next one goes on where it was.",
      subject: "",
    },
  ],
  internal: [
    {
      message: "This is a bug in Retrace; nothing was half done.",
      hint: "Please report what you did.",
      subject: "log",
    },
  ],
};

/** Warnings and the like, as the screens get them. */
const WARNINGS = [
  "a.md: the content of that time is redacted; it is left as it is.",
  "a.md: extended attributes were lost: user.note, user.tag.",
  "1 change that waits to be sent to its host is taken back.",
  "12 live files still hold it. What is live stays as it is, and is recorded again as soon as it changes; use --live to replace it there.",
  "2 hosted memories hold it, each in its newest version, which no host redacts; use --live to replace it there first.",
  "The pattern matches more than 64 different texts; only the first of them are looked for in raw bytes.",
  "Left out because they are above 10 MiB: 3.",
  "Transcripts that could not be read: 2.",
  "Files whose content is redacted or was too large to be kept are not in it: 4.",
  'The index links to "topics/a.md" only below the line it is cut at, so no session learns of it.',
  "The trigger of 30,000 tokens is exceeded, but nothing is cleared: `keep` keeps 3 of at most 2 tool uses and `clear_at_least` asks for 5,000 tokens.",
  "The trigger of 30 tool uses is exceeded, but nothing is cleared: `keep` keeps 3 of at most 2 tool uses.",
  "`clear_tool_uses_20250919` never acts: its trigger is 900,000 tokens; the largest context of this run is 81,200 tokens.",
  "The API would refuse it: claude-3 does not support compaction.",
  "Clearings that are not paid back by the end of the run: 3 of 4. Taken together they pay for themselves after 8.5 requests.",
  "3 lines could not be read: line 7: a value of another type than expected, at byte 12 of the line.",
  "Left out: thinking, whose signature is not kept (4).",
  "Messages, calls of tools and their results from the transcript, as they are, to https://api.anthropic.com/v1/messages/count_tokens, not encrypted. Nothing is sampled, and counting is free of charge.",
  "operation 7 counts other versions than it has",
  "3 versions name paths that are not kept",
  "the search index live is damaged: the file is a database of another program",
  "a.md: Permission denied (os error 13) (and 3 more)",
  '"notes/a.md" may not be read (and 2 more)',
  "a.md could not open: Too many open files (os error 24)",
  "it is on a network or shared file system (nfs), which does not report every change",
  "purge pending: it is finished as soon as no other process reads an older state",
  "Live files, 3 stores",
  "could not be read: notes, more",
  "autoMemoryDirectory in /home/ada/.claude/settings.json names it",
  "memory directory of the subagent reviewer, of the project, meant to be committed",
  "Subagent memory is on together with auto memory. CLAUDE_CODE_DISABLE_AUTO_MEMORY is 0 in env of /home/ada/.claude/settings.json, which forces auto memory on.",
  "AutoMemoryDirectory in /home/ada/.claude/settings.json is a symbolic link and was not followed; add the directory it leads to by hand if it is memory.",
  '"projects" in /home/ada/.gemini/projects.json must be an object, but is a list; it is ignored.',
  "/home/ada/CLAUDE.md names it in line 3, but more than 4 imports lead to it.",
  "`memory_store_id` is missing.",
  "The host is not available, after 4 tries: no answer within 30 s.",
];

describe.each(others)("in %s", (language) => {
  it("every sentence is known again by its own words, with all that stands in it", async () => {
    await switchLanguage(language);
    for (const { english, words, names } of SENTENCES) {
      const sentence = filled(english);
      const values = [...sentence.matchAll(/x\d\.md/g)].map(([value]) => value);
      const told = sentenceIn(i18n, sentence);
      expect(told, english).not.toBe(sentence);
      expect(told, english).toBe(
        i18n._(
          words.id,
          Object.fromEntries(values.map((value) => [names?.[Number(value[1])] ?? value[1]!, value] as const)),
        ),
      );
      for (const value of values) expect(told, english).toContain(value);
    }
  });

  it("an error of each code is said whole", async () => {
    await switchLanguage(language);
    for (const [code, errors] of Object.entries(ERRORS) as [Code, Omit<ApiError, "code">[]][])
      for (const error of errors) {
        const { detail, detailLanguage, next, subject } = wordsFor(new ApiFailure({ code, ...error }));
        const told = [detail, typeof next === "string" ? next : i18n._(next)].join(" ");
        expect(english(told), `${error.message} ${error.hint}: ${told}`).toEqual([]);
        expect(detailLanguage, error.message).toBeNull();
        expect(detail).not.toBe(error.message);
        if (error.hint) expect(typeof next, error.hint).toBe("string");
        if (code === "database_damaged") expect(english(subject)).toEqual([]);
        else expect(subject).toBe(error.subject);
      }
  });

  it("warnings, reasons, evidence and problems are said whole", async () => {
    await switchLanguage(language);
    for (const warning of WARNINGS) {
      const told = sentenceIn(i18n, warning);
      expect(told).not.toBe(warning);
      expect(english(told), `${warning}: ${told}`).toEqual([]);
    }
  });
});

it("the sentence that was meant is found among those that fit", async () => {
  await switchLanguage("ja");
  expect(sentenceIn(i18n, 'There is no "a.md" to import.')).toBe("取り込む「a.md」がありません。");
  expect(sentenceIn(i18n, 'There is no branch "main".')).toBe("ブランチ「main」がありません。");
  expect(sentenceIn(i18n, 'There is no "a\nb.md".')).toBe("「a\nb.md」がありません。");
  expect(sentenceIn(i18n, "Without width: U+200B U+200C U+200D U+2060 and 3 more.")).toBe(
    "幅がありません：U+200B U+200C U+200D U+2060 ほか 3 件。",
  );
  expect(sentenceIn(i18n, "There is no such version.")).toBe("そのようなバージョンはありません。");
  expect(sentenceIn(i18n, "Give at least one; {} is no editing.")).toBe(
    "少なくとも一つ指定してください。{} は編集なしです。",
  );
});

it("a sentence is known with a great letter and a full stop, and several are said one after the other", async () => {
  await switchLanguage("ko");
  expect(sentenceIn(i18n, "another process is using the database")).toBe(
    "다른 프로세스가 데이터베이스를 쓰고 있습니다",
  );
  expect(sentenceIn(i18n, "The disk is full.")).toBe("디스크가 가득 찼습니다.");
  await switchLanguage("ja");
  expect(sentenceIn(i18n, "The name is empty. The key is empty.")).toBe("名前が空です。キーが空です。");
  expect(sentenceIn(i18n, "a b.md: the disk is full")).toBe("a b.md：ディスクがいっぱいです");
  expect(together(["一つ", sentenceIn(i18n, "The name is empty."), "二つ"])).toBe("一つ。名前が空です。二つ");
});

it("what somebody else wrote stays as it is: names, notes, and what a newer program says", async () => {
  await switchLanguage("ja");
  for (const note of ["lint is not a test", "cleanup in docs", "holds nothing", "Fix: names it", "a: b"])
    expect(noteIn(i18n, note)).toBe(note);
  expect(noteIn(i18n, "undo of operation 12")).toBe("操作 12 の取り消し");
  expect(sentenceIn(i18n, 'It is the store "docs in src".')).toBe('ストア "docs in src" です。');
  expect(knownIn(i18n, "Something new of a newer program.")).toBeNull();
  const newer = wordsFor(new ApiFailure({ code: "busy", message: "It is used.", hint: "Wait.", subject: "" }));
  expect(newer).toMatchObject({ detail: "It is used. Wait.", detailLanguage: "en" });
  expect(i18n._(newer.next as never)).toMatch(/[ぁ-ん]/);
});

it("in English everything stays as it is", () => {
  expect(knownIn(i18n, "It is used.")).toBe("It is used.");
  const busy = wordsFor(new ApiFailure({ code: "busy", message: "It is used.", hint: "Wait.", subject: "" }));
  expect(busy).toMatchObject({ detail: "It is used.", next: "Wait.", detailLanguage: null });
  expect(together(["One", "Two.", "three"])).toBe("One. Two. three");
});

it("stays quick with many texts that are not known", async () => {
  await switchLanguage("ja");
  const begin = performance.now();
  for (let at = 0; at < 1000; at += 1) sentenceIn(i18n, `Something ${at} of a newer program: it is new in ${at}.`);
  // A thousand rows that were never said before; a slow machine is far below it.
  expect(performance.now() - begin).toBeLessThan(5000);
});
