import { expect, it } from "vitest";
import { plainPrompt, readPrompt } from "./prompt";

it("shows a command as it was typed, and its output as what it is", () => {
  expect(readPrompt("<bash-input>git fetch --all</bash-input>")).toEqual({ text: "! git fetch --all", code: true });
  const command =
    "<command-message>review is running</command-message>\n<command-name>/review</command-name>\n<command-args>the cart</command-args>";
  expect(readPrompt(command)).toEqual({ text: "/review the cart", code: true });
  expect(plainPrompt("<local-command-stdout>Done</local-command-stdout>")).toBe("Done");
  expect(plainPrompt("<bash-stdout>two\nlines</bash-stdout><bash-stderr></bash-stderr>")).toBe("two\nlines");
  // A title may be cut in the middle of it.
  expect(plainPrompt("<bash-input>git log --one")).toBe("! git log --one");
});

it("leaves words of a person as they are", () => {
  for (const text of ["Move to v3", "What does <bash-input>ls</bash-input> mean?", "<b>bold</b>", ""])
    expect(readPrompt(text)).toEqual({ text, code: false });
});
