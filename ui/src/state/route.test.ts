import { describe, expect, it } from "vitest";
import { formatRoute, parseRoute, type Route, START } from "./route";

describe("places", () => {
  it("read back as they were written", () => {
    const places: Route[] = [
      {
        screen: "memories",
        store: "memstore_1",
        memory: "mem_2",
        version: "memver_3",
        base: "memver_4",
        tab: "diff",
        line: 12,
        at: 7,
      },
      { screen: "inbox", store: "memstore_1", memory: "mem_2", kind: "topic:a b&c" },
      { screen: "memories", store: "memstore_1", kind: "agent_local" },
      { screen: "timeline", store: "a b&c", operation: 3, version: "memver_1" },
      { screen: "redactions", receipt: "receipt_1", versions: ["memver_1", "memver_2"] },
      {
        screen: "redactions",
        finding: { store: "memstore_1", path: "a & b.md", rule: "secret/github-token", start: 0 },
      },
      { screen: "stores", store: "memstore_1" },
      { screen: "stores", view: "dreams", host: "https://example.com/api" },
      { screen: "stores", view: "compare", from: "memstore_1@2031-04-02T09:00:00Z", to: "memstore_1" },
      { screen: "settings" },
    ];
    for (const place of places) expect(parseRoute(formatRoute(place))).toEqual(place);
  });

  it("start somewhere sensible, whatever the address says", () => {
    for (const hash of ["", "#", "#/", "#/inbox", "#/inbox?kind=no-kind", "#token=abc", "#/%E0%A4%A"])
      expect(parseRoute(hash)).toEqual(START);
    expect(parseRoute("#/memories?line=-1&at=abc&tab=nope")).toMatchObject({
      line: undefined,
      at: undefined,
      tab: undefined,
    });
  });
});
