/** Confidence in the writer of something. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { TermName } from "./glossary";
import { Term } from "./Term";
import { Chip, useWords } from "./ui";

const CONFIDENCE: Record<
  string,
  { word: MessageDescriptor; tone: "add" | "accent" | "warn" | "plain"; term?: TermName }
> = {
  stated: { word: msg`stated by the writer`, term: "stated by the writer", tone: "add" },
  exact_content: { word: msg`exact content`, term: "exact content", tone: "add" },
  likely: { word: msg`likely`, term: "likely", tone: "accent" },
  front_matter: { word: msg`named in the file`, term: "named in the file", tone: "accent" },
  time_only: { word: msg`by time alone`, term: "by time alone", tone: "warn" },
  unknown: { word: msg`unknown`, tone: "plain" },
};

/** Confidence of an answer, in a word. */
export function ConfidenceChip({ confidence }: { confidence: string }) {
  const say = useWords();
  const known = CONFIDENCE[confidence];
  if (!known) return <Chip>{confidence}</Chip>;
  const chip = <Chip tone={known.tone}>{say(known.word)}</Chip>;
  return known.term ? <Term of={known.term}>{chip}</Term> : chip;
}
