/** A link to the page of a session. */
import type { ReactNode } from "react";
import { formatRoute } from "@/state/route";
import { sessionPlace } from "./session";

/** Props of the link. */
export interface SessionLinkProps {
  /** Its id. */
  session: string;
  /** Its name. */
  children: ReactNode;
  /** Said in full where the name is short. */
  label?: string | undefined;
  /** Name for tests. */
  testId?: string;
}

/** A link to the page of a session. */
export function SessionLink({ session, children, label, testId = "session-link" }: SessionLinkProps) {
  return (
    <a href={formatRoute(sessionPlace(session))} aria-label={label} title={label} data-testid={testId}>
      {children}
    </a>
  );
}
