import { describe, expect, it } from "vitest";
import type { Dream } from "@/bindings";
import { hostName, isHostUrl } from "@/shared/hosts";
import { dreamProblems, missingSides, sessionsOf, sidesOf } from "./dreamForm";
import { charactersOf, readList, withField, writeList } from "./mountList";
import { sdkExample } from "./sdk";

describe("hosts", () => {
  it("have a short name", () => {
    expect(hostName("https://api.anthropic.com")).toBe("api.anthropic.com");
    expect(hostName("http://127.0.0.1:7001/team/")).toBe("127.0.0.1:7001/team");
    expect(hostName("what?")).toBe("what?");
  });

  it("are reached by https, or by http on this machine", () => {
    for (const url of ["https://a.example", "http://127.0.0.1:80", "http://localhost:7", "http://[::1]:9"])
      expect(isHostUrl(url)).toBe(true);
    for (const url of ["http://a.example", "ftp://a.example", "a.example", ""]) expect(isHostUrl(url)).toBe(false);
  });
});

describe("attach lists", () => {
  const store = { type: "memory_store", memory_store_id: "memstore_1", access: "read_only" };

  it("are read bare and as the resources of a session", () => {
    expect(readList(JSON.stringify([store])).items).toEqual([store]);
    expect(readList(JSON.stringify({ resources: [store], agent: "a" })).items).toEqual([store]);
    expect(readList("  ")).toEqual({ value: [], items: [], problem: null });
  });

  it("may be anything", () => {
    for (const text of ["7", "null", "[1, null]", '{"resources": 3}', '"x"']) expect(readList(text).items).toEqual([]);
    expect(readList("[{").problem).not.toBeNull();
  });

  it("keep what is not theirs", () => {
    const value = { agent: "a", resources: [{ type: "file", file_id: "f" }, store] };
    const { items } = readList(JSON.stringify(value));
    const written = writeList(value, [...items, withField({ type: "memory_store" }, "memory_store_id", "memstore_2")]);
    expect(JSON.parse(written)).toEqual({
      agent: "a",
      resources: [...value.resources, { type: "memory_store", memory_store_id: "memstore_2" }],
    });
  });

  it("lose a field that is emptied", () => {
    expect(withField({ type: "memory_store", instructions: "x" }, "instructions", "")).toEqual({
      type: "memory_store",
    });
  });

  it("count characters, not units of a string", () => {
    expect(charactersOf("a🦀")).toBe(2);
  });
});

describe("dreams", () => {
  const form = { store: "memstore_1", sessions: ["sesn_1"], model: "claude-x", instructions: "" };

  it("read ids from lines, commas and spaces, each once", () => {
    expect(sessionsOf(" sesn_b\nsesn_a, sesn_b\n\n")).toEqual(["sesn_b", "sesn_a"]);
  });

  it("are asked for only as the host takes them", () => {
    expect(dreamProblems(form)).toEqual([]);
    expect(dreamProblems({ ...form, store: "", sessions: [], model: " " })).toEqual(["store", "sessions", "model"]);
    expect(dreamProblems({ ...form, sessions: ["drm_1"] })).toEqual(["sessions"]);
    expect(dreamProblems({ ...form, sessions: Array.from({ length: 101 }, (_, at) => `sesn_${at}`) })).toEqual([
      "sessions",
    ]);
    expect(dreamProblems({ ...form, instructions: "🦀".repeat(4096) })).toEqual([]);
    expect(dreamProblems({ ...form, instructions: "a".repeat(4097) })).toEqual(["instructions"]);
  });

  const dream = {
    input_remote_id: "memstore_r1",
    input_store_id: "memstore_1",
    output_remote_id: "memstore_r2",
    output_store_id: null,
    output_behavior: "create_new",
    created_at: "2031-04-02T09:00:00Z",
  } as Dream;

  it("need both sides mirrored", () => {
    expect([sidesOf(dream), missingSides(dream)]).toEqual([null, ["memstore_r2"]]);
    const both = { ...dream, output_store_id: "memstore_2" };
    expect([sidesOf(both), missingSides(both)]).toEqual([{ from: "memstore_1", to: "memstore_2" }, []]);
  });

  it("that wrote into their input are compared with what it was", () => {
    const same = { ...dream, output_behavior: "update_existing", output_remote_id: "memstore_r1" };
    expect(sidesOf(same)).toEqual({ from: "memstore_1@2031-04-02T09:00:00Z", to: "memstore_1" });
  });
});

it("examples name the address and the store, never a key", () => {
  for (const sdk of ["python", "typescript", "curl"] as const) {
    const text = sdkExample(sdk, "http://127.0.0.1:7001", "memstore_1");
    expect(text).toContain("http://127.0.0.1:7001");
    expect(text).toContain("memstore_1");
    expect(text).toContain("RETRACE_TOKEN");
  }
});
