import { Plural, Trans } from "@lingui/react/macro";
import type { ContextShow } from "@/bindings";
import { classes } from "@/shared/classes";
import panelsCss from "./panels.module.css";

/** Recorded requests that no answer in the transcript belongs to. */
export function Unanswered({ requests }: { requests: ContextShow["unanswered"] }) {
  if (requests.length === 0) return null;
  return (
    <details className={classes(panelsCss.remarks, "small muted")} data-testid="lab-unanswered">
      <summary>
        <Plural
          value={requests.length}
          one="# recorded request without an answer"
          other="# recorded requests without an answer"
        />
      </summary>
      <p>
        <Trans>They failed, were given up, or were made for the summary of a compaction.</Trans>
      </p>
      <ul>
        {requests.map(({ id, source, messages }) => (
          <li key={id}>
            <code>{id}</code> {source} · <Plural value={messages} one="# message" other="# messages" />
          </li>
        ))}
      </ul>
    </details>
  );
}
