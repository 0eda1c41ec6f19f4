/** The commands of the context lab, until the bindings name them. */
import type {
  Cancelled,
  Composition,
  CompositionReq,
  Confirmed,
  ConfirmReq,
  ContextShow,
  ContextShowReq,
  CounterKeyReq,
  CounterStatus,
  Deployed,
  DeployedReq,
  Exported,
  ExportReq,
  JobRef,
  MemoryPrices,
  MemoryPricesReq,
  Nothing,
  Prices,
  SimulateReq,
  Simulations,
  Sweep,
  SweepReq,
  Transcripts,
  TranscriptsReq,
  Turn,
  TurnReq,
  Variant,
  VariantRef,
  Variants,
} from "@/bindings";

/** What each takes and gives. */
export type LabCommands = {
  transcripts: { request: TranscriptsReq; response: Transcripts; writes: false };
  context_show: { request: ContextShowReq; response: ContextShow; writes: false };
  context_composition: { request: CompositionReq; response: Composition; writes: false };
  context_simulate: { request: SimulateReq; response: Simulations; writes: false };
  context_turn: { request: TurnReq; response: Turn; writes: false };
  context_sweep: { request: SweepReq; response: Sweep; writes: false };
  context_deployed: { request: DeployedReq; response: Deployed; writes: false };
  context_export: { request: ExportReq; response: Exported; writes: false };
  context_memory: { request: MemoryPricesReq; response: MemoryPrices; writes: false };
  context_confirm: { request: ConfirmReq; response: Confirmed; writes: true };
  prices: { request: Nothing; response: Prices; writes: false };
  variants: { request: Nothing; response: Variants; writes: false };
  save_variant: { request: Variant; response: Variants; writes: true };
  remove_variant: { request: VariantRef; response: Variants; writes: true };
  counter_status: { request: Nothing; response: CounterStatus; writes: false };
  set_counter_key: { request: CounterKeyReq; response: CounterStatus; writes: true };
  cancel: { request: JobRef; response: Cancelled; writes: false };
};
