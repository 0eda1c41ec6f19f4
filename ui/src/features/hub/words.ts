/** Words of the hub: roles, states of redactions and proposals. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { HubProposalKind, HubProposalState, HubReachState, HubRole, HubShare } from "@/bindings";

type Tone = "plain" | "warn" | "add" | "del" | "accent";

/** A word and how it is drawn. */
export interface Said {
  word: MessageDescriptor;
  tone: Tone;
}

/** Roles of machines. */
export const ROLES: Record<HubRole, MessageDescriptor> = {
  owner: msg`owner`,
  reviewer: msg`reviewer`,
  writer: msg`writer`,
  auditor: msg`auditor`,
};

/** The roles, in the order in which they are offered. */
export const ALL_ROLES: readonly HubRole[] = ["writer", "reviewer", "auditor", "owner"];

/** What sessions of a store share. */
export const SHARES: Record<HubShare, MessageDescriptor> = {
  nothing: msg`nothing`,
  summary: msg`summary`,
  everything: msg`everything`,
};

/** What of transcripts a hub may keep; a newer hub may say another word. */
export const KEPT: Partial<Record<string, MessageDescriptor>> = {
  nothing: SHARES.nothing,
  metadata: msg`metadata`,
  everything: SHARES.everything,
};

/** Kinds of changes, with their signs. */
export const CHANGES: Partial<Record<string, { word: MessageDescriptor; sign: string }>> = {
  created: { word: msg`created`, sign: "+" },
  modified: { word: msg`changed`, sign: "~" },
  deleted: { word: msg`deleted`, sign: "−" },
};

/** How far a redaction is on a machine. */
export const REACH: Record<HubReachState, Said> = {
  outstanding: { word: msg`outstanding`, tone: "warn" },
  done: { word: msg`done`, tone: "add" },
  refused: { word: msg`not done`, tone: "del" },
};

/** Kinds of proposals. */
export const PROPOSALS: Record<HubProposalKind, MessageDescriptor> = {
  rollback: msg`Roll back`,
  edit: msg`Edit`,
  restore: msg`Restore`,
};

/** What became of a proposal. */
export const PROPOSAL_STATES: Record<HubProposalState, Said> = {
  waiting: { word: msg`waiting`, tone: "warn" },
  done: { word: msg`done`, tone: "add" },
  conflict: { word: msg`conflict`, tone: "del" },
  refused: { word: msg`refused`, tone: "del" },
  withdrawn: { word: msg`withdrawn`, tone: "plain" },
};

/** What the audit log calls acts and readings; a newer hub may say another word, which is then shown as it is. */
export const AUDITED: Partial<Record<string, MessageDescriptor>> = {
  agent_token: msg`Made a key for an agent`,
  api: msg`Used the Memory Stores API`,
  append: msg`Sent versions`,
  audit: msg`Read the audit log`,
  approve: msg`Approved a version`,
  approve_order: msg`Approved a redaction`,
  approve_order_first: msg`Approved a redaction, the first of two`,
  comment: msg`Commented on a version`,
  contents: msg`Sent contents`,
  copy_refused: msg`Refused a copy of a machine`,
  join: msg`Joined`,
  leave: msg`Left`,
  lost_said: msg`Told of comments and proposals that were lost`,
  mend_head: msg`Made a lost head anew`,
  order_redaction: msg`Ordered a redaction`,
  set_policy: msg`Changed the policy`,
  propose: msg`Proposed a change`,
  provider: msg`Changed the identity provider`,
  put_entries: msg`Shared parts of a session`,
  put_sessions: msg`Shared sessions`,
  read_content: msg`Read a content`,
  receipt: msg`Signed a receipt`,
  recheck_order: msg`Looked again after a redaction`,
  redact: msg`Redacted contents`,
  remove: msg`Removed a machine`,
  remove_comment: msg`Removed a comment`,
  retention: msg`Deleted what was kept long enough`,
  revoke_agent_token: msg`Ended a key of an agent`,
  role: msg`Changed a role`,
  search: msg`Searched contents`,
  search_sessions: msg`Searched sessions`,
  search_texts: msg`Searched texts of the hub`,
  settle: msg`Settled a proposal`,
  sign_in: msg`Signed in`,
  sign_out: msg`Signed out`,
  token: msg`Made a one-time token`,
  withdraw: msg`Withdrew a proposal`,
};
