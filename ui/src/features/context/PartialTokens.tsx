/** Tokens of a memory file, of which parts alone may have been loaded. */
import { useLingui } from "@lingui/react/macro";
import { useFormat } from "@/shared/format";
import { Figure } from "./Figure";

/** The figure; with a sign and the reason where it is of a part. */
export function PartialTokens({ tokens, partial }: { tokens: number; partial: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  if (!partial) return <Figure text={format.number(tokens)} kind="counted offline" />;
  const reason = t`At least: only parts of the file were loaded; this is the largest.`;
  return (
    <span title={reason} data-testid="partial-tokens">
      <span aria-hidden>≥&#8239;</span>
      <Figure text={format.number(tokens)} kind="counted offline" />
      <span className="visually-hidden">{reason}</span>
    </span>
  );
}
