/** How findings are drawn and counted, wherever they are listed. */
import type { Finding } from "@/bindings";
import { countOf } from "./remedies";

/** Tone of a finding's chip; its word says the same. */
export function findingTone({
  rule,
  severity,
}: Pick<Finding, "rule" | "severity">): "redact" | "del" | "warn" | "plain" {
  if (rule.startsWith("secret")) return "redact";
  return severity === "error" ? "del" : severity === "warning" ? "warn" : "plain";
}

/** Findings of one rule as one. */
export function byRule(findings: readonly Finding[]): { finding: Finding; count: number }[] {
  const rules = new Map<string, { finding: Finding; count: number }>();
  for (const finding of findings) {
    const known = rules.get(finding.rule);
    if (known) known.count += countOf(finding);
    else rules.set(finding.rule, { finding, count: countOf(finding) });
  }
  const order = ["error", "warning", "note"];
  const rank = ({ finding }: { finding: Finding }) => order.indexOf(finding.severity);
  return [...rules.values()].sort((a, b) => rank(a) - rank(b));
}
