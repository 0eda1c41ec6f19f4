import { describe, expect, it } from "vitest";
import type { ActorView, Operation, Version } from "@/bindings";
import { storesOf, writersOf } from "./writers";

const session = (id: string): ActorView => ({ type: "session_actor", session_id: id, evidence: "exact_content" });
const version = (by: ActorView | null, store = "memstore_1") =>
  ({ created_by: by, origin: null, put_back: null, store_id: store }) as unknown as Version;
const operation = (versions: Version[], more: Partial<Operation> = {}) =>
  ({
    created_by: null,
    store_id: "memstore_1",
    created: versions.length,
    modified: 0,
    deleted: 0,
    versions,
    ...more,
  }) as unknown as Operation;

describe("the writers of an operation", () => {
  it("are those of its changes, where several sessions wrote them", () => {
    const of = writersOf(operation([version(session("a")), version(session("b")), version(session("a"))]));
    expect(of).toMatchObject({ kind: "sessions", writers: [{ actor: session("a") }, { actor: session("b") }] });
  });

  it("are one where all changes are its own", () => {
    expect(writersOf(operation([version(session("a")), version(session("a"))]))).toMatchObject({
      kind: "one",
      actor: session("a"),
    });
    expect(writersOf(operation([version(null)]))).toMatchObject({ kind: "one", actor: null });
  });

  it("are not all sessions where some are unknown, or lie beyond the first changes", () => {
    expect(writersOf(operation([version(session("a")), version(null)])).kind).toBe("several");
    expect(writersOf(operation([version(session("a"))], { created: 40 })).kind).toBe("several");
  });
});

describe("the stores of an operation", () => {
  it("are those of its changes, where it names none", () => {
    expect(storesOf(operation([version(null, "memstore_2")], { store_id: null }))).toEqual(["memstore_2"]);
    expect(storesOf(operation([]))).toEqual(["memstore_1"]);
  });
});
