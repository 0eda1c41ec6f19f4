/** A setting in a form to deploy, with the evidence for it: seen, copied or saved. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { Exported } from "@/bindings";
import { download } from "@/shared/download";
import { useFormat } from "@/shared/format";
import { hiddenIn } from "@/shared/hidden";
import { LineText } from "@/shared/LineText";
import { Sheet } from "@/shared/overlay";
import { Await, Button, CopyButton, Segmented } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useRead } from "@/state/queries";
import { assumed } from "./assumed";
import { BASE, type BenchVariant, plainVariant } from "./lab";
import { useVariantName } from "./VariantEditor";
import { classes } from "@/shared/classes";
import css from "./sheets.module.css";

/** The forms a setting can be exported in. */
export type ExportFormat = "json" | "curl" | "python" | "typescript" | "html";

function Code({ text }: { text: string }) {
  const { t } = useLingui();
  const lines = useMemo(() => text.split("\n"), [text]);
  return (
    <VirtualRows
      items={lines}
      keyOf={(_line, at) => at}
      estimate={21}
      className={classes("code-box", css.exportCode)}
      role="region"
      aria-label={t`The text`}
      tabIndex={0}
      data-testid="export-text"
    >
      {(line, at) => (
        <div className="document-line" data-line={at + 1}>
          <span className="line-text">
            <LineText text={line} hidden={hiddenIn(line)} />
          </span>
        </div>
      )}
    </VirtualRows>
  );
}

/** A report is a page of its own: its source is not what one wants to read. */
function Report({ exported }: { exported: Exported }) {
  const format = useFormat();
  return (
    <div className="notice">
      <span>
        <Trans>
          One file of {format.bytes(new TextEncoder().encode(exported.text).length)} with the chart, the figures and the
          evidence. It loads nothing and runs nothing; open it in any browser.
        </Trans>
      </span>
    </div>
  );
}

/** The dialog. */
export function ExportSheet({
  transcript,
  variant,
  others,
  first,
  onClose,
}: {
  transcript: string;
  variant: BenchVariant;
  others: readonly BenchVariant[];
  first: ExportFormat;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const nameOf = useVariantName();
  const [format, setFormat] = useState<ExportFormat>(first);
  const plain = (one: BenchVariant) => (one.letter === BASE ? { name: t`no editing`, config: {} } : plainVariant(one));
  const read = useRead("context_export", {
    transcript,
    variant: plain(variant),
    against: others.map(plain),
    format,
    model: assumed.get().model,
  });
  const options: { value: ExportFormat; label: string }[] = [
    { value: "json", label: "JSON" },
    { value: "curl", label: "cURL" },
    { value: "python", label: "Python" },
    { value: "typescript", label: "TypeScript" },
    { value: "html", label: t`Report (HTML)` },
  ];
  return (
    <Sheet
      title={t`Export ${nameOf(variant)}`}
      onClose={onClose}
      size="large"
      testId="export-sheet"
      footer={
        <>
          <span className="muted mono">{read.data?.file_name}</span>
          <span className="spacer" />
          {read.data && <CopyButton text={read.data.text} label={t`Copy the text`} />}
          <Button
            tone="primary"
            isDisabled={!read.data}
            onPress={() => read.data && download(read.data.file_name, read.data.text, read.data.media_type)}
            data-testid="export-save"
          >
            <Trans>Save</Trans>
          </Button>
        </>
      }
    >
      <div>
        <Segmented label={t`Format`} value={format} options={options} onChange={setFormat} />
      </div>
      <Await read={read} rows={10}>
        {(exported) => (format === "html" ? <Report exported={exported} /> : <Code text={exported.text} />)}
      </Await>
    </Sheet>
  );
}
