import { renderHook } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { findBinding, type KeyBinding, keyName, listenToKeys, prefixesAmong, useKeys } from "./keys";

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

describe("keys of which one begins another", () => {
  it("are found", () => {
    expect(prefixesAmong(["g", "g i", "gi", "x", "g i"])).toEqual([["g", "g i"]]);
    expect(prefixesAmong(["g i", "g m", "shift+g", "i"])).toEqual([]);
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

  it("understands sequences, and does nothing where one breaks off", () => {
    const stop = listenToKeys();
    const [go, x] = [vi.fn(), vi.fn()];
    const { unmount } = renderHook(() => useKeys([binding("g m", { run: go }), binding("x", { run: x })]));
    press("g");
    press("m");
    expect(go).toHaveBeenCalledTimes(1);
    press("g");
    press("x");
    expect(x, "a slip of the second key is no command").not.toHaveBeenCalled();
    press("x");
    expect(x).toHaveBeenCalledTimes(1);
    press("m");
    expect(go).toHaveBeenCalledTimes(1);
    unmount();
    stop();
  });

  it("never runs a command on the first key of a sequence, however long nothing follows", () => {
    vi.useFakeTimers();
    try {
      const stop = listenToKeys();
      const [go, act] = [vi.fn(), vi.fn()];
      const { unmount } = renderHook(() => useKeys([binding("g i", { run: go }), binding("g", { run: act })]));
      press("g");
      vi.advanceTimersByTime(60_000);
      press("g");
      press("g");
      vi.advanceTimersByTime(60_000);
      expect(act).not.toHaveBeenCalled();
      press("g");
      press("i");
      expect(go).toHaveBeenCalledTimes(1);
      unmount();
      stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it("does a command once while its key is held, and walks on", () => {
    const stop = listenToKeys();
    const [approve, walk] = [vi.fn(), vi.fn()];
    const { unmount } = renderHook(() => useKeys([binding("a", { run: approve }), binding("j", { run: walk })]));
    for (const repeat of [false, true, true]) for (const key of ["a", "j"]) press(key, { repeat });
    expect([approve.mock.calls.length, walk.mock.calls.length]).toEqual([1, 3]);
    unmount();
    stop();
  });

  it("walks with the arrows as with j and k, but where a part has arrows itself", () => {
    const stop = listenToKeys();
    const [next, before] = [vi.fn(), vi.fn()];
    const { unmount } = renderHook(() => useKeys([binding("j", { run: next }), binding("k", { run: before })]));
    const button = document.body.appendChild(document.createElement("button"));
    const list = document.body.appendChild(document.createElement("div"));
    list.setAttribute("role", "listbox");
    const row = list.appendChild(document.createElement("div"));
    press("ArrowDown");
    press("ArrowDown", { repeat: true }, button);
    press("ArrowUp", {}, button);
    press("ArrowDown", {}, row);
    press("ArrowDown", { shiftKey: true });
    expect([next.mock.calls.length, before.mock.calls.length]).toEqual([2, 1]);
    const [down, up] = [vi.fn(), vi.fn()];
    const range = renderHook(() => useKeys([binding("shift+j", { run: down }), binding("shift+k", { run: up })]));
    press("ArrowDown", { shiftKey: true });
    press("ArrowDown", { shiftKey: true, repeat: true }, button);
    press("ArrowUp", { shiftKey: true });
    press("ArrowUp", { shiftKey: true }, row);
    expect([down.mock.calls.length, up.mock.calls.length]).toEqual([2, 1]);
    range.unmount();
    for (const element of [button, list]) element.remove();
    unmount();
    stop();
  });

  it("works on after a box was ticked", () => {
    const stop = listenToKeys();
    const run = vi.fn();
    const { unmount } = renderHook(() => useKeys([binding("x", { run })]));
    const box = document.body.appendChild(document.createElement("input"));
    box.type = "checkbox";
    press("x", {}, box);
    box.type = "search";
    press("x", {}, box);
    expect(run).toHaveBeenCalledTimes(1);
    box.remove();
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

it("works while a closed list of choices has the focus, but for the keys of the list", () => {
  const stop = listenToKeys();
  const runs = vi.fn();
  const { unmount } = renderHook(() => useKeys([binding("j", { run: runs }), binding("k", { run: runs })]));
  const list = document.body.appendChild(document.createElement("select"));
  press("j", {}, list);
  expect(runs).toHaveBeenCalledTimes(1);
  press("ArrowDown", {}, list);
  press(" ", {}, list);
  expect(runs).toHaveBeenCalledTimes(1);
  list.remove();
  unmount();
  stop();
});
