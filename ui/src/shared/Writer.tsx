/** Who wrote what a version has, and the person who put it back: putting back makes nobody the writer. */
import { Trans } from "@lingui/react/macro";
import type { ActorView, OriginNote, PutBack } from "@/bindings";
import { Actor, Moment } from "./labels";
import { Comma } from "./punctuation";

/** True of a file that was gone and came back as it was, where nobody is known to have put it back. */
export const cameBack = ({ by, source }: Pick<PutBack, "by" | "source">): boolean => by === null && source === "scan";

/** “put back by …, at …”, behind who wrote it; of what a redaction left of a content, “redacted by …”. */
export function PutBackBy({ back }: { back: PutBack }) {
  if (cameBack(back))
    return (
      <span className="muted" data-testid="put-back">
        <Trans>
          came back <Moment at={back.at} />
        </Trans>
      </span>
    );
  return (
    <span className="muted" data-testid="put-back">
      {back.source === "redact" ? (
        <Trans>
          redacted by <Actor actor={back.by} /> <Moment at={back.at} />
        </Trans>
      ) : (
        <Trans>
          put back by <Actor actor={back.by} /> <Moment at={back.at} />
        </Trans>
      )}
    </span>
  );
}

/** Facts of a row about its writer. */
export interface Written {
  /** Who made it. */
  created_by: ActorView | null;
  /** The session that wrote it. */
  origin: OriginNote | null;
  /** Note if it was put back. */
  put_back: PutBack | null;
}

/** Who wrote it first; behind that, who put it back. */
export function Writer({ of, brief = false }: { of: Written; brief?: boolean }) {
  const back = of.put_back;
  if (!back) return <Actor actor={of.created_by} origin={of.origin} brief={brief} />;
  return (
    <>
      <Actor actor={back.written_by} origin={of.origin} brief={brief} />
      <Comma />
      <PutBackBy back={back} />
    </>
  );
}
