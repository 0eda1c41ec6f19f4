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
