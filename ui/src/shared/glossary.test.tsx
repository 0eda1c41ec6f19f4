/** The meanings of terms: the same as in the documents, and reached by keyboard. */
import { readFileSync } from "node:fs";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { GLOSSARY } from "./glossary";
import { RuleTerm, Term, TermMark } from "./Term";
import { renderPart } from "./testing";

it("has the texts of docs/GLOSSARY.md, in their order", () => {
  const [, table = ""] = readFileSync("../docs/GLOSSARY.md", "utf8").split("## Words in the window");
  const rows = table
    .split("\n")
    .filter((line) => /^\| (?!---|term )/.test(line))
    .map((line) => line.slice(2, -2).split(" | "));
  expect(rows).toEqual(Object.entries(GLOSSARY).map(([term, { message }]) => [term, message]));
  expect(rows.map(([term]) => term)).toEqual(rows.map(([term]) => term).toSorted());
});

it("shows a meaning to whoever comes to a term by keyboard", async () => {
  const user = userEvent.setup();
  renderPart(
    <>
      <Term of="by time alone">by time alone</Term>
      <TermMark of="clear_at_least" />
      <RuleTerm rule="links/orphan">orphan</RuleTerm>
      <RuleTerm rule="links/missing-file">missing file</RuleTerm>
    </>,
  );
  for (const [name, meaning] of [
    ["by time alone", /nothing else connects/],
    ["What clear_at_least means", /the cache stays valid/],
    ["orphan", /no index names/],
    ["missing file", /leads to a file that is not in the directory/],
  ] as const) {
    await user.tab();
    expect(screen.getByRole("button", { name })).toHaveFocus();
    expect(await screen.findByTestId("term-meaning")).toHaveTextContent(meaning);
    expect(screen.getByRole("button", { name })).toHaveAccessibleDescription(meaning);
  }
});

it("shows a meaning to whoever presses a term, by pointer, touch or Enter", async () => {
  const user = userEvent.setup();
  renderPart(
    <>
      <RuleTerm rule="links/orphan">orphan</RuleTerm>
      <button type="button">elsewhere</button>
    </>,
  );
  const term = screen.getByRole("button", { name: "orphan" });
  const meaning = () => screen.findByTestId("term-meaning");
  const leave = async () => {
    await user.keyboard("{Escape}");
    await user.click(screen.getByText("elsewhere"));
    await waitFor(() => expect(screen.queryByTestId("term-meaning")).toBeNull());
  };
  await user.click(term);
  expect(await meaning()).toHaveTextContent(/no index names/);
  await leave();
  await user.pointer([{ keys: "[TouchA]", target: term }]);
  expect(await meaning()).toBeVisible();
  await leave();
  await user.tab({ shift: true });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByTestId("term-meaning")).toBeNull());
  await user.keyboard("{Enter}");
  expect(await meaning()).toBeVisible();
});

it("leaves out a mark that would have nothing to say", () => {
  renderPart(<TermMark of="above" />);
  expect(screen.queryByTestId("term")).toBeNull();
});
