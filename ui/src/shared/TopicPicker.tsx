/** Chooses the topic file that lines of an index go to: one that is there, or a new one. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Command } from "cmdk";
import { useState } from "react";
import { Sheet } from "@/shared/overlay";
import { fileName } from "@/shared/text";
import { Kbd } from "@/shared/ui";
import { useMemories } from "@/state/memory";

/** A name as a path of a Markdown file: `build rules` is `build-rules.md`. */
export function topicPath(name: string): string {
  const path = name.trim().replace(/^\/+/, "").replace(/\s+/g, "-");
  return path === "" || path.endsWith(".md") ? path : `${path}.md`;
}

/** The picker. */
export function TopicPicker({
  store,
  onChoose,
  onClose,
}: {
  store: string;
  onChoose: (path: string) => void;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const [name, setName] = useState("");
  const memories = useMemories(store, undefined).data?.memories ?? [];
  const topics = memories
    .map(({ path }) => path)
    .filter((path) => path !== null)
    .filter((path) => path.endsWith(".md") && fileName(path) !== "MEMORY.md");
  const fresh = topicPath(name);
  const isNew = fresh !== "" && !topics.includes(fresh);
  return (
    <Sheet
      title={t`Move into a topic file`}
      onClose={onClose}
      testId="topic-picker"
      footer={
        <span className="muted">
          <Trans>
            <Kbd keys="↑" /> <Kbd keys="↓" /> choose, <Kbd keys="Enter" /> moves. A preview comes first.
          </Trans>
        </span>
      }
    >
      <Command label={t`Topic files`} className="topic-picker">
        <Command.Input
          autoFocus
          value={name}
          onValueChange={setName}
          placeholder={t`Name of a topic file, or of a new one`}
          data-testid="topic-name"
        />
        <Command.List className="topic-list">
          {topics.map((path) => (
            <Command.Item key={path} value={path} onSelect={() => onChoose(path)} data-testid="topic-item">
              <span className="mono">{path}</span>
            </Command.Item>
          ))}
          {isNew ? (
            <Command.Item forceMount value={`new ${fresh}`} onSelect={() => onChoose(fresh)} data-testid="topic-new">
              <Trans>
                New topic file <span className="mono">{fresh}</span>
              </Trans>
            </Command.Item>
          ) : (
            <p className="side-note">
              <Trans>Type a name for a new topic file.</Trans>
            </p>
          )}
        </Command.List>
      </Command>
    </Sheet>
  );
}
