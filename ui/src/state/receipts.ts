/** The receipts. While a purge is pending they are read again every few seconds: what ends it happens elsewhere. */
import { useState } from "react";
import { useRead } from "./queries";

const PENDING_MS = 2000;

/** All receipts, newest first. */
export function useReceipts() {
  const [pending, setPending] = useState(false);
  const read = useRead("receipts", {}, { refetchInterval: pending ? PENDING_MS : false });
  const now = read.data?.receipts.some(({ purge }) => purge === "pending") ?? false;
  if (now !== pending) setPending(now);
  return read;
}
