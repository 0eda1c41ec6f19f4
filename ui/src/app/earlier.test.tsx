/** Bringing in earlier history: how far it is, and stopping it. */
import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { ImportResult } from "@/bindings";
import { ApiFailure, type Backend } from "@/host";
import { fakeBackend } from "@/host/fake";
import { openWindow } from "./testing";

const preview: ImportResult = {
  dry_run: true,
  operation_seq: null,
  from: "transcripts",
  store_id: "memstore_1",
  store: "notes",
  found: 300,
  versions: 300,
  memories: 2,
  known: 0,
  observed: 0,
  unchanged: 0,
  redacted: 0,
  redacted_paths: 0,
  redacted_files: [],
  first_at: "2026-11-01T00:00:00Z",
  last_at: "2026-11-02T00:00:00Z",
  files: [],
  warnings: [],
};

const stopped = (job: string) =>
  new ApiFailure({
    code: "invalid",
    message: "The import was stopped; nothing was brought in.",
    hint: "",
    subject: job,
  });

/** A fake whose imports go on until they are stopped. */
function slow() {
  const fake = fakeBackend();
  const running = new Map<string, (failure: ApiFailure) => void>();
  const call = ((name: string, request: { job?: string; dry_run?: boolean }) => {
    const job = request.job ?? "";
    if (name === "import_git") return new Promise((_, reject) => running.set(job, reject));
    if (name === "import_transcripts")
      return request.dry_run ? Promise.resolve(preview) : new Promise((_, reject) => running.set(job, reject));
    if (name === "cancel") {
      running.get(job)?.(stopped(job));
      return Promise.resolve({ cancelled: running.delete(job) });
    }
    return fake.call(name as "status", request);
  }) as unknown as Backend["call"];
  return { fake: { ...fake, call }, running };
}

async function openSheet(fake: ReturnType<typeof slow>["fake"]) {
  const { user } = openWindow("#/stores", fake);
  await user.click((await screen.findAllByTestId("store-menu"))[0]!);
  await user.click(await screen.findByTestId("store-earlier"));
  return user;
}

test("an import says how far it is, and is stopped by a button", async () => {
  const { fake, running } = slow();
  const user = await openSheet(fake);
  await user.click(await screen.findByTestId("earlier-import-transcripts"));
  const part = within(screen.getByTestId("earlier-transcripts"));
  const bar = await part.findByTestId("job-progress");
  const task = [...running.keys()].find((name) => name.startsWith("earlier-transcripts-in"))!;
  act(() => fake.emit({ type: "progress", task, done: 120, total: 300 }));
  await waitFor(() => expect(bar).toHaveTextContent("120 of 300"));
  expect(within(bar).getByRole("progressbar", { name: "Bringing in…" })).toHaveAttribute("value", "120");
  await user.click(part.getByTestId("job-cancel"));
  await screen.findByText("Stopped; nothing was imported");
  expect(part.queryByTestId("job-progress")).toBeNull();
  expect(part.getByTestId("earlier-import-transcripts")).toBeEnabled();
});

test("a scan of a source is stopped by a button, and when the dialog closes", async () => {
  const { fake, running } = slow();
  const user = await openSheet(fake);
  const part = within(await screen.findByTestId("earlier-git"));
  await user.click(await part.findByTestId("job-cancel"));
  await part.findByRole("alert");
  expect([...running.keys()]).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByTestId("earlier-history")).toBeNull());
});
