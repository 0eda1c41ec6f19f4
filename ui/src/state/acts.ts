/**
 * Acts that were asked for. Screens ask; the feature `acts` shows the preview, carries it out and offers the way back.
 * This is the only link between them.
 */
import type { Request } from "@/host";
import { observable, useObservable } from "./observable";

/** An act, with what a preview needs to say about it. */
export type Act =
  | { command: "rollback"; request: Omit<Request<"rollback">, "dry_run">; subject: string }
  | { command: "restore"; request: Omit<Request<"restore">, "dry_run">; subject: string }
  | { command: "undo"; request: Omit<Request<"undo">, "dry_run">; subject: string }
  | { command: "move_entry"; request: Omit<Request<"move_entry">, "dry_run">; subject: string }
  | { command: "expire"; request: Omit<Request<"expire">, "dry_run">; subject: string }
  | {
      command: "accept_memories";
      request: Omit<Request<"accept_memories">, "dry_run">;
      subject: string;
      versions: Versions;
    }
  | { command: "allow_finding"; request: Omit<Request<"allow_finding">, "dry_run">; subject: string }
  | { command: "strip_characters"; request: Omit<Request<"strip_characters">, "dry_run">; subject: string };

/** The version that holds what is to be written, by path, where the act knows it. */
export type Versions = Readonly<Record<string, string | null>>;

/** An act of this window that can be taken back. */
export interface Undoable {
  /** Its operation. */
  operation: number;
  /** Its subject. */
  subject: string;
}

const open = observable<Act | null>(null);
const newest = observable<Undoable | null>(null);

/** Opens the preview of an act. */
export function startAct(act: Act): void {
  open.set(act);
}

/** Closes the preview. */
export function closeAct(): void {
  open.set(null);
}

/** The act whose preview is open. */
export function useOpenAct(): Act | null {
  return useObservable(open);
}

/** Remembers the act that `u` takes back; null for none. */
export function rememberUndo(act: Undoable | null): void {
  newest.set(act);
}

/** The newest act of this window that can be taken back. */
export function useUndoable(): Undoable | null {
  return useObservable(newest);
}
