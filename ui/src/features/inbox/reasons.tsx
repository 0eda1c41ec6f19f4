/** Why a row needs a person: its word, its drawing and its tone. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { NeedReason, TriageKind } from "@/bindings";

/** How a reason is drawn; the word beside it says the same. */
export type ReasonTone = "redact" | "del" | "warn";

/** A reason for people. */
export interface Reason {
  /** Its word. */
  word: MessageDescriptor;
  /** Its tone. */
  tone: ReasonTone;
  /** Path of its drawing, 16 by 16. */
  path: string;
}

/** Every reason. */
export const REASONS: Record<NeedReason, Reason> = {
  secret: {
    word: msg`secret`,
    tone: "redact",
    path: "M5.5 7.5a2.75 2.75 0 1 1 0 5.5 2.75 2.75 0 0 1 0-5.5Zm2-.2L13 2m-2.2 2.2 1.7 1.7M9 6l1.4 1.4",
  },
  hostile: {
    word: msg`hostile text`,
    tone: "del",
    path: "M8 1.8 13.3 4v4c0 3.2-2.3 5.4-5.3 6.4C5 13.400 2.700 11.200 2.700 8V4ZM8 5v3.500m0 1.800v.4",
  },
  deleted: {
    word: msg`deleted`,
    tone: "del",
    path: "M2.500 4.500h11M6 4.500v-2h4v2m-6 0 .600 9h6.800l.600-9M6.700 7v4m2.600-4v4",
  },
  index_cut: {
    word: msg`index cut`,
    tone: "warn",
    path: "M2.500 3h11m-11 3h7m-7 7h7M2 9.500h1.500m2 0H7m2 0h1.500m2 0H14",
  },
  conflict: { word: msg`conflict`, tone: "warn", path: "M2.500 5.500h10L10 3m3.500 7.500h-10L6 13" },
  limit: {
    word: msg`limit`,
    tone: "warn",
    path: "M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11ZM4.200 4.200l7.600 7.600",
  },
  hidden: {
    word: msg`hidden characters`,
    tone: "warn",
    path: "M3 2.500h3.500m3 0H13m-10 11h3.500m3 0H13M4.750 2.500v11m6.500-11v11",
  },
  personal: {
    word: msg`personal data`,
    tone: "warn",
    path: "M8 2.500a2.750 2.750 0 1 1 0 5.500 2.750 2.750 0 0 1 0-5.500ZM2.500 13.500c0-3 2.500-4 5.500-4s5.500 1 5.500 4",
  },
  reappeared: { word: msg`reappeared`, tone: "warn", path: "M3 8a5 5 0 1 0 1.700-3.700L3 5.800M3 2.500v3.300h3.300" },
  error: { word: msg`error`, tone: "del", path: "M8 2.500 14 13H2ZM8 6.500v3m0 1.600v.4" },
  warning: { word: msg`warning`, tone: "warn", path: "M8 2.500 14 13H2ZM8 6.500v3m0 1.600v.4" },
};

const KINDS: Record<TriageKind, string> = {
  single: "M3 8h10",
  deleted_together: REASONS.deleted.path,
  same_edit: "M4 2.500h8M3 5h10M2.500 7.500h11v6h-11Z",
  created_together: "M8 3v10M3 8h10",
  same_finding: REASONS.warning.path,
  session: "M2.500 3h11v7.500H8L5 13v-2.500H2.500Z",
  writer: "M8 2.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5ZM3 13.500c.3-2.600 2.300-4 5-4s4.700 1.400 5 4",
  unchanged: "M3 6h10M3 10h10",
};

/** The drawing of a reason, or of what the changes of a row have in common. */
export function RowIcon({ reason, kind }: { reason: NeedReason | null; kind: TriageKind }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden focusable="false">
      <path d={reason === null ? KINDS[kind] : REASONS[reason].path} />
    </svg>
  );
}
