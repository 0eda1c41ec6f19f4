import { renderHook } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { findBinding, type KeyBinding, keyName, listenToKeys, useKeys } from "./keys";

const press = (key: string, more: Partial<KeyboardEventInit> = {}, target: EventTarget = document.body) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));

const binding = (keys: string, more: Partial<KeyBinding> = {}): KeyBinding => ({
  keys,
  label: keys,
  run: () => undefined,
  ...more,
});

describe("names of keys", () => {
  const name = (key: string, more: Partial<KeyboardEvent> = {}) =>
    keyName({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more }, false);

  it("hold their modifiers", () => {
    expect(name("k", { ctrlKey: true })).toBe("mod+k");
    expect(name("A", { shiftKey: true })).toBe("shift+a");
    expect(name("?", { shiftKey: true })).toBe("?");
    expect(name(" ")).toBe("space");
    expect(keyName({ key: "k", ctrlKey: false, metaKey: true, altKey: false, shiftKey: false }, true)).toBe("mod+k");
  });
});

describe("finding a command", () => {
  it("takes the newest that is enabled", () => {
    const [older, newer, off] = [binding("x"), binding("x"), binding("x", { enabled: false })];
    expect(findBinding([older, newer, off], null, "x")).toEqual({ run: newer });
    expect(findBinding([off], null, "x")).toBeNull();
  });

  it("waits for the second key of a sequence", () => {
    const both = [binding("g m"), binding("m")];
    expect(findBinding(both, null, "g")).toEqual({ prefix: "g" });
    expect(findBinding(both, "g", "m")).toEqual({ run: both[0] });
    expect(findBinding(both, "g", "q")).toBeNull();
  });
});

describe("listening", () => {
  it("runs commands, leaves text fields alone, and forgets what left the screen", () => {
    const stop = listenToKeys();
    const run = vi.fn();
    const anywhere = vi.fn();
    const { unmount } = renderHook(() =>
      useKeys([binding("x", { run }), binding("mod+k", { run: anywhere, whileTyping: true })]),
    );
    const field = document.body.appendChild(document.createElement("input"));
    press("x");
    press("x", {}, field);
    press("k", { ctrlKey: true }, field);
    press("x", { ctrlKey: true });
    expect(run).toHaveBeenCalledTimes(1);
    expect(anywhere).toHaveBeenCalledTimes(1);
    unmount();
    press("x");
    expect(run).toHaveBeenCalledTimes(1);
    field.remove();
    stop();
  });

  it("understands sequences, and a first key that is also a command of its own", () => {
    const stop = listenToKeys();
    const [go, x] = [vi.fn(), vi.fn()];
    const { unmount } = renderHook(() => useKeys([binding("g m", { run: go }), binding("x", { run: x })]));
    press("g");
    press("m");
    expect(go).toHaveBeenCalledTimes(1);
    press("g");
    press("x");
    expect(x).toHaveBeenCalledTimes(1);
    press("m");
    expect(go).toHaveBeenCalledTimes(1);
    unmount();
    stop();
  });

  it("leaves the keyboard to a dialog, but not to a message", () => {
    const stop = listenToKeys();
    const run = vi.fn();
    const { unmount } = renderHook(() => useKeys([binding("u", { run })]));
    const box = document.body.appendChild(document.createElement("div"));
    box.setAttribute("role", "alertdialog");
    press("u");
    expect(run).not.toHaveBeenCalled();
    box.setAttribute("aria-modal", "false");
    press("u");
    expect(run).toHaveBeenCalledTimes(1);
    box.remove();
    unmount();
    stop();
  });
});
