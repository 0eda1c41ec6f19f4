import type { SessionStore } from "@anthropic-ai/claude-agent-sdk";

/** What the hub refused, or why it did not answer. */
export declare class RetraceHubError extends Error {
  readonly status: number;
  readonly type: string;
}

/** Mirrors sessions to a hub of Retrace, and loads them from it. */
export declare function retraceSessionStore(options: {
  /** Address of the hub. */
  hub: string;
  /** Key of an agent. */
  key: string;
  fetch?: typeof fetch;
}): Required<Pick<SessionStore, "append" | "load" | "listSessions" | "listSubkeys" | "delete">>;
