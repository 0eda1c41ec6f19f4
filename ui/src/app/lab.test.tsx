import { verbatim } from "@/host/fake/verbatim";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Variant } from "@/bindings";
import { ApiFailure } from "@/host";
import { fakeBackend } from "@/host/fake";
import { callsOf, openWindow, rowWith } from "./testing";

const TOOLS = "clear_tool_uses_20250919";

/** Opens the settings of a run, and waits until both variants of a new bench are there. */
async function openLab(fake = fakeBackend(), transcript = "31b7a220") {
  const opened = openWindow(`#/context?transcript=${transcript}&view=settings`, fake);
  await rowWith("variant-row", "no editing");
  await waitFor(() => expect(screen.getAllByTestId("cell-peak")).toHaveLength(2));
  return opened;
}

const peakOf = (letter: string) => {
  const row = screen.getAllByTestId("variant-row").find((one) => one.dataset["key"] === letter);
  return within(row!).getByTestId("cell-peak").textContent ?? "";
};
const number = async (user: ReturnType<typeof openWindow>["user"], id: string, value: string) => {
  const input = screen.getByTestId(`${id}-input`);
  await user.clear(input);
  await user.type(input, `${value}{Enter}`);
};

describe("the context lab", () => {
  it("is reached from the navigation, lists the transcripts, and opens the newest", async () => {
    const { user } = openWindow();
    await user.click(await screen.findByTestId("nav-context"));
    expect(await screen.findAllByTestId("transcript-row")).toHaveLength(3);
    expect(await screen.findByTestId("lab-title")).toHaveTextContent("move the berth tables");
    await user.type(screen.getByTestId("transcript-search"), "lamp");
    await user.click(await rowWith("transcript-row", "write the lamp schedule"));
    await waitFor(() => expect(screen.getByTestId("lab-title")).toHaveTextContent("lamp schedule"));
    expect(window.location.hash).toBe("#/context?transcript=d02e9b51");
  });

  it("opens on the first of its list, and stays there when another order is looked at", async () => {
    const fake = fakeBackend();
    fake.lab.transcripts.transcripts[1]!.cost_usd = 23.95;
    const { user } = openWindow("#/context", fake);
    expect(await screen.findByTestId("lab-title")).toHaveTextContent("find out why the tide test fails");
    expect(screen.getAllByTestId("transcript-row")[0]).toHaveAttribute("aria-selected", "true");
    await user.click(screen.getByRole("radio", { name: "Date" }));
    expect(screen.getByTestId("lab-title")).toHaveTextContent("find out why the tide test fails");
  });

  it("calls a run by its first prompt, as its session is called, and tells those of one name apart", async () => {
    const fake = fakeBackend();
    const [one, two, three] = fake.lab.transcripts.transcripts;
    Object.assign(one!, {
      title: "Berths by competing agents",
      first_prompt: "move the berths",
      project: "/home/ada/cli",
    });
    Object.assign(two!, { first_prompt: "move the berths", project: "/home/ada/play/cli" });
    Object.assign(three!, { project: "/home/ada/play/cli/.worktrees/1", ended_at: null });
    openWindow("#/context", fake);
    expect(await screen.findByTestId("lab-title")).toHaveTextContent(/^move the berths$/);
    const rows = screen.getAllByTestId("transcript-row");
    expect(rows[0]).toHaveTextContent("ada/cli · ");
    expect(rows[1]).toHaveTextContent("play/cli · ");
    expect(rows[1]).toHaveTextContent("09:46");
    expect(rows[2]).toHaveTextContent(/cli\/\.worktrees\/118 requests/);
  });

  it("says when there are no transcripts, and while they are looked for", async () => {
    const fake = fakeBackend();
    fake.lab.transcripts.transcripts = [];
    fake.lab.transcripts.index = { running: true, done: 3, total: 90, updated_at: null };
    openWindow("#/context", fake);
    expect(await screen.findByTestId("index-state")).toHaveTextContent("reading 3 / 90");
    fake.lab.transcripts.index = { running: false, done: 90, total: 90, updated_at: null };
    expect(await screen.findByText("No runs yet")).toBeInTheDocument();
    expect(screen.getByTestId("no-transcripts")).toBeInTheDocument();
  });

  it("shows what could not be read, and what went wrong", async () => {
    const fake = fakeBackend();
    fake.lab.transcripts.problems = [{ path: "/home/ada/x.jsonl", reason: verbatim("no permission") }];
    fake.failNext("context_show", new ApiFailure({ code: "not_found", message: "Gone.", hint: "", subject: "" }));
    openWindow("#/context?transcript=zz", fake);
    expect(await screen.findByText("1 file could not be read")).toBeInTheDocument();
    expect(await screen.findByTestId("failure")).toHaveTextContent("Gone.");
  });
});

describe("a variant", () => {
  it("is simulated at once when a slider or a field moves, and the table, the chart and the figures follow", async () => {
    const { fake, user } = await openLab();
    const before = peakOf("B");
    const line = screen.getByTestId("line-B").getAttribute("d");
    await number(user, "trigger", "20000");
    await number(user, "clear-at-least", "0");
    await waitFor(() => expect(peakOf("B")).not.toBe(before));
    expect(screen.getByTestId("line-B").getAttribute("d")).not.toBe(line);
    expect(peakOf("A")).toMatch(/recorded/);
    expect(peakOf("B")).toMatch(/counted offline/);
    await waitFor(() =>
      expect(screen.getByTestId("figures")).toHaveTextContent("Each clearing pays back after74.6 requests"),
    );

    const thumb = within(screen.getByTestId("keep")).getByRole("slider");
    fireEvent.change(thumb, { target: { value: "9" } });
    await waitFor(() => expect(screen.getByTestId("keep-input")).toHaveValue("9"));
    const last = callsOf(fake, "context_simulate").real.at(-1)?.["variants"] as Variant[];
    expect(last[0]?.config).toMatchObject({
      edits: [{ trigger: { value: 20_000 }, keep: { type: "tool_uses", value: 9 } }],
    });
    expect(screen.getByTestId("status-line")).toHaveTextContent(/46 requests simulated in \d+ ms.*tokenizer v3/);
  });

  it("is written by the form and by its JSON alike", async () => {
    const { user } = await openLab();
    await user.click(within(screen.getByTestId("edit-clear_thinking_20251015")).getByRole("checkbox"));
    await user.selectOptions(screen.getByTestId("clear-tool-inputs"), "true");
    await user.selectOptions(screen.getByTestId("compaction-kind"), "compact_20260112");
    await user.click(screen.getByTestId("view-json"));
    const text = screen.getByTestId<HTMLTextAreaElement>("setting-json");
    const config = JSON.parse(text.value) as { edits: { type: string }[] };
    expect(config.edits.map(({ type }) => type)).toEqual(["clear_thinking_20251015", TOOLS, "compact_20260112"]);
    expect(config.edits[1]).toMatchObject({ clear_tool_inputs: true });

    fireEvent.change(text, { target: { value: "{" } });
    expect(screen.getByTestId("json-problem")).toHaveTextContent(/JSON/);
    fireEvent.change(text, {
      target: { value: `{"edits":[{"type":"${TOOLS}","keep":{"type":"tool_uses","value":2}}]}` },
    });
    await user.click(screen.getByTestId("view-form"));
    expect(screen.getByTestId("keep-input")).toHaveValue("2");
  });

  it("shows in place what the API would refuse, and no figure of an earlier setting", async () => {
    const { user } = await openLab();
    const rowOf = (letter: string) =>
      screen.getAllByTestId("variant-row").find((one) => one.dataset["key"] === letter)!;
    expect(peakOf("B")).toMatch(/\d/);
    await user.selectOptions(screen.getByTestId("compaction-kind"), "compact_20260112");
    await number(user, "compact-trigger", "1000");
    expect(await screen.findByTestId("field-problem")).toHaveTextContent("greater than or equal to 50,000");
    await waitFor(() => expect(rowOf("B")).toHaveTextContent("not computed: the setting has an error"));
    expect(within(rowOf("B")).queryByTestId("cell-peak")).toBeNull();
    expect(screen.getByTestId("not-computed")).toBeInTheDocument();
    expect(screen.queryByTestId("figures")).toBeNull();
    expect(screen.queryByTestId("line-B")).toBeNull();
    expect(screen.getByTestId("line-A")).toBeInTheDocument();
    await user.click(screen.getByTestId("view-json"));
    fireEvent.change(screen.getByTestId("setting-json"), { target: { value: '{"edits":[{"type":"clear_all"}]}' } });
    await waitFor(() => expect(screen.getByTestId("json-problem")).toHaveTextContent("Input tag 'clear_all'"));
    fireEvent.change(screen.getByTestId("setting-json"), { target: { value: "{}" } });
    await waitFor(() => expect(peakOf("B")).toMatch(/\d/));
    fireEvent.change(screen.getByTestId("setting-json"), { target: { value: "{ x" } });
    expect(screen.getByTestId("json-problem")).toHaveTextContent("This is not JSON: see line 1, column 3.");
    await waitFor(() => expect(rowOf("B")).toHaveTextContent("not computed: the setting has an error"));
    // With the form the last setting that could be read is back.
    await user.click(screen.getByTestId("view-form"));
    await waitFor(() => expect(peakOf("B")).toMatch(/\d/));
  });

  it("is added, duplicated, renamed, saved, removed, and put back from what was saved", async () => {
    const { fake, user } = await openLab();
    await user.click(screen.getByTestId("add-variant"));
    await user.type(screen.getByTestId("variant-name"), "mine");
    await user.click(screen.getByTestId("variant-menu"));
    await user.click(await screen.findByTestId("variant-duplicate"));
    expect(await rowWith("variant-row", "D · mine copy")).toHaveAttribute("aria-current", "true");
    expect(screen.queryByTestId("add-variant")).toBeNull();
    await user.click(screen.getByTestId("variant-menu"));
    await user.click(await screen.findByTestId("variant-save"));
    await waitFor(() => expect(fake.lab.variants.map(({ name }) => name)).toEqual(["default 100k", "mine copy"]));
    await user.click(screen.getByTestId("variant-menu"));
    await user.click(await screen.findByTestId("variant-remove"));
    await waitFor(() => expect(screen.getAllByTestId("variant-row")).toHaveLength(3));
    await user.click(await rowWith("saved-variant", "default 100k"));
    expect(await rowWith("variant-row", "D · default 100k")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Remove the saved variant mine copy" }));
    await waitFor(() => expect(fake.lab.variants.map(({ name }) => name)).toEqual(["default 100k"]));
  });

  it("warns when it breaks the cache again and again", async () => {
    const { user } = await openLab();
    await number(user, "trigger", "20000");
    await number(user, "clear-at-least", "0");
    expect(await rowWith("warning", "the cached prefix breaks 40 times")).toHaveTextContent("clear_at_least");
  });
});

describe("the chart", () => {
  it("is walked by keys, says where it stands, and has a table behind it", async () => {
    const { user } = await openLab();
    const chart = screen.getByTestId("chart");
    chart.focus();
    await user.keyboard("{Home}{ArrowRight}{ArrowRight}");
    expect(chart).toHaveAttribute("aria-valuenow", "3");
    expect(chart).toHaveAttribute("aria-valuetext", expect.stringMatching(/^Request 3 of 46, A [\d,]+, B [\d,]+$/));
    expect(screen.getByTestId("composition")).toHaveTextContent("Request 3 is made of");
    await user.keyboard("t");
    const rows = within(screen.getByTestId("request-table")).getAllByTestId("request-row");
    expect(rows).toHaveLength(46);
    expect(rows[2]).toHaveClass("is-cursor");
    await user.click(within(rows[4]!).getByRole("button"));
    expect(await screen.findByTestId("turn-sheet")).toHaveTextContent("Request 5 under B");
  });

  it("opens the request that the address names, and closes it with an address that names none", async () => {
    openWindow("#/context?transcript=31b7a220&turn=5");
    expect(await screen.findByTestId("turn-sheet")).toHaveTextContent("Request 5");
    act(() => {
      window.location.hash = "#/context?transcript=31b7a220&view=settings";
    });
    await rowWith("variant-row", "no editing");
    expect(screen.queryByTestId("turn-sheet")).toBeNull();
  });

  it("shows the sum of what a request is made of, the rest as not recorded", async () => {
    await openLab();
    const panel = screen.getByTestId("composition");
    const value = (row: Element) => Number(/-?[\d,]+(?= \()/.exec(row.textContent ?? "")![0].replaceAll(",", ""));
    const parts = [...panel.querySelectorAll("tbody tr")].map(value);
    expect(parts.reduce((sum, one) => sum + one, 0)).toBe(value(panel.querySelector("tfoot tr")!));
    expect(panel).toHaveTextContent("not recorded");
    expect(await within(panel).findByText("Results by tool")).toBeInTheDocument();
  });
});

describe("a request", () => {
  it("opens as it was sent, with prompt and tools before its messages, tools folded, and is searched", async () => {
    const { user } = await openLab(fakeBackend(), "d02e9b51");
    const panel = screen.getByTestId("composition");
    expect(panel).toHaveTextContent("framing");
    expect(screen.getByTestId("rests-on")).toHaveTextContent("proved by its digest");
    await user.click(screen.getByTestId("open-turn"));
    const sheet = await screen.findByTestId("turn-sheet");
    expect(await within(sheet).findByTestId("turn-proof")).toHaveTextContent("as sent, proved by its digest");
    const parts = within(sheet).getAllByTestId("turn-message");
    expect(parts[0]).toHaveTextContent("You keep the harbour's books.");
    const [tool] = within(parts[1]!).getAllByTestId("turn-block");
    expect(tool).toHaveTextContent("Read");
    expect(tool).not.toHaveTextContent("input_schema");
    await user.click(within(tool!).getByRole("button"));
    expect(tool).toHaveTextContent("input_schema");
    await user.type(within(sheet).getByTestId("turn-search"), "harbour's BOOKS");
    await waitFor(() => expect(within(sheet).getAllByTestId("turn-message")).toHaveLength(1));
    await user.type(within(sheet).getByTestId("turn-search"), " nowhere");
    expect(await within(sheet).findByText("This text is nowhere in this request")).toBeInTheDocument();
  });

  it("says when it is only what the lines of the transcript tell", async () => {
    const { user } = await openLab();
    screen.getByTestId("chart").focus();
    await user.keyboard("{Home}");
    expect(await screen.findByTestId("rests-on")).toHaveTextContent("Rebuilt from the lines of the transcript.");
    await user.click(screen.getByTestId("open-turn"));
    const sheet = await screen.findByTestId("turn-sheet");
    expect(await within(sheet).findByTestId("turn-proof")).toHaveTextContent("did not record the request");
  });
});

describe("a regret", () => {
  it("opens the turn with what would be gone struck out and said, hidden characters visible, and never as HTML", async () => {
    const { user } = await openLab(fakeBackend(), "8c41f0de");
    await number(user, "trigger", "30000");
    const [regret] = await screen.findAllByTestId("regret");
    await user.click(regret!);
    const sheet = await screen.findByTestId("turn-sheet");
    const gone = await waitFor(() => {
      const blocks = within(sheet).getAllByTestId("turn-block");
      return blocks.filter((block) => block.dataset["cleared"] === "true");
    });
    expect(gone.length).toBeGreaterThan(0);
    expect(gone[0]).toHaveTextContent("would be gone");
    expect(gone[0]!.querySelector("del")).toHaveTextContent("<b>result</b>");
    expect(gone[0]!.querySelector("del b")).toBeNull();
    expect(sheet.querySelector(".is-pointed")).not.toBeNull();
    expect(within(sheet).getAllByTestId("hidden-mark")[0]).toHaveTextContent("U+200B");
  });
});

describe("confirming", () => {
  it("shows the plan first, sends nothing before it is agreed to, and then holds forecast beside exact", async () => {
    const { fake, user } = await openLab();
    await user.click(screen.getByTestId("open-confirm"));
    expect(await screen.findByTestId("confirm-plan")).toHaveTextContent("https://api.anthropic.com");
    expect(screen.getByTestId("confirm-plan")).toHaveTextContent("no key");
    expect(screen.getByTestId("confirm-agree")).toBeDisabled();
    await user.type(await screen.findByTestId("counter-key"), "sk-ant-test-key");
    await user.click(screen.getByTestId("store-key"));
    await waitFor(() => expect(screen.getByTestId("confirm-agree")).toBeEnabled());
    expect(screen.queryByTestId("counter-key")).toBeNull();
    expect(screen.getByTestId("confirm-state")).toHaveTextContent("Nothing has been sent.");
    const agreed = () =>
      fake.calls.filter(({ name, request }) => name === "context_confirm" && (request as { agreed: boolean }).agreed);
    expect(agreed()).toHaveLength(0);
    await user.click(screen.getByTestId("confirm-agree"));
    expect(await screen.findAllByTestId("confirmed-point")).toHaveLength(4);
    expect(agreed()).toHaveLength(1);
    await waitFor(() => expect(screen.getByTestId("status-line")).toHaveTextContent("4 network calls"));
    expect(document.body.innerHTML).not.toContain("sk-ant-test-key");
  });
});

describe("exporting", () => {
  it("shows the setting in each form", async () => {
    const { fake, user } = await openLab();
    await user.click(screen.getByTestId("open-export"));
    expect(await screen.findByTestId("export-text")).toHaveTextContent(TOOLS);
    await user.click(screen.getByTestId("view-python"));
    await waitFor(() => expect(screen.getByTestId("export-text")).toHaveTextContent("import anthropic"));
    await user.click(screen.getByTestId("view-html"));
    expect(await screen.findByText(/It loads nothing and runs nothing/)).toBeInTheDocument();
    const asked = callsOf(fake, "context_export").real.at(-1);
    expect(asked).toMatchObject({ transcript: "31b7a220", format: "html", against: [{ name: "no editing" }] });
  });
});

describe("a sweep", () => {
  it("tries a grid and puts the chosen setting on the bench", async () => {
    const { fake, user } = await openLab();
    await user.click(screen.getByTestId("open-sweep"));
    expect(screen.getByTestId("sweep-count")).toHaveTextContent("48 settings");
    await user.clear(screen.getByTestId("grid-least"));
    await user.type(screen.getByTestId("grid-least"), "x");
    expect(screen.getByTestId("sweep-run")).toBeDisabled();
    await user.clear(screen.getByTestId("grid-least"));
    await user.type(screen.getByTestId("grid-least"), "0, 5k");
    await user.click(screen.getByTestId("sweep-project"));
    await user.click(screen.getByTestId("sweep-run"));
    const found = await screen.findByTestId("sweep-found");
    expect(found).toHaveTextContent("32 settings tried over 2 transcripts");
    expect(callsOf(fake, "context_sweep").real[0]).toMatchObject({ transcripts: ["31b7a220", "8c41f0de"] });
    await user.click(within(found).getAllByTestId("use-setting")[0]!);
    expect(await rowWith("variant-row", "C · clear above")).toHaveAttribute("aria-current", "true");
  });
});

describe("after deployment", () => {
  it("holds what the server reported beside the forecast", async () => {
    const fake = fakeBackend();
    const edit = (cleared_input_tokens: number) => [{ type: TOOLS, cleared_tool_uses: 8, cleared_input_tokens }];
    fake.answer("context_deployed", (_, usual) => ({
      ...usual(),
      requests: [{ index: 12, forecast: edit(50_120), reported: edit(50_000), error_percent: 0.2 }],
      reporting: 40,
      agreeing: 40,
    }));
    await openLab(fake, "8c41f0de");
    const panel = await screen.findByTestId("deployed");
    expect(panel).toHaveTextContent("40 requests of this run say what the server edited");
    expect(within(panel).getByTestId("deployed-row")).toHaveTextContent("input_tokens 50000");
  });
});

describe("the settings", () => {
  it("say whether exact counts can be had, list every call, and hold the table of prices", async () => {
    const fake = fakeBackend();
    fake.lab.counter.key_source = "keyring";
    fake.lab.counter.calls = [
      {
        at: "2026-11-20T10:00:00Z",
        purpose: "count_tokens",
        url: "https://api.anthropic.com/v1",
        bytes: 12,
        status: 200,
      },
    ];
    const { user } = openWindow("#/settings", fake);
    expect(await screen.findByTestId("key-source")).toHaveTextContent("keyring");
    expect(screen.getByTestId("network-call")).toHaveTextContent("count_tokens");
    expect(await screen.findByTestId("prices")).toHaveTextContent("2026-08-21");
    await user.click(screen.getByTestId("remove-key"));
    expect(await screen.findByTestId("counter-key")).toBeInTheDocument();
  });
});
