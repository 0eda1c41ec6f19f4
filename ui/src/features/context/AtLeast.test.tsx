import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPart } from "@/shared/testing";
import { AtLeast } from "./AtLeast";
import { PartialTokens } from "./PartialTokens";

it("says in words why a price is a lower bound, and nothing where it is none", () => {
  const { container } = renderPart(<AtLeast />);
  expect(container.querySelector("p")).toBeNull();
  renderPart(<AtLeast placeholders={120} fast={1} />);
  const shown = screen.getByTestId("at-least").textContent;
  expect(shown).toContain("for the output of 120 requests the client recorded a placeholder");
  expect(shown).toContain("1 request ran in fast mode");
});

it("says of a part of a file that it is one", () => {
  renderPart(<PartialTokens tokens={413} partial={false} />);
  expect(screen.queryByTestId("partial-tokens")).toBeNull();
  renderPart(<PartialTokens tokens={413} partial />);
  expect(screen.getByTestId("partial-tokens")).toHaveTextContent("only parts of the file were loaded");
});
