/** Words of the screen of health. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ExpiryKind, Severity } from "@/bindings";

/** Severity of a finding. */
export const SEVERITIES: Record<Severity, MessageDescriptor> = {
  error: msg`error`,
  warning: msg`warning`,
  note: msg`note`,
};

/** The mark of a severity; its word says the same. */
export function severityTone(severity: Severity): "del" | "warn" | "plain" {
  return severity === "error" ? "del" : severity === "warning" ? "warn" : "plain";
}

/** Why a memory could go. */
export const REASONS: Record<ExpiryKind, MessageDescriptor> = {
  unloaded: msg`not loaded`,
  old_log: msg`old log`,
  date_past: msg`date past`,
  duplicate: msg`duplicate`,
};

/** Settings of a rule. */
export const SETTINGS: Record<"" | "off" | "on" | Severity, MessageDescriptor> = {
  "": msg`default`,
  off: msg`off`,
  on: msg`on`,
  note: msg`on, as a note`,
  warning: msg`on, as a warning`,
  error: msg`on, as an error`,
};
