/** Hands the backend to the components below. */
import { createContext, useContext } from "react";
import type { Backend } from "@/host";

const BackendContext = createContext<Backend | null>(null);

/** Puts a backend above the components that use it. */
export const BackendProvider = BackendContext.Provider;

/** The backend of this window. */
export function useBackend(): Backend {
  const backend = useContext(BackendContext);
  if (!backend) throw new Error("useBackend is called outside of BackendProvider");
  return backend;
}
