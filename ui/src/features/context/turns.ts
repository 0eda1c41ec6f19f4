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

/** The cursor stands at the last request until it is moved. `asked` is what the address names; people count from 1. */
export function useTurns(show: ContextShow, asked: number | undefined): Turns {
  const [moved, moveTo] = useState<number | null>(null);
  const [turn, setTurn] = useState<TurnView | null>(null);
  // The turn that the address names is opened once.
  const [seen, setSeen] = useState<number | undefined>(undefined);
  if (asked !== seen) {
    setSeen(asked);
    if (asked !== undefined && asked <= show.requests.length) {
      moveTo(asked - 1);
      setTurn({ request: asked - 1, toolUse: null });
    }
  }
  const last = show.requests.length - 1;
  const cursor = Math.min(moved ?? last, last);
  const openTurn = useCallback((request: number, toolUse: string | null = null) => {
    moveTo(request);
    setTurn({ request, toolUse });
  }, []);
  const openRequest = useCallback((request: number) => openTurn(request), [openTurn]);
  const openRegret = useCallback((regret: Regret) => openTurn(regret.needed_at, regret.tool_use_id), [openTurn]);
  return useMemo(
    () => ({ cursor, moveTo, turn, setTurn, openTurn, openRequest, openRegret }),
    [cursor, turn, openTurn, openRequest, openRegret],
  );
}
