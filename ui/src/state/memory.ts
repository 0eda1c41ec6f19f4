/** Facts of the screens about the memory they show: its row, its versions with their numbers, what is on disk. */
import { useMemo } from "react";
import type { Memory, Store, Version } from "@/bindings";
import { ApiFailure } from "@/host";
import { kindsOf } from "./kinds";
import { useLog, useRead } from "./queries";
import type { MemoriesRoute } from "./route";

/** A version with its number within its memory, where that is known. */
export interface NumberedVersion {
  /** The version. */
  version: Version;
  /** Its number, from 1 for the oldest; null while not all are known. */
  number: number | null;
}

/** The store a place is about: the one it names, or the first one that holds something. */
export function chooseStore(stores: readonly Store[], wanted: string | undefined): Store | null {
  const named = stores.find(({ id, name }) => id === wanted || name === wanted);
  return named ?? stores.find(({ memories }) => memories > 0) ?? stores[0] ?? null;
}

/** The memory a place is about: the one it names, or the index, or the first. Null when the named one is gone. */
export function chooseMemory(memories: readonly Memory[], wanted: string | undefined): Memory | null {
  if (wanted !== undefined) return memories.find(({ id }) => id === wanted) ?? null;
  return memories.find(({ path }) => path === "MEMORY.md") ?? memories[0] ?? null;
}

/** The memories that a place shows: all, or those of its kind. */
export function shownMemories(memories: readonly Memory[], kind: string | undefined): readonly Memory[] {
  return kind === undefined ? memories : memories.filter((memory) => kindsOf(memory.kind).includes(kind));
}

/** The memory of a place: the one it names, whatever its kind, or the one to begin with among those it shows. */
export function memoryOf(memories: readonly Memory[], route: MemoriesRoute): Memory | null {
  return chooseMemory(route.memory === undefined ? shownMemories(memories, route.kind) : memories, route.memory);
}

/** The store of a place. */
export function useChosenStore(route: MemoriesRoute) {
  const read = useRead("stores", {});
  return { read, store: read.data ? chooseStore(read.data.stores, route.store) : null };
}

/** The memories of a store, now or as of an operation. */
export function useMemories(store: string | null, at: number | undefined) {
  const request = { store: store ?? "", at: at === undefined ? null : String(at) };
  return useRead("memories", request, { enabled: store !== null, keepPrevious: false });
}

/** The versions of a memory, newest first, with numbers. */
export function useVersions(memory: string | null, total: number | null) {
  const log = useLog({ memory }, memory !== null);
  const versions = useMemo(() => {
    const flat = log.data?.pages.flatMap((page) => page.versions) ?? [];
    const count = total ?? (log.hasNextPage ? null : flat.length);
    return flat.map((version, at): NumberedVersion => ({ version, number: count === null ? null : count - at }));
  }, [log.data, log.hasNextPage, total]);
  return { log, versions };
}

/** State of the file on disk against the newest version. */
export type DiskState = "same" | "differs" | "gone" | "unknown";

/** Compares the file on disk with the newest version. */
export function useDiskState(store: string | null, path: string | null, newestHash: string | null): DiskState {
  const target = `${store}:${path}`;
  const read = useRead("document", { target, highlight: false }, { enabled: store !== null && path !== null });
  if (read.error instanceof ApiFailure && read.error.error.code === "not_found") return "gone";
  if (!read.data || newestHash === null) return "unknown";
  return read.data.content_sha256 === newestHash ? "same" : "differs";
}
