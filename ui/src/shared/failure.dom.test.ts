import { i18n, type MessageDescriptor } from "@lingui/core";
import { describe, expect, it } from "vitest";
import type { Code } from "@/bindings";
import { ApiFailure, Unauthorized, Unreachable } from "@/host";
import { readApiError } from "@/host/backend";
import { switchLanguage } from "@/i18n";
import { wordsFor } from "./failure";

/** Every code, so that a new one in the bindings makes this file fail to compile until it has words. */
const CODES: Record<Code, true> = {
  invalid: true,
  not_found: true,
  head_moved: true,
  before_recording: true,
  store_unavailable: true,
  content_redacted: true,
  purge_pending: true,
  database_newer: true,
  database_damaged: true,
  cannot_write: true,
  not_recorded: true,
  busy: true,
  counter_unavailable: true,
  key_refused: true,
  host_limited: true,
  internal: true,
};

const text = (words: MessageDescriptor | string) => (typeof words === "string" ? words : i18n._(words));

describe("words for failures", () => {
  it("exist for every code: what happened, what the program said, what to do next", () => {
    const titles = new Set<string>();
    for (const code of Object.keys(CODES) as Code[]) {
      const words = wordsFor(new ApiFailure({ code, message: "It said this.", hint: "", subject: "a.md" }));
      titles.add(text(words.title));
      expect(text(words.title), code).not.toBe("");
      expect(text(words.next), code).not.toBe("");
      expect(words).toMatchObject({ detail: "It said this.", subject: "a.md" });
    }
    expect(titles.size).toBe(Object.keys(CODES).length);
  });

  it("take the program's advice where there is one", () => {
    expect(wordsFor(new ApiFailure({ code: "busy", message: "", hint: "Wait.", subject: "" })).next).toBe("Wait.");
  });

  it("take an unknown code for an inner failure, and show what was said", () => {
    const words = wordsFor(
      new ApiFailure({ code: "brand_new" as Code, message: "Something new.", hint: "", subject: "" }),
    );
    expect(words).toMatchObject({ tone: "failure", detail: "Something new." });
  });

  it("exist for a missing answer, a refused token, and anything else", () => {
    expect(text(wordsFor(new Unreachable("refused")).title)).toContain("does not answer");
    expect(text(wordsFor(new Unauthorized()).next)).toContain("retrace serve");
    expect(wordsFor(new Error("odd")).detail).toBe("odd");
    expect(wordsFor("odd").tone).toBe("failure");
  });
});

it("says an answer as it comes over HTTP in the words of the window", async () => {
  const message = { id: "failures.directory_not_exist", args: {}, text: "The directory does not exist." };
  const hint = {
    id: "imported.no_imported_history_reaches_back",
    args: {},
    text: "`retrace import git` brings it in.",
  };
  const wire = {
    code: "store_unavailable",
    message: message.text,
    hint: hint.text,
    subject: "/x",
    messages: { message, hint },
  };
  const failure = new ApiFailure(readApiError({ error: wire })!);
  expect(text(wordsFor(failure).next)).toContain("Stores");
  await switchLanguage("ja");
  const words = wordsFor(failure);
  expect(words.detailLanguage).toBeNull();
  expect(words.detail + text(words.next)).not.toMatch(/retrace import|directory/);
  await switchLanguage("en");
});
