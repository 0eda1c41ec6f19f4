import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPart } from "@/shared/testing";
import { Unanswered } from "./Unanswered";

it("lists recorded requests without an answer, and is not there without one", () => {
  renderPart(<Unanswered requests={[]} />);
  expect(screen.queryByTestId("lab-unanswered")).toBeNull();
  renderPart(<Unanswered requests={[{ id: "1f-2e", time: null, source: "compact", messages: 3 }]} />);
  const shown = screen.getByTestId("lab-unanswered");
  expect(shown).toHaveTextContent("1 recorded request without an answer");
  expect(shown).toHaveTextContent("1f-2e compact · 3 messages");
});
