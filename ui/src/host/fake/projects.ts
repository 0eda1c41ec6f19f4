/** Agent memory on the invented machine, new projects, and what a first run opens with. */
import type { Event, Finding, Found, Health, OpeningGroup, StoreFinding, StoreKind } from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import type { FakeLog } from "./log";
import { verbatim } from "./verbatim";

type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

/** Projects that appear while the window is open, and the answers about them. */
export class FakeProjects {
  /** Directories that appeared. */
  appeared: string[] = [];
  /** Directories that are not offered. */
  declined = new Set<string>();
  /** Recorded without asking. */
  always = false;

  constructor(
    private readonly log: FakeLog,
    private readonly emit: (event: Event) => void,
  ) {}

  /** A project gets memory. */
  appear(name: string): void {
    this.appeared.push(`/home/ada/${name}/memory`);
    this.emit({ type: "projects" });
  }

  private found(root: string, kind: StoreKind, name: string, files: number): Found {
    const exists = files > 0;
    return {
      root,
      kind,
      name,
      files,
      exists,
      evidence: [verbatim(`settings name ${root}`), verbatim(`${files} files with the usual names`)],
      project: kind === "codex" ? null : root.replace("/memory", ""),
      enabled: exists,
      reason: verbatim(exists ? "switched on in the user's settings" : "the directory does not exist yet"),
      store_id: this.log.stores.find((store) => store.root === root)?.id ?? null,
    };
  }

  /** Answers what the window asks of discovery. `health` is the stand-in of the command. */
  handlers(health: () => Health, sessions: () => number): Handlers {
    const state = () => ({
      found: this.appeared
        .filter((root) => !this.declined.has(root) && !this.log.stores.some((store) => store.root === root))
        .map((root) => this.found(root, "claude-auto", root.split("/").at(-2)!, 3)),
      always: this.always,
    });
    return {
      discover: () => ({
        found: [
          this.found("/home/ada/harbour/memory", "claude-auto", "harbour", 5),
          this.found("/home/ada/lighthouse/memory", "claude-auto", "lighthouse", 2),
          this.found("/home/ada/.codex/memories", "codex", "codex", 0),
        ],
        problems: [{ subject: "/home/ada/.config/agents.json", message: verbatim("is not valid JSON: line 3") }],
      }),
      new_projects: state,
      set_new_projects: ({ decline = [], offer = [], always = null }) => {
        decline.forEach((root) => this.declined.add(root));
        offer.forEach((root) => this.declined.delete(root));
        if (always !== null) this.always = always;
        this.emit({ type: "projects" });
        return state();
      },
      opening: () => {
        const { stores, findings } = health();
        const serious = findings.filter(({ finding }) => finding.severity !== "note");
        const groups = (["secret", "hostile", "hidden", "cut_index", "other"] as const).flatMap((kind) => {
          const of = serious.filter(({ finding }) => kindOf(finding) === kind);
          const [first] = of;
          return first ? [groupOf(kind, of, first, stores)] : [];
        });
        const memories = stores.reduce((sum, { files }) => sum + files, 0);
        return { groups, memories, stores: stores.length, sessions: sessions(), problems: [] };
      },
    };
  }
}

function kindOf({ rule }: Finding): OpeningGroup["kind"] {
  if (rule === "limits/index-cut") return "cut_index";
  const group = rule.split("/")[0];
  return group === "secret" || group === "hostile" || group === "hidden" ? group : "other";
}

function groupOf(
  kind: OpeningGroup["kind"],
  of: readonly StoreFinding[],
  first: StoreFinding,
  stores: Health["stores"],
): OpeningGroup {
  const store = stores.find(({ store_id }) => store_id === first.store_id);
  const lines = kind === "cut_index" ? (store?.indexes[0]?.lost_lines ?? 0) : 0;
  return { kind, count: of.length, lines, store: store?.name ?? "", first };
}
