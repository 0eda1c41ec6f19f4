/** Sheets that the lab opens over itself. */
import type { Recommendation } from "@/bindings";
import { type Bench, type BenchVariant } from "./lab";
import { ConfirmSheet } from "./ConfirmSheet";
import { type ExportFormat, ExportSheet } from "./ExportSheet";
import { MemorySheet } from "./MemorySheet";
import { SweepSheet } from "./SweepSheet";

/** The open sheet. */
export type OpenSheet = "confirm" | "sweep" | "memory" | { export: ExportFormat } | { tried: Recommendation } | null;

/** Props of the sheets. */
interface LabSheetsProps {
  open: OpenSheet;
  transcript: string;
  bench: Bench;
  variant: BenchVariant;
  onOpen: (open: OpenSheet) => void;
  /** Called when a setting was put on the bench. */
  onUse: () => void;
}

/** The sheet that is open, if one is. */
export function LabSheets({ open, transcript, bench, variant, onOpen, onUse }: LabSheetsProps) {
  const close = () => onOpen(null);
  return (
    <>
      {open === "confirm" && <ConfirmSheet transcript={transcript} variant={variant} onClose={close} />}
      {open === "sweep" && <SweepSheet transcript={transcript} onUse={onUse} onClose={close} />}
      {open === "memory" && <MemorySheet onClose={close} />}
      {open !== null && typeof open === "object" && "tried" in open && (
        <SweepSheet transcript={transcript} tried={open.tried} onUse={onUse} onClose={close} />
      )}
      {open !== null && typeof open === "object" && "export" in open && (
        <ExportSheet
          transcript={transcript}
          variant={variant}
          others={bench.variants.filter(({ letter }) => letter !== variant.letter)}
          first={open.export}
          onClose={close}
        />
      )}
    </>
  );
}
