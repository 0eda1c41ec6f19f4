/** Sheets that are opened from elsewhere: from the palette, from another screen. */
import { observable, useObservable } from "./observable";

/** A sheet of the screen of stores. */
export type StoresSheet = "add-hosted" | "attach-list" | null;

const open = observable<StoresSheet>(null);

/** Opens a sheet of the screen of stores, or closes it. */
export const openStoresSheet = open.set;
/** The sheet that is open. */
export const useStoresSheet = (): StoresSheet => useObservable(open);
