/**
 * Every key of the window at once: no command lies on a key that begins longer ones, none has two meanings in one place, and
 * what concerns several items asks first. What the sources say is searched, and what each screen really registers.
 */
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { openWindow } from "./testing";
import { openBindings, prefixesAmong } from "@/state/keys";
import { formatRoute, type Route } from "@/state/route";
// Screens that the window loads when it goes there: on a busy machine that takes longer than a condition is waited for.
import "@/features/context/ContextLab";
import "@/features/health/HealthScreen";
import "@/features/redactions/RedactionsScreen";
import "@/features/settings/SettingsScreen";
import "@/features/stores/StoresScreen";
import "@/features/timeline/TimelineScreen";

const sources = import.meta.glob<string>(["../**/*.{ts,tsx}", "!../**/*.test.{ts,tsx}"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The keys that a file registers, a call of `useKeys` each. */
function registered(source: string): string[][] {
  const calls = source.split("useKeys([").slice(1);
  return calls.map((rest) => {
    const call = rest.slice(0, rest.indexOf("\n  ]);"));
    return [...call.matchAll(/\bkeys: "([^"]+)"/g)].map(([, keys]) => keys!);
  });
}

/** The sequences that lead to places, which one call takes from a list. */
const places = [...(sources["../features/search/Palette.tsx"] ?? "").matchAll(/"(g .)"/g)].map(([, keys]) => keys!);

const written = Object.entries(sources).flatMap(([file, source]) => registered(source).map((keys) => ({ file, keys })));

const ROUTES: Route[] = [
  { screen: "inbox" },
  { screen: "memories" },
  { screen: "timeline" },
  { screen: "health" },
  { screen: "context" },
  { screen: "redactions" },
  { screen: "stores" },
  { screen: "stores", view: "hosted" },
  { screen: "stores", view: "dreams" },
  { screen: "stores", view: "compare" },
  { screen: "settings" },
];

describe("the keys that the sources name", () => {
  it("are found", () => {
    expect(places).toContain("g i");
    expect(written.length).toBeGreaterThan(10);
    const inbox = written.filter(({ file }) => file.includes("/inbox/")).flatMap(({ keys }) => keys);
    expect(inbox).toContain("shift+a");
  });

  it("hold no command that begins a longer one, anywhere in the window", () => {
    expect(prefixesAmong([...places, ...written.flatMap(({ keys }) => keys)])).toEqual([]);
  });

  it("mean one thing in one place", () => {
    for (const { file, keys } of written) expect(keys, file).toEqual([...new Set(keys)]);
  });
});

describe("the keys that a screen registers", () => {
  it.each(ROUTES.map((route) => [formatRoute(route), route] as const))("hold no such pair: %s", async (hash) => {
    const { view } = openWindow(hash);
    await screen.findByTestId("status-line");
    await waitFor(() => expect(document.querySelector("main")).not.toBeNull());
    const keys = openBindings().map((binding) => binding.keys);
    expect(keys).toContain("g i");
    expect(prefixesAmong(keys)).toEqual([]);
    expect(keys, "a bare g is nothing but a beginning").not.toContain("g");
    view.unmount();
  });
});
