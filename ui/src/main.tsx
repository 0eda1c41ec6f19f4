/** Starts the window. */
// First, so that what a feature says of its parts comes after what all share.
import "@/styles/index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Root } from "@/app/Root";
import { connect } from "@/host";
import { activateLanguage } from "@/i18n";
import { loadAllLater } from "@/shared/lazily";
import { makeQueryClient } from "@/state/queries";
import { followLanguage, followTheme } from "@/state/settings";

async function start(): Promise<void> {
  const element = document.getElementById("root");
  if (!element) throw new Error("index.html has no element with the id root");
  activateLanguage();
  followTheme();
  // A catalogue that does not come leaves English.
  const [backend] = await Promise.all([connect(), followLanguage().catch(() => undefined)]);
  createRoot(element).render(
    <StrictMode>
      <Root backend={backend} queries={makeQueryClient()} />
    </StrictMode>,
  );
  // A hub's window shows one screen.
  if (!backend.platform.ofHub) loadAllLater();
}

void start();
