import type { Message } from "@/bindings";

/** A message without a translation. */
export const verbatim = (text: string): Message => ({ id: "verbatim", args: {}, text });
