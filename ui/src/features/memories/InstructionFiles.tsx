/** Instruction files beside a store's memory: a list in the side panel, and a page with all of them or one. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import { Heading } from "react-aria-components/Heading";
import type { Instruction, Instructions, Store } from "@/bindings";
import { DocumentView } from "@/shared/DocumentView";
import { useFormat } from "@/shared/format";
import { ChevronIcon } from "@/shared/icons";
import { ProgramText } from "@/shared/labels";
import { useProgramWords } from "@/shared/program";
import { Space } from "@/shared/punctuation";
import { TableHead, numbers } from "@/shared/TableHead";
import { Await, Button, Chip, Dot, Empty, useWords } from "@/shared/ui";
import { VersionFrom } from "@/shared/VersionFrom";
import { useRead } from "@/state/queries";
import { type MemoriesRoute, navigate } from "@/state/route";
import { agentWords, isReadable, placeOf, rulesOf, scopeWords, stateOf, withinDirectory } from "./instructions";
import { classes } from "@/shared/classes";
import css from "./memories.module.css";

/** Stands for the page of all files, where a path stands for one. */
const ALL = "all";

function useInstructions(store: Store, enabled: boolean) {
  return useRead("instructions", { store: store.id, project: null }, { enabled });
}

function open(store: Store, path: string) {
  navigate({ screen: "memories", store: store.id, instruction: path });
}

/** The section of the side panel; asked for when it is opened, since looking for the project takes a moment. */
export function InstructionSection({ store, route }: { store: Store; route: MemoriesRoute }) {
  const { t } = useLingui();
  const [expanded, setExpanded] = useState(route.instruction !== undefined);
  const read = useInstructions(store, expanded);
  return (
    <Disclosure
      className={css.sideDisclosure}
      isExpanded={expanded}
      onExpandedChange={setExpanded}
      data-testid="instruction-section"
    >
      <Heading level={3} className="side-title">
        <AriaButton slot="trigger" className={css.disclosureButton} data-testid="instruction-toggle">
          <ChevronIcon />
          <Trans>Instructions</Trans>
        </AriaButton>
      </Heading>
      <DisclosurePanel className={css.sideDisclosurePanel}>
        {expanded && (
          <Await read={read} rows={3}>
            {(found) => (
              <ul className={css.instructionList} aria-label={t`Instruction files`}>
                <li>
                  <AriaButton
                    className={css.instructionItem}
                    onPress={() => open(store, ALL)}
                    aria-current={route.instruction === ALL ? "page" : undefined}
                    data-testid="instruction-all"
                  >
                    <Trans>All, with the reason for each</Trans>
                  </AriaButton>
                </li>
                {found.files.filter(isReadable).map((file) => (
                  <SideRow key={`${file.agent} ${file.path}`} file={file} found={found} store={store} route={route} />
                ))}
              </ul>
            )}
          </Await>
        )}
      </DisclosurePanel>
    </Disclosure>
  );
}

function SideRow({
  file,
  found,
  store,
  route,
}: {
  file: Instruction;
  found: Instructions;
  store: Store;
  route: MemoriesRoute;
}) {
  const say = useWords();
  const { name, folder } = placeOf(file.path, found.directory);
  const { word, dot } = stateOf(file);
  return (
    <li>
      <AriaButton
        className={css.instructionItem}
        onPress={() => open(store, file.path)}
        aria-current={route.instruction === file.path ? "page" : undefined}
        data-testid="instruction-item"
      >
        <Dot tone={dot} />
        <span className="visually-hidden">{say(word)}</span>
        <span className={css.treeLabel} title={file.path} data-name>
          {name}
        </span>
        <span className={classes("muted", css.treeLabel)} title={file.path} data-name>
          {folder}
        </span>
      </AriaButton>
    </li>
  );
}

function Table({ found, store }: { found: Instructions; store: Store }) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const agents = [...new Set(found.files.map(({ agent }) => agent))];
  if (agents.length === 0)
    return (
      <Empty title={t`No instruction file`}>
        <Trans>There is no CLAUDE.md, AGENTS.md or GEMINI.md that a session here would load.</Trans>
      </Empty>
    );
  return agents.map((agent) => {
    const total = found.totals.find((one) => one.agent === agent);
    const name = say(agentWords(agent));
    const rules = found.agents.find((one) => one.agent === agent);
    return (
      <section key={agent} className={css.instructionAgent} aria-label={name}>
        <h2>
          {name}{" "}
          <span className="muted num">
            {total ? (
              <Trans>
                <Plural value={total.files} one="# file" other="# files" />, {format.number(total.tokens)} tokens at the
                start, counted offline
              </Trans>
            ) : (
              <Trans>nothing at the start</Trans>
            )}
          </span>
        </h2>
        {rules && (
          <p className={classes("muted", css.instructionRules)} data-testid="instruction-rules">
            {say(rulesOf(rules))}
            {rules.version_from && (
              <>
                {" · "}
                <VersionFrom text={rules.version_from} />
              </>
            )}
          </p>
        )}
        <table className={classes("table", css.instructionTable)} aria-label={name}>
          <TableHead columns={[t`File`, t`Loaded`, t`Whose`, numbers(t`Size`), numbers(t`Tokens`)]} />
          <tbody>
            {found.files
              .filter((file) => file.agent === agent)
              .map((file, at) => (
                <Row key={`${file.path} ${at}`} file={file} found={found} store={store} />
              ))}
          </tbody>
        </table>
      </section>
    );
  });
}

function Row({ file, found, store }: { file: Instruction; found: Instructions; store: Store }) {
  const say = useWords();
  const { t } = useLingui();
  const format = useFormat();
  const program = useProgramWords();
  const { word, dot } = stateOf(file);
  const { name, folder } = placeOf(file.path, found.directory);
  const indent = { paddingInlineStart: `calc(var(--cell-edge) + ${file.depth * 16}px)` };
  return (
    <tr data-testid="instruction-row" data-state={file.state}>
      <th scope="row" style={indent}>
        {isReadable(file) ? (
          <Button tone="quiet" onPress={() => open(store, file.path)}>
            {name}
          </Button>
        ) : (
          <span>{name}</span>
        )}{" "}
        <span className="muted mono" title={file.path}>
          {folder}
        </span>
        <div className={classes("muted", css.instructionReason)} title={program.sentence(file.reason)}>
          <ProgramText text={withinDirectory(file.reason, found.directory)} />
        </div>
        {file.leads_to && (
          <div className={classes("muted", css.instructionReason)}>
            <Trans>Leads to {file.leads_to}</Trans>
          </div>
        )}
        {file.globs.length > 0 && (
          <div className={classes("muted", css.instructionReason)}>
            <Trans>Applies to {file.globs.join(", ")}</Trans>
          </div>
        )}
      </th>
      <td>
        <span className={css.fileState}>
          <Dot tone={dot} />
          {file.cut_at === null ? say(word) : <Trans>cut at byte {format.number(file.cut_at)}</Trans>}
        </span>
      </td>
      <td>{say(scopeWords(file.scope))}</td>
      <td className="cell-end num">{file.size_bytes === null ? t`not read` : format.bytes(file.size_bytes)}</td>
      <td className="cell-end num">{file.tokens === null ? t`not read` : format.number(file.tokens)}</td>
    </tr>
  );
}

/** Note whether a store records the file, which it does only where its directory covers it. */
function Recorded({ file }: { file: Instruction }) {
  if (file.store_id === null)
    return (
      <span className="muted" data-testid="instruction-not-recorded">
        <Trans>Not recorded: no store covers this file. This is how it is on disk now.</Trans>
      </span>
    );
  const store = file.store_id;
  return (
    <Button tone="quiet" onPress={() => navigate({ screen: "memories", store })}>
      <Trans>A store records this file</Trans>
    </Button>
  );
}

function OneFile({ file, found, store }: { file: Instruction; found: Instructions; store: Store }) {
  const say = useWords();
  const format = useFormat();
  const request = { store: store.id, project: null, path: file.path, highlight: true };
  const read = useRead("instruction", request, { enabled: isReadable(file) });
  const { name, folder } = placeOf(file.path, found.directory);
  return (
    <div className="pane">
      <header className="pane-header">
        <div className="pane-title">
          <h1 title={file.path} data-testid="instruction-title">
            {name}
          </h1>
          {folder && <span className="muted">{folder}</span>}
          <Chip>{say(stateOf(file).word)}</Chip>
        </div>
        <Button tone="quiet" onPress={() => open(store, ALL)}>
          <Trans>All instruction files</Trans>
        </Button>
      </header>
      <div className="pane-body">
        <p className={css.instructionWhy}>
          <ProgramText text={withinDirectory(file.reason, found.directory)} />
          <Space />
          {file.tokens !== null && file.size_bytes !== null && (
            <span className="muted num">
              <Trans>
                {format.bytes(file.size_bytes)}, {format.number(file.tokens)} tokens, counted offline.
              </Trans>
            </span>
          )}
          <Space />
          <Recorded file={file} />
        </p>
        <Await read={read} rows={10}>
          {(document) => <DocumentView document={document} />}
        </Await>
      </div>
    </div>
  );
}

/** The page: all files of a session in the store's project, or one. */
export function InstructionPane({ store, path }: { store: Store; path: string }) {
  const { t } = useLingui();
  const read = useInstructions(store, true);
  return (
    <main className={classes("screen", css.memoriesScreen, css.instructionScreen)} data-testid="instruction-screen">
      <Await read={read} rows={10}>
        {(found) => {
          const file = found.files.find((one) => one.path === path && isReadable(one));
          if (file) return <OneFile file={file} found={found} store={store} />;
          if (path !== ALL)
            return (
              <Empty
                whole
                title={t`No such instruction file`}
                action={
                  <Button onPress={() => open(store, ALL)}>
                    <Trans>All instruction files</Trans>
                  </Button>
                }
              >
                <Trans>It is not there any more, or is not read.</Trans>
              </Empty>
            );
          return <AllFiles found={found} store={store} />;
        }}
      </Await>
    </main>
  );
}

function AllFiles({ found, store }: { found: Instructions; store: Store }) {
  const program = useProgramWords();
  return (
    <div className="pane">
      <header className="pane-header">
        <div className="pane-title">
          <h1>
            <Trans>Instructions</Trans>
          </h1>
          <span className="muted" title={found.directory ?? undefined}>
            {found.directory === null ? (
              <Trans>of every session of yours</Trans>
            ) : (
              <Trans>of a session in {found.directory}</Trans>
            )}
          </span>
        </div>
        <Button tone="quiet" onPress={() => navigate({ screen: "memories", store: store.id })}>
          <Trans>Back to the memories</Trans>
        </Button>
      </header>
      <div className={classes("pane-body", css.instructionScroll)}>
        <p className="muted">
          {found.because && <ProgramText text={found.because} />}
          <Space />
          <Trans>
            These files are what people wrote for agents. They are read here and never changed, and recorded only inside
            a store. They are listed in the order in which they load, an imported file below the one that names it.
          </Trans>
        </p>
        {found.switched_off !== null && (
          <div className="notice" role="status">
            <Trans>Claude Code loads none of them: {program.sentence(found.switched_off)}</Trans>
          </div>
        )}
        <Table found={found} store={store} />
        {found.problems.length > 0 && (
          <section className={css.instructionAgent}>
            <h2>
              <Trans>Could not be read</Trans>
            </h2>
            <ul>
              {found.problems.map((problem) => (
                <li key={problem.text}>
                  <ProgramText text={problem} />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </div>
  );
}
