/** Reviews of this window that can be taken back, newest last. */
import { observable, useObservable } from "./observable";

/** A review of this window. */
export interface UndoableReview {
  /** Its number. */
  seq: number;
  /** Its subject, for people. */
  subject: string;
}

const done = observable<readonly UndoableReview[]>([]);

/** Remembers a review that can be taken back. */
export function rememberReview(review: UndoableReview): void {
  done.set([...done.get(), review]);
}

/** Forgets a review: it was taken back, or cannot be. */
export function forgetReview(seq: number): void {
  done.set(done.get().filter((known) => known.seq !== seq));
}

/** Forgets all. */
export function forgetReviews(): void {
  done.set([]);
}

/** The newest review of this window that can be taken back. */
export function useNewestReview(): UndoableReview | null {
  return useObservable(done).at(-1) ?? null;
}
