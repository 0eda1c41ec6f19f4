/** Numbers, sizes and times in the language of the window. */
import { useLingui } from "@lingui/react/macro";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const SPANS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** Between a number and its percent sign, narrow and never a line's end. */
const THIN = "\u202f";

/** What stands between a day and a time, and between two words for a day. English is for every language not named here. */
const BETWEEN: Record<string, { day: string; words: string }> = {
  en: { day: ", ", words: ", " },
  ja: { day: " ", words: "、" },
  ko: { day: " ", words: ", " },
  "zh-Hant": { day: " ", words: "，" },
};

/** The word for bytes where the language's own data has the English one. */
const BYTES: Record<string, string> = { "zh-Hant": "位元組" };

/** A number in the one notation of all languages: the minus sign is no hyphen, and a percent sign stands apart. */
function written(format: Intl.NumberFormat, value: number): string {
  const part = ({ type, value: text }: Intl.NumberFormatPart) =>
    type === "minusSign" ? "−" : type === "percentSign" ? `${THIN}%` : text;
  // A literal before the sign is the language's own space.
  const parts = format.formatToParts(value);
  const kept = parts.filter(({ type }, at) => type !== "literal" || parts[at + 1]?.type !== "percentSign");
  return kept.map(part).join("");
}

/** Below so many dollars, cents would be no figure any more. */
const FEW_CENTS = 0.0995;

/** Makes the functions that write US dollars in a language. */
function moneyIn(locale: string) {
  const dollars = (digits: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(locale, { style: "currency", currency: "USD", ...digits });
  const cents = dollars({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const parts = dollars({ minimumSignificantDigits: 2, maximumSignificantDigits: 2 });
  const formatOf = (value: number) => (value !== 0 && Math.abs(value) < FEW_CENTS ? parts : cents);
  return {
    /** US dollars: cents, and below ten of them two digits that count, so that $0.0041 is no $0.00. */
    dollars: (value: number) => written(formatOf(value), value),
    /** US dollars to as many digits as somebody else found right, so that two amounts stay apart. */
    dollarsTo: (value: number, digits: number) =>
      written(dollars({ minimumFractionDigits: digits, maximumFractionDigits: digits }), value),
    /** A change in US dollars with its sign. */
    dollarChange: (value: number) => `${value < 0 ? "−" : "+"}${formatOf(value).format(Math.abs(value))}`,
  };
}

/** Makes the functions that write values in a language. */
export function formats(locale: string) {
  const number = new Intl.NumberFormat(locale);
  const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const seconds = new Intl.DateTimeFormat(locale, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
  const dayYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
  const weekday = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "narrow" });
  const relativeDay = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const compact = new Intl.NumberFormat(locale, {
    notation: "compact",
    maximumSignificantDigits: 3,
    useGrouping: "always",
  });
  const money = moneyIn(locale);
  const share = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const change = new Intl.NumberFormat(locale, {
    style: "percent",
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  });
  const signed = new Intl.NumberFormat(locale, { signDisplay: "exceptZero" });
  const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const between = BETWEEN[locale] ?? BETWEEN["en"]!;
  const date = (instant: string | number) => new Date(instant);
  const startOfDay = (of: Date) => new Date(of.getFullYear(), of.getMonth(), of.getDate()).getTime();
  const daysApart = (then: Date, now: Date) => Math.round((startOfDay(then) - startOfDay(now)) / 86_400_000);

  return {
    /** A whole number with its separators. */
    number: (value: number) => written(number, value),
    /** A number with at most one decimal. */
    decimal: (value: number) => written(decimal, value),
    /** A whole number with its sign, plus included. */
    signed: (value: number) => written(signed, value),
    /** A large number, short: three digits and a unit. */
    compact: (value: number) => written(compact, value),
    ...money,
    /** A share in percent; 1 is all. */
    share: (value: number) => written(share, value),
    /** A change in whole percent with its sign, as in a sentence; −0.34 is `−34 %`. */
    wholeChange: (value: number) =>
      `${value < 0 ? "−" : "+"}${number.format(Math.round(Math.abs(value) * 100))}\u202f%`,
    /** A change in percent with its sign; −0.5 is half less. */
    change: (value: number) => written(change, value),
    /** A size in the unit that suits it, decimal (1 MB is 1,000,000 bytes). */
    bytes(value: number) {
      let unit = 0;
      let amount = value;
      while (amount >= 1000 && unit < UNITS.length - 1) {
        amount /= 1000;
        unit += 1;
      }
      const maximumFractionDigits = unit === 0 || amount >= 100 ? 0 : 1;
      const unitDisplay = unit === 0 ? "long" : "short";
      const own = unit === 0 ? BYTES[locale] : undefined;
      if (own !== undefined) return `${number.format(amount)} ${own}`;
      return new Intl.NumberFormat(locale, {
        style: "unit",
        unit: UNITS[unit]!,
        unitDisplay,
        maximumFractionDigits,
      }).format(amount);
    },
    /** Hour and minute. */
    time: (instant: string) => time.format(date(instant)),
    /** Day, and the year when it is another one. */
    day: (instant: string, now: number) =>
      (date(instant).getFullYear() === new Date(now).getFullYear() ? day : dayYear).format(date(instant)),
    /** Short: the time today, the day otherwise. */
    short(instant: string, now: number) {
      return daysApart(date(instant), new Date(now)) === 0 ? time.format(date(instant)) : this.day(instant, now);
    },
    /** Day, year and time to the second. */
    exact: (instant: string) => `${dayYear.format(date(instant))}${between.day}${seconds.format(date(instant))}`,
    /** Day and time to the second, for instants that may stand close together. */
    precise(instant: string, now: number) {
      return `${this.day(instant, now)}${between.day}${seconds.format(date(instant))}`;
    },
    /** Day and time. */
    moment(instant: string, now: number) {
      return `${this.day(instant, now)}${between.day}${time.format(date(instant))}`;
    },
    /** The heading of a day: today, yesterday, or the whole date. */
    dayHeading(instant: string, now: number) {
      const apart = daysApart(date(instant), new Date(now));
      const whole = weekday.format(date(instant));
      const word = () => capital(relativeDay.format(apart, "day"), locale);
      return apart === 0 || apart === -1 ? `${word()}${between.words}${whole}` : whole;
    },
    /** Time since an instant, in words. */
    ago(instant: string, now: number) {
      const passed = Math.max(0, Math.round((now - date(instant).getTime()) / 1000));
      const [unit, length] = SPANS.find(([, span]) => passed >= span) ?? ["second", 1];
      return relative.format(-Math.floor(passed / length), unit);
    },
  };
}

function capital(text: string, locale: string): string {
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}

const made = new Map<string, ReturnType<typeof formats>>();

/** The functions of [`formats`] for a language, made once: there are hundreds of figures on some screens. */
export function formatsOf(locale: string): ReturnType<typeof formats> {
  let known = made.get(locale);
  if (!known) made.set(locale, (known = formats(locale)));
  return known;
}

/** The functions of [`formats`] in the language of the window. */
export function useFormat(): ReturnType<typeof formats> {
  const { i18n } = useLingui();
  return formatsOf(i18n.locale);
}
