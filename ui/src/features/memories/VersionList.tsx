/** The versions of a memory, newest first. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import { Picker } from "@/shared/Picker";
import { Moment, Note, OperationSign, OperationWord, Source, VersionCounts } from "@/shared/labels";
import { Chip } from "@/shared/ui";
import { Writer } from "@/shared/Writer";
import type { NumberedVersion } from "@/state/memory";
import { classes } from "@/shared/classes";
import css from "./memories.module.css";

type Row = NumberedVersion & {
  key: string;
  label: string;
  level: 0;
  leaf: true;
  open: false;
  position: number;
  siblings: number;
};

/** Rows of a picker from versions. */
function rowsOf(versions: readonly NumberedVersion[]): Row[] {
  return versions.map((one, at) => ({
    ...one,
    key: one.version.id,
    label: one.number === null ? one.version.id : `v${one.number}`,
    level: 0,
    leaf: true,
    open: false,
    position: at + 1,
    siblings: versions.length,
  }));
}

function VersionRow({ row, isBase }: { row: Row; isBase: boolean }) {
  const { version, number } = row;
  return (
    <div className={css.versionRow} data-version={version.id}>
      <OperationSign version={version} />
      <span className={classes(css.versionNumber, "num")}>
        {number === null ? <span className="mono">{version.id.slice(-6)}</span> : `v${number}`}
      </span>
      <span className={css.versionChips}>
        {isBase && (
          <Chip tone="accent">
            <Trans>compared</Trans>
          </Chip>
        )}
        {version.rebuilt && (
          <Chip>
            <Trans>rebuilt</Trans>
          </Chip>
        )}
        {version.baseline_of && (
          <Chip>
            <Trans>baseline</Trans>
          </Chip>
        )}
        {version.redacted_at !== null && (
          <Chip tone="redact">
            <Trans>redacted</Trans>
          </Chip>
        )}
      </span>
      <Moment at={version.created_at} />
      <span className={css.versionMore}>
        <OperationWord version={version} /> · <Writer of={version} brief />
        {version.source !== "scan" && (
          <>
            {" "}
            · <Source source={version.source} by={version.created_by} />
          </>
        )}
        {version.note && (
          <>
            {" "}
            · <Note text={version.note} />
          </>
        )}
        <Written version={version} />
      </span>
      <VersionCounts version={version} />
    </div>
  );
}

/** When a version was written, where that was before it stood: on a branch, elsewhere, or before recording began. */
function Written({ version }: { version: NumberedVersion["version"] }) {
  const written = version.baseline_of?.written_at ?? version.written_at;
  if (!written) return null;
  return (
    <>
      {" "}
      ·{" "}
      <Trans>
        written <Moment at={written} form="moment" />
      </Trans>
    </>
  );
}

/** Props of the list. */
export interface VersionListProps {
  /** The versions. */
  versions: readonly NumberedVersion[];
  /** The chosen version. */
  chosen: string | null;
  /** The version it is compared with, when one was picked. */
  base: string | undefined;
  /** Chooses a version, or a second one to compare it with. */
  onChoose: (version: string, extend: boolean) => void;
  /** Asks for more. */
  onEnd?: (() => void) | undefined;
}

/** The versions of a memory, newest first. */
export function VersionList({ versions, chosen, base, onChoose, onEnd }: VersionListProps) {
  const { t } = useLingui();
  const rows = useMemo(() => rowsOf(versions), [versions]);
  return (
    <Picker
      role="listbox"
      label={t`Versions`}
      rows={rows}
      chosen={chosen}
      onChoose={(row, extend) => onChoose(row.key, extend)}
      estimate={52}
      className={css.versionList}
      rowTestId="version-row"
      onEnd={onEnd}
    >
      {(row) => <VersionRow row={row} isBase={row.key === base} />}
    </Picker>
  );
}
