/** All versions of a memory with everything the log knows about each. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useFormat } from "@/shared/format";
import { Moment, Note, OperationSign, OperationWord, Source, VersionCounts } from "@/shared/labels";
import { TableHead, numbers, unseen } from "@/shared/TableHead";
import { shorten } from "@/shared/text";
import { Button, Chip } from "@/shared/ui";
import { Writer } from "@/shared/Writer";
import { useKeys } from "@/state/keys";
import type { NumberedVersion } from "@/state/memory";
import { classes } from "@/shared/classes";
import css from "./memories.module.css";

function Row({ one, chosen, onOpen }: { one: NumberedVersion; chosen: boolean; onOpen: () => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const { version, number } = one;
  const name = number === null ? shorten(version.id, 7, 6) : `v${number}`;
  return (
    <tr aria-current={chosen || undefined} className={chosen ? "is-chosen" : undefined} data-testid="history-row">
      <td>
        <OperationSign version={version} />
      </td>
      <th scope="row">
        <Button tone="quiet" onPress={onOpen} aria-label={t`Show what ${name} changed`} data-testid="version-row">
          {name}
        </Button>
      </th>
      <td>
        <OperationWord version={version} />
        {version.previous_path && <span className="muted"> ← {version.previous_path}</span>}
        {version.redacted_at !== null && (
          <>
            {" "}
            <Chip tone="redact">
              <Trans>redacted</Trans>
            </Chip>
          </>
        )}
        <div className={css.historyHow}>
          <Source source={version.source} by={version.created_by} />
          {version.rebuilt && (
            <>
              {" "}
              <Chip>
                <Trans>rebuilt</Trans>
              </Chip>
            </>
          )}
          {version.note && (
            <>
              {" "}
              · <Note text={version.note} />
            </>
          )}
        </div>
      </td>
      <td>
        <Moment at={version.created_at} form="moment" />
      </td>
      <td>
        <Writer of={version} brief />
      </td>
      <td className="cell-end">
        <VersionCounts version={version} />
      </td>
      <td className="cell-end num">
        {version.content_size_bytes === null ? "" : format.bytes(version.content_size_bytes)}
      </td>
      <td>
        <span className="mono muted" title={version.content_sha256 ?? undefined}>
          {version.content_sha256 && shorten(version.content_sha256)}
        </span>
      </td>
    </tr>
  );
}

/** All versions of a memory as a table. */
export function HistoryTable({
  versions,
  chosen,
  more,
  onChoose,
  onOpen,
}: {
  versions: readonly NumberedVersion[];
  chosen: string | null;
  more: (() => void) | null;
  /** Chooses a version, so that the acts below are about it. */
  onChoose: (version: string) => void;
  onOpen: (version: string) => void;
}) {
  const { t } = useLingui();
  const step = (by: 1 | -1) => {
    const to = versions[versions.findIndex(({ version }) => version.id === chosen) + by];
    if (to) onChoose(to.version.id);
  };
  useKeys([
    { keys: "j", label: t`Next version`, run: () => step(1) },
    { keys: "k", label: t`Previous version`, run: () => step(-1) },
  ]);
  return (
    <div className="table-box">
      <table className={classes("table", css.historyTable)} aria-label={t`History`}>
        <TableHead
          columns={[
            unseen(t`Sign`),
            t`Version`,
            t`What`,
            t`When`,
            t`Who`,
            numbers(t`Lines`),
            numbers(t`Size`),
            t`Hash`,
          ]}
        />
        <tbody>
          {versions.map((one) => (
            <Row
              key={one.version.id}
              one={one}
              chosen={one.version.id === chosen}
              onOpen={() => onOpen(one.version.id)}
            />
          ))}
        </tbody>
      </table>
      {more && (
        <div className={css.tableMore}>
          <Button onPress={more}>
            <Trans>Show older versions</Trans>
          </Button>
        </div>
      )}
    </div>
  );
}
