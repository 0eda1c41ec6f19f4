/** Where the transcript of a write is shown. */
import type { OriginNote } from "@/bindings";
import type { Route } from "@/state/route";

/** The transcript at the turn of the write; null where no transcript is known. */
export function transcriptPlace(note: Pick<OriginNote, "transcript" | "turn"> | null): Route | null {
  if (!note?.transcript) return null;
  return { screen: "context", transcript: note.transcript, turn: note.turn ?? undefined };
}
