/** State of the search and command palette, and the list of keys. */
import { observable, useObservable } from "./observable";

const palette = observable(false);
const keyHelp = observable(false);

/** Opens or closes the palette. */
export const setPaletteOpen = palette.set;
/** True if the palette is open. */
export const usePaletteOpen = (): boolean => useObservable(palette);
/** Opens or closes the list of keys. */
export const setKeyHelpOpen = keyHelp.set;
/** True if the list of keys is open. */
export const useKeyHelpOpen = (): boolean => useObservable(keyHelp);
