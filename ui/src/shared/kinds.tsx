/** Kinds of memory files, in words. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { MemoryClass, MemoryKind, MemoryScope } from "@/bindings";
import { topicType } from "@/state/kinds";
import { Chip, useWords } from "./ui";

const CLASSES: Record<MemoryClass, MessageDescriptor | null> = {
  index: msg`index`,
  topic: msg`topic`,
  daily_log: msg`daily log`,
  instructions: msg`instructions`,
  proposal: msg`proposal`,
  other: null,
};

/** Filters of a list beside the classes. */
const OTHERS: Record<"other" | Exclude<MemoryScope, "project">, MessageDescriptor> = {
  other: msg`other files`,
  team: msg`team`,
  agent_user: msg`agent, all projects`,
  agent_project: msg`agent, this project`,
  agent_local: msg`agent, only here`,
};

/** Purpose of a memory; null where there is nothing to say. */
export function classWords(kind: MemoryKind): MessageDescriptor | null {
  return CLASSES[kind.class];
}

/** Types that agents write; a file may name any other. */
const TYPES: Record<string, MessageDescriptor> = {
  user: msg`about the user`,
  feedback: msg`feedback`,
  project: msg`about the project`,
  reference: msg`reference`,
};

/** The type of its front matter; one that is not known stands as it is. */
export function typeWords(type: string): MessageDescriptor | string {
  return TYPES[type] ?? type;
}

/** Whose memory it is: a team's, or an agent's. */
function useOwner(): (kind: MemoryKind) => string | null {
  const { t } = useLingui();
  return ({ scope, agent }) => {
    const name = agent ?? "";
    switch (scope) {
      case "team":
        return t`team`;
      case "agent_user":
        return t`agent ${name}, all projects`;
      case "agent_project":
        return t`agent ${name}, this project`;
      case "agent_local":
        return t`agent ${name}, only here`;
      case "project":
      case null:
        return null;
    }
  };
}

/** Name of a kind of `state/kinds.ts` is called. */
export function useKindName(): (kind: string) => string {
  const { t } = useLingui();
  const say = useWords();
  return (kind) => {
    const type = topicType(kind);
    if (type !== null) return t`topic, ${say(typeWords(type))}`;
    const word = CLASSES[kind as MemoryClass] ?? OTHERS[kind as keyof typeof OTHERS];
    return word ? say(word) : kind;
  };
}

/** Chips that say what kind of memory a file is. */
export function KindChips({ kind }: { kind: MemoryKind }) {
  const say = useWords();
  const owner = useOwner()(kind);
  const word = classWords(kind);
  return (
    <>
      {word && <Chip data-testid="kind-class">{say(word)}</Chip>}
      {kind.memory_type && <Chip data-testid="kind-type">{say(typeWords(kind.memory_type))}</Chip>}
      {owner && <Chip tone="accent">{owner}</Chip>}
    </>
  );
}
