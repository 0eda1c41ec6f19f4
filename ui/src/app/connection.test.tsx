import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Unauthorized } from "@/host";
import { fakeBackend } from "@/host/fake";
import { lazily } from "@/shared/lazily";
import { renderPart } from "@/shared/testing";
import { Boundary } from "@/shared/Boundary";
import { openWindow } from "./testing";
import { Suspense } from "react";
import "@/features/timeline/TimelineScreen";

describe("a program that does not answer", () => {
  it("is told at once, keeps what is on screen, and is found again by itself", async () => {
    const { fake, user } = openWindow("#/timeline");
    await screen.findAllByTestId("timeline-row");
    expect(screen.getByTestId("recording")).toHaveTextContent("recording");
    fake.goAway();
    const banner = await screen.findByTestId("connection-lost");
    expect(banner).toHaveTextContent("The program has not answered since");
    expect(screen.getByTestId("recording")).toHaveTextContent("no answer");
    expect(screen.getAllByTestId("timeline-row").length).toBeGreaterThan(0);
    // Another screen is there, too, with what is known.
    await user.keyboard("gi");
    await screen.findByTestId("inbox-screen");
    const before = fake.calls.length;
    fake.comeBack();
    await user.click(screen.getByTestId("connect-now"));
    await waitFor(() => expect(screen.queryByTestId("connection-lost")).toBeNull());
    await waitFor(() => expect(screen.getByTestId("recording")).toHaveTextContent("recording"));
    // Reads on screen are repeated.
    await waitFor(() => expect(fake.calls.slice(before).map(({ name }) => name)).toContain("triage"));
  });

  it("is asked again without anybody doing something", async () => {
    const { fake } = openWindow("#/timeline");
    await screen.findAllByTestId("timeline-row");
    fake.goAway();
    await screen.findByTestId("connection-lost");
    fake.comeBack();
    await waitFor(() => expect(screen.queryByTestId("connection-lost")).toBeNull(), { timeout: 10_000 });
  });

  it("is not said where events alone broke off", async () => {
    const fake = fakeBackend();
    let broken: (() => void) | undefined;
    const subscribe = fake.subscribe.bind(fake);
    fake.subscribe = (listener, then) => {
      broken = then;
      return subscribe(listener, then);
    };
    openWindow("#/timeline", fake);
    await screen.findAllByTestId("timeline-row");
    const asked = () => fake.calls.filter(({ name }) => name === "status").length;
    const before = asked();
    broken?.();
    await waitFor(() => expect(asked()).toBeGreaterThan(before));
    expect(screen.queryByTestId("connection-lost")).toBeNull();
  });

  it("and comes back with another key says what to do", async () => {
    const { fake } = openWindow("#/timeline");
    await screen.findAllByTestId("timeline-row");
    fake.goAway();
    await screen.findByTestId("connection-lost");
    fake.comeBack();
    fake.call = () => Promise.reject(new Unauthorized());
    await screen.findByText("This page has no key to the program");
  });
});

describe("what is recorded", () => {
  it("is not told as recording where there is nothing to record", async () => {
    const fake = fakeBackend();
    for (const store of fake.log.stores) store.state = "paused";
    openWindow("#/timeline", fake);
    await waitFor(() => expect(screen.getByTestId("recording")).toHaveTextContent("nothing recorded"));
  });

  it("is told as a part where it is one", async () => {
    const fake = fakeBackend();
    const all = fake.log.stores.length;
    fake.log.stores[0]!.state = "missing";
    openWindow("#/timeline", fake);
    await waitFor(() => expect(screen.getByTestId("recording")).toHaveTextContent(`recording ${all - 1} of ${all}`));
  });
});

describe("a part that fails", () => {
  it("is replaced by words, and drawn again", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    let fails = true;
    const Part = () => {
      if (fails) throw new Error("too deep");
      return <p>all is well</p>;
    };
    const fallback = ({ error, again }: { error: unknown; again: () => void }) => (
      <button onClick={again}>{String(error)}</button>
    );
    renderPart(<Boundary fallback={fallback}>{<Part />}</Boundary>);
    const button = screen.getByRole("button", { name: /too deep/ });
    fails = false;
    button.click();
    await screen.findByText("all is well");
  });

  it("is loaded again after it could not be", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    let gone = true;
    const Part = lazily(
      () => (gone ? Promise.reject(new TypeError("Failed to fetch")) : Promise.resolve({ Part: () => <p>loaded</p> })),
      "Part",
    );
    renderPart(
      <Boundary fallback={({ error, again }) => <button onClick={again}>{(error as Error).name}</button>}>
        <Suspense fallback="waiting">
          <Part />
        </Suspense>
      </Boundary>,
    );
    const button = await screen.findByRole("button", { name: "NotLoaded" });
    gone = false;
    button.click();
    await screen.findByText("loaded");
  });
});
