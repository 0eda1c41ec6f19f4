/** Lines of an index that are on their way to a file of the tree, and the file they are over. */
import { observable, useObservable } from "./observable";

const over = observable<string | null>(null);

/** Says over which file of the tree lines are held; null for none. */
export function setDropPath(path: string | null): void {
  if (over.get() !== path) over.set(path);
}

/** The file of the tree over which lines are held. */
export function useDropPath(): string | null {
  return useObservable(over);
}
