/** Daily logs as a calendar: which days have some, how much was written, and a way to each. */
import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type CalendarDate, parseDate } from "@internationalized/date";
import { useMemo, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import {
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
} from "react-aria-components/Calendar";
import { Heading } from "react-aria-components/Heading";
import type { Memory } from "@/bindings";
import { useFormat } from "@/shared/format";
import { ChevronIcon } from "@/shared/icons";
import { fileName } from "@/shared/text";
import { levelOf, type LogDay, logDays } from "./days";
import { classes } from "@/shared/classes";
import css from "./memories.module.css";

/** The mark of a day, with what it stands for in words. */
function DayMark({ day, most }: { day: LogDay; most: number }) {
  const format = useFormat();
  const { t } = useLingui();
  const size = format.bytes(day.bytes);
  const logs = t`${plural(day.logs.length, { one: "# log", other: "# logs" })}, ${size}`;
  return (
    <>
      <span className={css.logMark} data-testid="log-mark" data-level={levelOf(day.bytes, most)} aria-hidden />
      <span className="visually-hidden">{logs}</span>
    </>
  );
}

function Month({ days, chosen, onDay }: { days: LogDay[]; chosen: LogDay | undefined; onDay: (day: LogDay) => void }) {
  const { t } = useLingui();
  const byDay = useMemo(() => new Map(days.map((day) => [day.day, day])), [days]);
  const most = Math.max(...days.map(({ bytes }) => bytes));
  const last = parseDate(days.at(-1)!.day);
  const [focused, setFocused] = useState<CalendarDate>(chosen ? parseDate(chosen.day) : last);
  // Another log was opened elsewhere: its month comes into view.
  const [seen, setSeen] = useState(chosen?.day);
  if (seen !== chosen?.day) {
    setSeen(chosen?.day);
    if (chosen) setFocused(parseDate(chosen.day));
  }
  return (
    <Calendar
      aria-label={t`Days with logs`}
      className={css.logCalendar}
      value={chosen ? parseDate(chosen.day) : null}
      onChange={(date) => {
        const day = byDay.get(date.toString());
        if (day) onDay(day);
      }}
      focusedValue={focused}
      onFocusChange={(date) => setFocused(date)}
      minValue={parseDate(days[0]!.day).set({ day: 1 })}
      maxValue={last.add({ months: 1 }).set({ day: 1 }).subtract({ days: 1 })}
      isDateUnavailable={(date) => !byDay.has(date.toString())}
      data-testid="log-calendar"
    >
      <header className={css.logCalendarHeader}>
        <AriaButton slot="previous" className={classes("icon-button", css.logPrevious)}>
          <ChevronIcon />
        </AriaButton>
        <Heading className={css.logMonth} level={3} />
        <AriaButton slot="next" className="icon-button log-next">
          <ChevronIcon />
        </AriaButton>
      </header>
      <CalendarGrid className={css.logGrid} weekdayStyle="narrow">
        <CalendarGridHeader>{(name) => <CalendarHeaderCell>{name}</CalendarHeaderCell>}</CalendarGridHeader>
        <CalendarGridBody>
          {(date) => (
            <CalendarCell date={date} className={css.logDay} data-testid="log-day" data-day={date.toString()}>
              {({ formattedDate }) => {
                const day = byDay.get(date.toString());
                return (
                  <>
                    {formattedDate}
                    {day && <DayMark day={day} most={most} />}
                  </>
                );
              }}
            </CalendarCell>
          )}
        </CalendarGridBody>
      </CalendarGrid>
    </Calendar>
  );
}

/** The calendar of a store that has daily logs; nothing for one that has none. */
export function LogCalendar({
  memories,
  chosen,
  onOpen,
}: {
  memories: readonly Memory[];
  /** The memory that is shown. */
  chosen: string | undefined;
  onOpen: (memory: Memory) => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const days = useMemo(() => logDays(memories), [memories]);
  if (days.length === 0) return null;
  const day = days.find(({ logs }) => logs.some(({ id }) => id === chosen));
  return (
    <section className={css.logSection} aria-labelledby="log-section-title">
      <h3 id="log-section-title" className="side-title">
        <Trans>Daily logs</Trans>
      </h3>
      <Month days={days} chosen={day} onDay={(one) => onOpen(one.logs[0]!)} />
      {day && day.logs.length > 1 && (
        <ul className={css.logList} aria-label={t`Logs of this day`}>
          {day.logs.map((log) => (
            <li key={log.id}>
              <AriaButton
                className={css.logItem}
                onPress={() => onOpen(log)}
                aria-current={log.id === chosen ? "true" : undefined}
              >
                {fileName(log.path ?? log.id)}
                <span className="muted num">{format.bytes(log.content_size_bytes ?? 0)}</span>
              </AriaButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
