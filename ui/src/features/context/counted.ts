/** With what the tokens of a run are counted. Counts of one file differ between the tokenizers of models. */
import { useLingui } from "@lingui/react/macro";
import { createContext, useContext } from "react";
import type { ContextShow } from "@/bindings";

const Tokenizer = createContext<string | null>(null);

/** Gives the tokenizer of a run, as `useTokenizer` names it, to all figures below. */
export const CountedWith = Tokenizer.Provider;

/** The tokenizer with which the figures here are counted; null where it is not the same for all, or not known. */
export const useCountedWith = () => useContext(Tokenizer);

/** The name of a run's tokenizer; null where its counts are an estimate. */
export function useTokenizer(show: ContextShow): string | null {
  const { t } = useLingui();
  if (show.family_range_percent !== null) return null;
  return show.family_assumed ? t`${show.family} (assumed)` : show.family;
}

/** The same for the status line. */
export function useCounterNote(show: ContextShow): string {
  const { t } = useLingui();
  const family = useTokenizer(show);
  return family === null
    ? t`counter: an estimate, the tokenizer of ${show.model ?? ""} is not known`
    : t`counter: offline, tokenizer ${family}`;
}
