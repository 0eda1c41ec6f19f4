/** The words of a session's page in the language of the window. */

/** Agents by the format of their transcripts. */
export const AGENTS: Record<string, string> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  opencode: "opencode",
  copilot: "Copilot CLI",
};

/** Time between two instants in milliseconds, in at most two units. */
export function took(locale: string, milliseconds: number): string {
  const unit = (value: number, name: "second" | "minute" | "hour" | "day") =>
    new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay: "short" }).format(value);
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return unit(seconds, "second");
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return unit(minutes, "minute");
  const hours = Math.floor(minutes / 60);
  if (hours < 48)
    return minutes % 60 === 0 ? unit(hours, "hour") : `${unit(hours, "hour")} ${unit(minutes % 60, "minute")}`;
  return unit(Math.round(hours / 24), "day");
}
