import { describe, expect, it } from "vitest";
import { formats } from "./format";

const NOW = new Date(2031, 3, 12, 14, 2, 17).getTime();
const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString();
const english = formats("en");

describe("formats", () => {
  it("say how long ago in the largest whole unit", () => {
    expect(english.ago(at(12), NOW)).toBe("12s ago");
    expect(english.ago(at(0), NOW)).toBe("0s ago");
    expect(english.ago(at(-5), NOW)).toBe("0s ago");
    expect(english.ago(at(3700), NOW)).toBe("1h ago");
    expect(english.ago(at(200_000), NOW)).toBe("2d ago");
  });

  it("give the time today and the day before that", () => {
    expect(english.short(at(60), NOW)).toBe("14:01");
    expect(english.short(at(86_400 * 3), NOW)).toBe("Apr 9");
    expect(english.short(at(86_400 * 365), NOW)).toBe("Apr 12, 2030");
  });

  it("name the days", () => {
    expect(english.dayHeading(at(60), NOW)).toBe("Today, Saturday, April 12, 2031");
    expect(english.dayHeading(at(86_400), NOW)).toBe("Yesterday, Friday, April 11, 2031");
    expect(english.dayHeading(at(86_400 * 2), NOW)).toBe("Thursday, April 10, 2031");
  });

  it("write sizes in decimal units", () => {
    expect(english.bytes(9318)).toBe("9.3 kB");
    expect(english.bytes(512)).toBe("512 bytes");
    expect(english.bytes(3_251_200)).toBe("3.3 MB");
    expect(english.bytes(0)).toBe("0 bytes");
    expect(formats("zh-Hant").bytes(512)).toBe("512 位元組");
  });

  it("put between a day and a time what the language does", () => {
    expect(english.moment(at(0), NOW)).toBe("Apr 12, 14:02");
    expect(formats("ja").moment(at(0), NOW)).toBe("4月12日 14:02");
    expect(formats("ko").exact(at(0))).toBe("2031년 4월 12일 14:02:17");
    expect(formats("zh-Hant").precise(at(0), NOW)).toBe("4月12日 14:02:17");
    expect(formats("zh-Hant").dayHeading(at(60), NOW)).toMatch(/^今天，2031年/);
    expect(formats("ja").dayHeading(at(60), NOW)).toMatch(/^今日、2031年/);
  });

  it("write money in cents, and in two digits that count below ten of them", () => {
    expect([1.5, 0.33, 0.1, 0.0995, 0.079, 0.08, 0.0041, 0].map(english.dollars)).toEqual([
      "$1.50",
      "$0.33",
      "$0.10",
      "$0.10",
      "$0.079",
      "$0.080",
      "$0.0041",
      "$0.00",
    ]);
    expect([-1.5, 0.0041].map(english.dollarChange)).toEqual(["−$1.50", "+$0.0041"]);
    expect(formats("ko").dollars(1.5)).toBe("US$1.50");
  });

  it("group short numbers too where the language has no unit for thousands", () => {
    expect(formats("zh-Hant").compact(2000)).toBe("2,000");
    expect(formats("zh-Hant").compact(124_384)).toBe("12.4萬");
    expect(english.compact(2000)).toBe("2K");
  });
});
