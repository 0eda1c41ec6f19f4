/** Note of the screen in the status line, in place of what the log says there. */
import { useEffect } from "react";
import { observable, useObservable } from "./observable";

const notes = observable<readonly string[]>([]);

/** Shows these words in the status line while the calling component is on screen. */
export function useStatusNotes(words: readonly string[]): void {
  const text = words.join("\u0000");
  useEffect(() => {
    notes.set(text === "" ? [] : text.split("\u0000"));
    return () => notes.set([]);
  }, [text]);
}

/** Notes of the screen; empty when it says nothing. */
export function useNotes(): readonly string[] {
  return useObservable(notes);
}
