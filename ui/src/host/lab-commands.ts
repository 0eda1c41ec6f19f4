/** The commands of the context lab that the bindings do not name yet. */
import type { Confirmed, ConfirmReq, Deployed, DeployedReq, Exported, ExportReq } from "@/bindings";

/** What each takes and gives. */
export type LabCommands = {
  context_deployed: { request: DeployedReq; response: Deployed; writes: false };
  context_export: { request: ExportReq; response: Exported; writes: false };
  context_confirm: { request: ConfirmReq; response: Confirmed; writes: true };
};
