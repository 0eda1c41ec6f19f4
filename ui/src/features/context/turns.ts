/** The request under the cursor of the lab, and the one whose messages are open. */
import { useCallback, useMemo, useState } from "react";
import type { ContextShow, Regret } from "@/bindings";
import type { TurnView } from "./TurnSheet";

/** The requests a person is at. */
export interface Turns {
  /** The request under the cursor. */
  cursor: number;
  /** Moves the cursor. */
  moveTo: (request: number) => void;
  /** Moves the cursor by so many requests. */
  step: (by: number) => void;
  /** Moves the cursor to the largest context. */
  toPeak: () => void;
  /** The request whose messages are open. */
  turn: TurnView | null;
  /** Opens another, or none. */
  setTurn: (turn: TurnView | null) => void;
  /** Opens a request, at the result of a tool use if one is named. */
  openTurn: (request: number, toolUse?: string | null) => void;
  /** Opens a request. */
  openRequest: (request: number) => void;
  /** Opens the request that needed again what was cleared. */
  openRegret: (regret: Regret) => void;
}

/** Requests that the address names; people count from 1. */
export interface Asked {
  /** The one whose messages are opened. */
  turn?: number | undefined;
  /** The one under the cursor. */
  at?: number | undefined;
}

/** The cursor: at the peak until it is moved, or at the request that the address names. */
function useCursor(show: ContextShow, at: number | undefined) {
  const [moved, moveTo] = useState<number | null>(null);
  const last = show.requests.length - 1;
  const peak = show.peak?.request ?? last;
  const cursor = Math.min(moved ?? (at === undefined ? peak : at - 1), last);
  const step = useCallback((by: number) => moveTo(Math.max(0, Math.min(last, cursor + by))), [cursor, last]);
  const toPeak = useCallback(() => moveTo(peak), [peak]);
  return useMemo(() => ({ cursor, moveTo, step, toPeak }), [cursor, step, toPeak]);
}

/** The cursor and the open messages. */
export function useTurns(show: ContextShow, { turn: asked, at }: Asked): Turns {
  const cursor = useCursor(show, at);
  const { moveTo } = cursor;
  const [turn, setTurn] = useState<TurnView | null>(null);
  // The turn that the address names is opened once, and goes with an address that names none.
  const [seen, setSeen] = useState<number | undefined>(undefined);
  if (asked !== seen) {
    setSeen(asked);
    if (asked === undefined) setTurn(null);
    else if (asked <= show.requests.length) {
      moveTo(asked - 1);
      setTurn({ request: asked - 1, toolUse: null });
    }
  }
  const openTurn = useCallback(
    (request: number, toolUse: string | null = null) => {
      moveTo(request);
      setTurn({ request, toolUse });
    },
    [moveTo],
  );
  const openRequest = useCallback((request: number) => openTurn(request), [openTurn]);
  const openRegret = useCallback((regret: Regret) => openTurn(regret.needed_at, regret.tool_use_id), [openTurn]);
  return useMemo(
    () => ({ ...cursor, turn, setTurn, openTurn, openRequest, openRegret }),
    [cursor, turn, openTurn, openRequest, openRegret],
  );
}
