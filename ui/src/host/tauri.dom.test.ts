import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Event } from "@/bindings";
import { ApiFailure, Unreachable } from "./backend";
import { insideDesktop, tauriBackend } from "./tauri";

const shell = vi.hoisted(() => ({
  invoke: vi.fn<(command: string, args?: unknown) => Promise<unknown>>(),
  listeners: new Map<string, (event: { payload: unknown }) => void>(),
}));
vi.mock("@tauri-apps/api/core", () => ({ invoke: shell.invoke }));
vi.mock("@tauri-apps/api/event", () => ({
  listen: (name: string, listener: (event: { payload: unknown }) => void) => {
    shell.listeners.set(name, listener);
    return Promise.resolve(() => shell.listeners.delete(name));
  },
}));

beforeEach(() => shell.invoke.mockReset());

describe("the desktop shell", () => {
  it("is told the command's name and its request", async () => {
    shell.invoke.mockResolvedValue({ stores: [] });
    expect(await tauriBackend().call("stores", {})).toEqual({ stores: [] });
    expect(shell.invoke).toHaveBeenCalledWith("call", { name: "stores", payload: {} });
  });

  it("refuses with an error, bare or wrapped, and anything else is no answer", async () => {
    const error = { code: "busy", message: "Later.", hint: "", subject: "" };
    for (const rejection of [error, { error }]) {
      shell.invoke.mockRejectedValueOnce(rejection);
      const failure = await tauriBackend()
        .call("stores", {})
        .catch((cause: unknown) => cause);
      expect(failure).toBeInstanceOf(ApiFailure);
      expect((failure as ApiFailure).error).toEqual(error);
    }
    shell.invoke.mockRejectedValueOnce("command call not found");
    await expect(tauriBackend().call("stores", {})).rejects.toBeInstanceOf(Unreachable);
  });

  it("sends events until nobody listens", async () => {
    const heard: Event[] = [];
    const stop = tauriBackend().subscribe((event) => heard.push(event));
    shell.listeners.get("retrace-event")?.({ payload: { type: "stores" } });
    expect(heard).toEqual([{ type: "stores" }]);
    await Promise.resolve();
    stop();
    await vi.waitFor(() => expect(shell.listeners.has("retrace-event")).toBe(false));
  });

  it("goes where the tray sends it, and nowhere else", () => {
    tauriBackend();
    const go = (payload: string) => shell.listeners.get("retrace-go")?.({ payload });
    go("#/stores");
    expect(window.location.hash).toBe("#/stores");
    go("https://example.com/");
    expect(window.location.hash).toBe("#/stores");
  });

  it("keeps what is chosen for the tray and messages", async () => {
    const settings = { keep_in_tray: true, digests: true, alarms: false, language: "ja" };
    const state = { settings, tray: true, paused: false, messages_problem: null };
    shell.invoke.mockResolvedValue(state);
    const { desktop } = tauriBackend().platform;
    expect(await desktop?.set(settings)).toEqual(state);
    expect(shell.invoke).toHaveBeenLastCalledWith("set_desktop", { settings });
    await desktop?.state();
    expect(shell.invoke).toHaveBeenLastCalledWith("desktop", {});
    shell.invoke.mockRejectedValueOnce({ error: { code: "cannot_write", message: "Full.", hint: "", subject: "" } });
    await expect(desktop?.set(settings)).rejects.toBeInstanceOf(ApiFailure);
  });

  it("opens the system's dialog, and is only there when it is", async () => {
    shell.invoke.mockResolvedValue("/home/ada/notes");
    expect(await tauriBackend().platform.pickDirectory?.()).toBe("/home/ada/notes");
    expect(insideDesktop()).toBe(false);
  });
});
