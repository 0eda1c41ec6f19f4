/// <reference types="node" />
import { i18n } from "@lingui/core";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { activateLanguage, switchLanguage } from ".";
import { finalOf, marked, withParticles } from "./particles";

afterEach(activateLanguage);

/** What a message with a value before a particle says. */
function said(written: string, value: string): string {
  const filled = marked(compileMessage(written)).map((token) => (typeof token === "string" ? token : value));
  return withParticles(filled.join(""));
}

describe("the end of a word", () => {
  it.each([
    ["기억", "consonant"],
    ["저장소", "vowel"],
    ["파일", "rieul"],
    ["10", "consonant"],
    ["2", "vowel"],
    ["7", "rieul"],
    ["34 %", "vowel"],
    ["checkout.md", "vowel"],
    ["page.html", "rieul"],
    ["webshop", "consonant"],
    ["infra", "vowel"],
    ["file", "rieul"],
    ["file-name", "consonant"],
    ["git", "consonant"],
    ["stack", "consonant"],
    ["notebook", "consonant"],
    ["client", "vowel"],
    ["hub", "vowel"],
    ["URL", "rieul"],
    ["README", "vowel"],
    ["“checkout.md”", "vowel"],
    ["`drop`", "consonant"],
    ["~/notes/", "vowel"],
    ["검토자(Ann)", "vowel"],
    ["<0>팀</0>", "consonant"],
    ["メモリ", null],
    ["<0/>", null],
    ["", null],
  ])("of %s is %s", (word, final) => {
    expect(finalOf(word)).toBe(final);
  });
});

it.each([
  ["{0}을(를) 기록", ["기억을 기록", "저장소를 기록", "파일을 기록"]],
  ["{0}이(가) 씀", ["기억이 씀", "저장소가 씀", "파일이 씀"]],
  ["{0}은(는) 없음", ["기억은 없음", "저장소는 없음", "파일은 없음"]],
  ["{0}과(와) 같음", ["기억과 같음", "저장소와 같음", "파일과 같음"]],
  ["{0}와(과) 같음", ["기억과 같음", "저장소와 같음", "파일과 같음"]],
  ["{0}(으)로 바꿈", ["기억으로 바꿈", "저장소로 바꿈", "파일로 바꿈"]],
  ["{0}(이)라는 것", ["기억이라는 것", "저장소라는 것", "파일이라는 것"]],
])("%s has one form", (written, expected) => {
  expect(["기억", "저장소", "파일"].map((word) => said(written, word))).toEqual(expected);
});

it("keeps both forms where the end of the word cannot be known", () => {
  expect(said("{0}을(를) 기록", "メモリ")).toBe("メモリ을(를) 기록");
});

it("changes nothing in a value", () => {
  expect(said("{0}을(를) 기록", "이(가)을(를).md")).toBe("이(가)을(를).md를 기록");
});

it("is used for what the window and the program say", async () => {
  await switchLanguage("ko");
  const said = (path: string) => i18n._("file.is_directory", { path });
  expect([said("기억"), said("notes")]).toEqual(["“기억”은 디렉터리입니다", "“notes”는 디렉터리입니다"]);
});

it("has no particle after a part of a page, whose words no message holds", () => {
  for (const catalogue of ["ko", "program/ko"]) {
    const text = readFileSync(join(import.meta.dirname, `locales/${catalogue}.po`), "utf8");
    expect(text.match(/^.*\/>(?:을\(를\)|이\(가\)|은\(는\)|과\(와\)|와\(과\)|\(으\)로|\(이\)라).*$/gmu) ?? []).toEqual(
      [],
    );
  }
});
