/** What stands in recorded memories: each group of findings with its first remedy. Right after the first directories are recorded, and in the empty inbox. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Opening as OpeningOf, OpeningGroup } from "@/bindings";
import { classes } from "./classes";
import { ProgramText } from "./labels";
import { useProgramWords } from "./program";
import { useRemedies } from "./remedies";
import { Await, Button, Dot } from "./ui";
import { useRead } from "@/state/queries";
import { navigate, type Route } from "@/state/route";
import css from "./opening.module.css";

const TONES = { secret: "redact", hostile: "del", hidden: "warn", cut_index: "warn", other: "warn" } as const;

/** What a group is, with its number. */
function useGroupTitle() {
  return ({ kind, count, lines }: OpeningGroup): string => {
    switch (kind) {
      case "secret":
        return plural(count, { one: "# secret", other: "# secrets" });
      case "hostile":
        return plural(count, { one: "# hostile instruction", other: "# hostile instructions" });
      case "hidden":
        return plural(count, { one: "# place with hidden characters", other: "# places with hidden characters" });
      case "cut_index":
        return count === 1
          ? plural(lines, {
              one: "An index whose last line no session reads",
              other: "An index whose last # lines no session reads",
            })
          : plural(count, {
              one: "# index that no session reads whole",
              other: "# indexes that no session reads whole",
            });
      case "other":
        return plural(count, { one: "# other warning", other: "# other warnings" });
    }
  };
}

/** A group: its first finding, the act that mends it, and the way to all of them. */
function GroupRow({ group, go, onLeave }: { group: OpeningGroup; go: (route: Route) => void; onLeave: () => void }) {
  const title = useGroupTitle()(group);
  const { store_id: store, memory_id: memory, finding } = group.first;
  const { offered, picker } = useRemedies({ store, memory, finding });
  const program = useProgramWords();
  const room = program.room(finding);
  const [first] = offered;
  // What goes to a place leaves the first run; a dialog lies over it.
  const leaves = first && (first.remedy.act === "redact" || first.remedy.act === "open");
  const run = () => {
    first?.run();
    if (leaves) onLeave();
  };
  return (
    <li className={css.row} data-testid="opening-row" data-kind={group.kind}>
      <Dot tone={TONES[group.kind]} />
      <div className={css.main}>
        <strong>{title}</strong>
        <span>{program.message(finding)}</span>
        {room && <span>{room}</span>}
        <span className={classes("mono", css.place)}>
          {group.store} {finding.path}:{finding.line}
        </span>
      </div>
      <div className={css.acts}>
        {first && (
          <Button tone={first.remedy.act === "redact" ? "redact" : "plain"} onPress={run} data-testid="opening-remedy">
            {first.label}
          </Button>
        )}
        {(group.count > 1 || !first) && (
          <Button tone="quiet" onPress={() => go({ screen: "health" })} data-testid="opening-all">
            <Trans>Show all</Trans>
          </Button>
        )}
      </div>
      {picker}
    </li>
  );
}

interface FoundProps {
  opening: OpeningOf;
  /** True where the window shows what still stands there, later than the first run. */
  standing: boolean;
  go: (route: Route) => void;
  onLeave: () => void;
}

function Found({ opening, standing, go, onLeave }: FoundProps) {
  const { t } = useLingui();
  const { groups, sessions, memories, problems } = opening;
  const warnings = groups.reduce((sum, { count }) => sum + count, 0);
  return (
    <section
      className={classes(css.opening, standing && css.standing)}
      aria-label={t`What is there already`}
      data-testid="opening"
    >
      <h2>
        {standing ? (
          <Plural value={warnings} one="# warning in recorded memories" other="# warnings in recorded memories" />
        ) : groups.length > 0 ? (
          <Plural value={memories} one="Already there, in # memory" other="Already there, in # memories" />
        ) : (
          <Plural
            value={memories}
            one="# memory checked: nothing needs you"
            other="# memories checked: nothing needs you"
          />
        )}
      </h2>
      <ul className={css.list}>
        {groups.map((group) => (
          <GroupRow key={group.kind} group={group} go={go} onLeave={onLeave} />
        ))}
        {!standing && sessions > 0 && (
          <li className={css.row} data-testid="opening-sessions">
            <Dot tone="accent" />
            <div className={css.main}>
              <strong>
                <Plural value={sessions} one="# session you can look into" other="# sessions you can look into" />
              </strong>
            </div>
            <div className={css.acts}>
              <Button onPress={() => go({ screen: "context" })} data-testid="opening-lab">
                <Trans>Open</Trans>
              </Button>
            </div>
          </li>
        )}
      </ul>
      {problems.map((problem) => (
        <p key={problem.text} className="muted">
          <ProgramText text={problem} />
        </p>
      ))}
    </section>
  );
}

/** The part of the first run that reads what is there. `onLeave` ends the first run at a place. */
export function Opening({ onLeave }: { onLeave: () => void }) {
  const read = useRead("opening", {}, { keepPrevious: true });
  const go = (route: Route) => {
    navigate(route);
    onLeave();
  };
  return (
    <Await read={read} rows={4}>
      {(opening) => <Found opening={opening} standing={false} go={go} onLeave={onLeave} />}
    </Await>
  );
}

const stay = () => undefined;

/** What still stands there, whether or not somebody has seen it; nothing where that is nothing. */
export function StandingFindings() {
  const { data } = useRead("opening", {}, { keepPrevious: true });
  if (!data || data.groups.length === 0) return null;
  return <Found opening={data} standing go={navigate} onLeave={stay} />;
}
