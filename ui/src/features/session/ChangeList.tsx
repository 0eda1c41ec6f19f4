/** Changes that a session wrote after a prompt, each with its difference on demand. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { Finding, Health, InboxItem, SessionVersion } from "@/bindings";
import { classes } from "@/shared/classes";
import { DiffPanel } from "@/shared/DiffPanel";
import { RedactedDiff } from "@/shared/DiffView";
import { spelled } from "@/shared/hidden";
import { ChevronIcon } from "@/shared/icons";
import { ConfidenceChip } from "@/shared/confidence";
import { OperationSign, VersionCounts } from "@/shared/labels";
import { useProgramWords } from "@/shared/program";
import { fileName, folderOf } from "@/shared/text";
import { Button, Chip } from "@/shared/ui";
import { useHealth } from "@/state/health";
import { formatRoute } from "@/state/route";
import { gravestFirst } from "./story";
import css from "./session.module.css";

/** Changes that are shown before somebody asks for more. */
const CHANGES = 8;

/**
 * The first of what needs a person in a change: as the inbox has it, else what is found in the memory while the change is what
 * stands on disk.
 */
function graveOf(
  { version }: SessionVersion,
  items: ReadonlyMap<string, InboxItem>,
  health: Health | undefined,
): Finding | undefined {
  const item = items.get(version.id);
  if (item) return item.findings.find(isGrave);
  const here = (health?.findings ?? []).filter(({ memory_id, finding }) => {
    return memory_id === version.memory_id && finding.start !== null && finding.path === version.path;
  });
  return here.map(({ finding }) => finding).find(isGrave);
}

const isGrave = ({ severity }: Finding): boolean => severity !== "note";

/** What was found in a change, the first of it. */
function Found({ finding }: { finding: Finding | undefined }) {
  const program = useProgramWords();
  if (!finding) return null;
  const tone = finding.rule.startsWith("secret/") ? "redact" : "warn";
  return (
    <Chip tone={tone} title={program.message(finding)}>
      {program.ruleName(finding.rule)}
    </Chip>
  );
}

const isSure = (confidence: string) => confidence === "stated" || confidence === "exact_content";

function Change({ written, finding }: { written: SessionVersion; finding: Finding | undefined }) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const { version, store, confidence } = written;
  const name = version.path === null ? t`Redacted memory` : spelled(fileName(version.path));
  const folder = version.path === null ? "" : spelled(folderOf(version.path));
  const place = [folder, spelled(store)].filter(Boolean).join(" · ");
  const memory = formatRoute({
    screen: "memories",
    store: version.store_id,
    memory: version.memory_id,
    version: version.id,
    tab: "diff",
  });
  return (
    <li className={css.change} data-testid="session-change" data-key={version.id}>
      <div className={css.changeRow}>
        <AriaButton
          className={css.changeButton}
          aria-expanded={open}
          aria-label={t`Difference of ${name}`}
          onPress={() => setOpen(!open)}
          data-testid="session-change-toggle"
        >
          <span className={classes("tree-chevron", open && "is-open")} aria-hidden>
            <ChevronIcon />
          </span>
        </AriaButton>
        <OperationSign version={version} />
        <span className={css.changeName} title={version.path === null ? undefined : spelled(version.path)}>
          {name} <span className={css.changePlace}>{place}</span>
        </span>
        <span className={css.changeMore}>
          {!isSure(confidence) && <ConfidenceChip confidence={confidence} />}
          <Found finding={finding} />
          <VersionCounts version={version} />
          <a href={memory} className={css.changeOpen} aria-label={t`Open ${name}`}>
            <Trans>Open</Trans>
          </a>
        </span>
      </div>
      {open && (
        <div className={css.changeDiff}>
          {version.redacted_at === null ? <DiffPanel a={version.id} /> : <RedactedDiff />}
        </div>
      )}
    </li>
  );
}

/** Changes, the first of them. */
export function ChangeList({
  changes,
  items,
}: {
  changes: readonly SessionVersion[];
  items: ReadonlyMap<string, InboxItem>;
}) {
  const { t } = useLingui();
  const [all, setAll] = useState(false);
  const { data: health } = useHealth();
  const foundIn = (written: SessionVersion) => graveOf(written, items, health);
  const isGrave = (written: SessionVersion) => foundIn(written) !== undefined;
  if (changes.length === 0) return null;
  const sorted = gravestFirst(changes, isGrave);
  const shown = all ? sorted : sorted.slice(0, CHANGES);
  return (
    <>
      <ul className={css.changes} aria-label={t`Changes after this prompt`}>
        {shown.map((written) => (
          <Change key={written.version.id} written={written} finding={foundIn(written)} />
        ))}
      </ul>
      {changes.length > shown.length && (
        <Button tone="quiet" onPress={() => setAll(true)} data-testid="session-more-changes">
          <Plural value={changes.length - shown.length} one="Show # more change" other="Show # more changes" />
        </Button>
      )}
    </>
  );
}
