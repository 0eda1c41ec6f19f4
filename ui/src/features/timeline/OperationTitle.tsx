/** What an operation is called: a few changes by the first memory, many by how many there are. */
import { Plural, useLingui } from "@lingui/react/macro";
import type { Operation } from "@/bindings";
import { Source } from "@/shared/labels";
import { fileName, folderOf } from "@/shared/text";
import { isMany, sizeOf } from "./rows";
import css from "./timeline.module.css";

/** How many memories, with what happened to them where that is one thing. */
export function ManyTitle({ operation }: { operation: Operation }) {
  const count = sizeOf(operation);
  if (operation.created === count) return <Plural value={count} one="# memory created" other="# memories created" />;
  if (operation.modified === count) return <Plural value={count} one="# memory changed" other="# memories changed" />;
  if (operation.deleted === count) return <Plural value={count} one="# memory deleted" other="# memories deleted" />;
  return <Plural value={count} one="# memory" other="# memories" />;
}

/** The title of an operation's row. */
export function OperationTitle({ operation }: { operation: Operation }) {
  const { t } = useLingui();
  const [first] = operation.versions;
  if (isMany(operation)) return <ManyTitle operation={operation} />;
  if (!first) return <Source source={operation.source} by={operation.created_by} />;
  const path = first.path ?? t`redacted memory`;
  const rest = sizeOf(operation) - 1;
  return (
    <>
      {fileName(path)}
      {rest > 0 && (
        <>
          {" "}
          <Plural value={rest} one="and # more" other="and # more" />
        </>
      )}
      <span className={css.timelineFolder}> {folderOf(path)}</span>
    </>
  );
}
