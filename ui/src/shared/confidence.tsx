/** Confidence in the writer of something. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Chip, useWords } from "./ui";

const CONFIDENCE: Record<string, { word: MessageDescriptor; tone: "add" | "accent" | "warn" | "plain" }> = {
  stated: { word: msg`stated by the writer`, tone: "add" },
  exact_content: { word: msg`exact content`, tone: "add" },
  likely: { word: msg`likely`, tone: "accent" },
  front_matter: { word: msg`named in the file`, tone: "accent" },
  time_only: { word: msg`by time alone`, tone: "warn" },
  unknown: { word: msg`unknown`, tone: "plain" },
};

/** Confidence of an answer, in a word. */
export function ConfidenceChip({ confidence }: { confidence: string }) {
  const say = useWords();
  const known = CONFIDENCE[confidence];
  return known ? <Chip tone={known.tone}>{say(known.word)}</Chip> : <Chip>{confidence}</Chip>;
}
