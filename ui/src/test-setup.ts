/** Parts that jsdom does not have and every test may need. */
import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { type MockInstance, afterEach, beforeEach, expect, vi } from "vitest";
import { assume } from "@/features/context/assumed";
import { resetBench } from "@/features/context/lab";
import { resetRunOrder } from "@/features/context/run-order";
import { closeAct, rememberUndo } from "@/state/acts";
import { setPaletteOpen } from "@/state/palette";
import { toasts } from "@/state/toasts";
import { activateLanguage } from "@/i18n";

activateLanguage();

// A condition is waited for, not a time; this only ends a test that hangs on a busy machine.
configure({ asyncUtilTimeout: 15_000 });

// The virtualizer asks for sizes; jsdom has no layout.
Object.defineProperty(HTMLElement.prototype, "offsetHeight", { configurable: true, get: () => 600 });
Object.defineProperty(HTMLElement.prototype, "offsetWidth", { configurable: true, get: () => 800 });

window.matchMedia = (query: string) =>
  ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }) as unknown as MediaQueryList;

window.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollIntoView = () => undefined;

let errors: MockInstance<Console["error"]>;

beforeEach(() => {
  errors = vi.spyOn(console, "error");
  window.location.hash = "";
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  // React may leave out one of two children with the same key, and only says so.
  expect(errors.mock.calls.filter(([words]) => String(words).includes("children with the same key"))).toEqual([]);
  errors.mockRestore();
  cleanup();
  closeAct();
  resetBench();
  resetRunOrder();
  assume({ model: null, cache_ttl: null });
  rememberUndo(null);
  setPaletteOpen(false);
  toasts.clear();
});
