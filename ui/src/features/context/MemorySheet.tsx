/** Costs of memory files, over all sessions. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReasonCount } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { TableHead, numbers } from "@/shared/TableHead";
import { REASONS } from "@/shared/loads";
import { Await, Empty, useWords } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { PartialTokens } from "./PartialTokens";
import { classes } from "@/shared/classes";
import css from "./sheets.module.css";

/** Why sessions loaded a file, with how many did for each reason. */
function Reasons({ counts }: { counts: readonly ReasonCount[] }) {
  const say = useWords();
  const format = useFormat();
  return <>{counts.map(({ reason, sessions }) => `${say(REASONS[reason])} ${format.number(sessions)}`).join(" · ")}</>;
}

/** The table of memory files. */
export function MemorySheet({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const read = useRead("context_memory", {});
  return (
    <Sheet title={t`Cost of memory files`} onClose={onClose} size="medium" testId="memory-prices">
      <Await read={read} rows={8}>
        {({ files, sessions, sessions_telling }) => (
          <>
            <p className="muted">
              <Plural value={sessions} one="# session looked at" other="# sessions looked at" />,{" "}
              <Plural
                value={sessions_telling}
                one="# of them tells what was loaded"
                other="# of them tell what was loaded"
              />
              .
            </p>
            {files.length === 0 ? (
              <Empty title={t`No memory file was seen being loaded`} />
            ) : (
              // Keys scroll it; nothing in it takes the focus.
              // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
              <div role="region" aria-label={t`Cost of memory files`} tabIndex={0}>
                <table className={classes("table", css.prices)}>
                  <TableHead
                    columns={[
                      t`file`,
                      numbers(t`tokens now`),
                      numbers(t`loaded per session`),
                      numbers(t`sessions`),
                      numbers(t`cost per session`),
                      t`last loaded`,
                      t`why loaded`,
                    ]}
                  />
                  <tbody>
                    {files.map((file) => (
                      <tr key={file.path} data-testid="memory-price">
                        <th scope="row" className={classes("mono", css.cellPath)}>
                          {file.path}
                        </th>
                        <td className="cell-end">
                          <PartialTokens tokens={file.tokens} partial={file.partial} />
                        </td>
                        <td className="cell-end num">
                          {file.loaded_tokens_per_session === null
                            ? t`not recorded`
                            : format.number(file.loaded_tokens_per_session)}
                        </td>
                        <td className="cell-end num">{format.number(file.sessions)}</td>
                        <td className="cell-end num">
                          {file.cost_usd_per_session === null ? (
                            <span className="muted">
                              <Trans>no price</Trans>
                            </span>
                          ) : (
                            format.dollars(file.cost_usd_per_session)
                          )}
                        </td>
                        <td>{file.last_loaded_at && <Moment at={file.last_loaded_at} form="moment" />}</td>
                        <td>
                          <Reasons counts={file.reasons} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </>
        )}
      </Await>
    </Sheet>
  );
}
