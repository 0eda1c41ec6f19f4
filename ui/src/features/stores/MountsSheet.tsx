/** Attach lists of sessions: built or pasted, checked, and shown as what they would mount. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useId, useMemo, useState } from "react";
import type { MountPreview, MountProblem, Mounts, Store } from "@/bindings";
import { download } from "@/shared/download";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { CloseIcon } from "@/shared/icons";
import { ProgramText } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { Comma } from "@/shared/punctuation";
import { Await, Button, Chip, CopyButton, Dot, Empty, Segmented } from "@/shared/ui";
import { Button as AriaButton } from "react-aria-components/Button";
import { useRead } from "@/state/queries";
import { observable, useObservable } from "@/state/observable";
import {
  charactersOf,
  fieldOf,
  isStore,
  MAX_CHARACTERS,
  MAX_STORES,
  type MountItem,
  readList,
  withField,
  writeList,
} from "./mountList";
import { classes } from "@/shared/classes";
import css from "./hosted.module.css";

/** The list as it was last left; it lasts as long as the page. */
const draft = observable("");

/** A store that can be attached, by the id that a session names it with. */
interface Attachable {
  id: string;
  name: string;
}

function useAttachable(stores: readonly Store[]): readonly Attachable[] | undefined {
  const { data, error } = useRead("remotes", {});
  if (!data && !error) return undefined;
  const mirrors = (data?.stores ?? []).map(({ remote_id, name }) => ({ id: remote_id, name }));
  const own = stores.filter(({ shared }) => shared).map(({ id, name }) => ({ id, name }));
  return [...mirrors, ...own];
}

function Problems({ problems }: { problems: readonly MountProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className={css.mountProblems}>
      {problems.map(({ severity, at, message }) => (
        <li key={at + message.text} data-testid="mount-problem" data-severity={severity}>
          <Chip tone={severity === "error" ? "del" : "warn"}>
            {severity === "error" ? <Trans>refused</Trans> : <Trans>warning</Trans>}
          </Chip>
          <span>
            <ProgramText text={message} /> {at && <span className="mono muted">{at}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

function ItemForm({
  item,
  place,
  known,
  problems,
  onChange,
  onRemove,
}: {
  item: MountItem;
  place: number;
  known: readonly Attachable[];
  problems: readonly MountProblem[];
  onChange: (item: MountItem) => void;
  onRemove: () => void;
}) {
  const { t } = useLingui();
  const id = useId();
  const format = useFormat();
  const store = fieldOf(item, "memory_store_id");
  const instructions = fieldOf(item, "instructions");
  const used = charactersOf(instructions);
  const access = fieldOf(item, "access");
  const set = (field: string) => (event: { target: { value: string } }) =>
    onChange(withField(item, field, event.target.value));
  return (
    <fieldset className={css.mountItem} data-testid="mount-item">
      <legend className="visually-hidden">
        <Trans>Memory store {place}</Trans>
      </legend>
      <div className={css.mountLine}>
        <select aria-label={t`Store`} value={store} onChange={set("memory_store_id")} data-testid="mount-store">
          <option value="">{t`Choose a store`}</option>
          {store !== "" && !known.some((one) => one.id === store) && <option value={store}>{store}</option>}
          {known.map((one) => (
            <option key={one.id} value={one.id}>
              {spelled(one.name)}
            </option>
          ))}
        </select>
        <select
          aria-label={t`Access`}
          value={
            access === "read_only" ? "read_only" : access === "" || access === "read_write" ? "read_write" : access
          }
          onChange={set("access")}
          data-testid="mount-access"
        >
          <option value="read_write">{t`may read and write`}</option>
          <option value="read_only">{t`may only read`}</option>
          {!["", "read_only", "read_write"].includes(access) && <option value={access}>{access}</option>}
        </select>
        <AriaButton className="icon-button" aria-label={t`Remove store ${place} from the list`} onPress={onRemove}>
          <CloseIcon />
        </AriaButton>
      </div>
      <div className="field">
        <label htmlFor={id}>
          <Trans>Instructions</Trans>
        </label>
        <textarea
          id={id}
          rows={2}
          value={instructions}
          onChange={set("instructions")}
          aria-invalid={used > MAX_CHARACTERS || undefined}
          aria-describedby={`${id}-count`}
          data-testid="mount-instructions"
        />
        <span
          id={`${id}-count`}
          className={`num ${used > MAX_CHARACTERS ? "text-del" : "muted"}`}
          data-testid="mount-count"
        >
          {used > MAX_CHARACTERS
            ? t`${format.number(used)} characters; the API takes ${format.number(MAX_CHARACTERS)}`
            : t`${format.number(used)} of ${format.number(MAX_CHARACTERS)} characters`}
        </span>
      </div>
      <Problems problems={problems} />
    </fieldset>
  );
}

function PreviewCard({ mount }: { mount: MountPreview }) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <section
      className={css.mountCard}
      aria-label={mount.name ?? mount.memory_store_id}
      data-testid="mount-preview"
      data-index={mount.index}
    >
      <header>
        <strong>{mount.name ?? mount.memory_store_id}</strong>
        <Chip>{mount.access === "read_only" ? <Trans>may only read</Trans> : <Trans>may read and write</Trans>}</Chip>
        {mount.unreviewed > 0 && (
          <Chip tone="warn">
            <Plural value={mount.unreviewed} one="# unreviewed change" other="# unreviewed changes" />
          </Chip>
        )}
      </header>
      {mount.mount_path ? (
        <p>
          <span className="mono" data-testid="mount-path">
            {mount.mount_path}
          </span>{" "}
          {mount.mount_path_assumed && (
            <Chip tone="warn" title={t`The last part rests on a rule that is not public.`}>
              <Trans>assumed</Trans>
            </Chip>
          )}
        </p>
      ) : (
        <p className="muted">
          <Trans>The mount path is not known, as the store's name is not.</Trans>
        </p>
      )}
      {mount.store_id !== null && (
        <p className="muted num">
          <Plural value={mount.files} one="# file" other="# files" />
          <Comma />
          {format.bytes(mount.bytes)}
          <Comma />
          {t`${format.number(mount.tokens)} tokens, counted offline`}
        </p>
      )}
      {mount.largest.length > 0 && (
        <details>
          <summary>
            <Trans>Largest files</Trans>
          </summary>
          <table className="table">
            <tbody>
              {mount.largest.map((file) => (
                <tr key={file.path}>
                  <th scope="row" className={classes("mono", css.mountFile)}>
                    {file.path}
                  </th>
                  <td className="cell-end num">{format.bytes(file.bytes)}</td>
                  <td className="cell-end num">
                    {file.tokens === null ? <Trans>not text</Trans> : t`${format.number(file.tokens)} tokens`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </section>
  );
}

function Result({ mounts }: { mounts: Mounts }) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <>
      <p className={classes(css.mountSum, "num")} role="status" data-testid="mount-sum" data-ok={mounts.ok}>
        <span className="store-state">
          <Dot tone={mounts.ok ? "on" : "del"} />
          {mounts.ok ? <Trans>The API would take it</Trans> : <Trans>The API would refuse it</Trans>}
        </span>
        <span className="muted">
          {t`${format.number(mounts.tokens)} tokens in all files, counted offline`} ·{" "}
          {t`about ${format.number(mounts.prompt_tokens)} in the system prompt, estimated`}
        </span>
      </p>
      {mounts.mounts.map((mount) => (
        <PreviewCard key={mount.index} mount={mount} />
      ))}
    </>
  );
}

type List = ReturnType<typeof readList>;

/** Places in the list at which a store is attached. */
const placesOf = (list: List) => list.items.flatMap((item, at) => (isStore(item) ? [at] : []));

/** The list as it is written. */
function JsonForm({ text, wrong }: { text: string; wrong: boolean }) {
  const { t } = useLingui();
  return (
    <textarea
      className={classes("mono", css.mountsJson)}
      value={text}
      onChange={(event) => draft.set(event.target.value)}
      placeholder={t`Paste the resources of a session`}
      aria-label={t`The list as JSON`}
      aria-invalid={wrong || undefined}
      spellCheck={false}
      data-testid="mounts-json"
    />
  );
}

/** The list as a form. */
function ListForm({
  list,
  attachable,
  checked,
}: {
  list: List;
  /** Undefined until they are read: a store cannot be attached before. */
  attachable: readonly Attachable[] | undefined;
  checked: Mounts | undefined;
}) {
  const known = attachable ?? [];
  const places = placesOf(list);
  const put = (items: readonly MountItem[]) => draft.set(writeList(list.value, items));
  const add = () => {
    const taken = new Set(list.items.map((item) => fieldOf(item, "memory_store_id")));
    const next = known.find(({ id }) => !taken.has(id));
    put([...list.items, { type: "memory_store", memory_store_id: next?.id ?? "", access: "read_write" }]);
  };
  const mountAt = (at: number) => checked?.mounts[places.indexOf(at)];
  return (
    <>
      {places.map((at) => (
        <ItemForm
          key={at}
          item={list.items[at]!}
          place={places.indexOf(at) + 1}
          known={known}
          problems={mountAt(at)?.problems ?? []}
          onChange={(item) => put(list.items.map((one, index) => (index === at ? item : one)))}
          onRemove={() => put(list.items.filter((_one, index) => index !== at))}
        />
      ))}
      <Button onPress={add} isDisabled={!attachable || list.problem !== null} data-testid="mount-add">
        <Trans>Attach a store</Trans>
      </Button>
    </>
  );
}

/** The sheet. */
export function MountsSheet({ stores, onClose }: { stores: readonly Store[]; onClose: () => void }) {
  const { t } = useLingui();
  const text = useObservable(draft);
  const [view, setView] = useState<"build" | "json">("build");
  const attachable = useAttachable(stores);
  const list = useMemo(() => readList(text), [text]);
  const places = placesOf(list);
  const empty = places.length === 0;
  const read = useRead(
    "check_mounts",
    { resources: list.value ?? [], model: null },
    { enabled: list.problem === null && text.trim() !== "", keepPrevious: true },
  );
  return (
    <Sheet
      title={t`Attach list of a session`}
      size="large"
      onClose={onClose}
      testId="mounts-sheet"
      footer={
        <>
          <span className="muted">
            <Trans>Checked on this machine. No host is called.</Trans>
          </span>
          <span className="spacer" />
          <CopyButton text={text} label={t`Copy the list`} />
          <Button
            isDisabled={text.trim() === ""}
            onPress={() => download("resources.json", text)}
            data-testid="mounts-save"
          >
            <Trans>Save</Trans>
          </Button>
        </>
      }
    >
      <div className={css.mounts}>
        <div className={css.mountsSide}>
          <div className="act-toolbar">
            <Segmented
              label={t`Form of the list`}
              value={view}
              options={[
                { value: "build", label: t`Form` },
                { value: "json", label: "JSON" },
              ]}
              onChange={setView}
            />
            <span className="spacer" />
            <span className="muted num">{t`${places.length} of ${MAX_STORES} stores`}</span>
          </div>
          {view === "json" ? (
            <JsonForm text={text} wrong={list.problem !== null} />
          ) : (
            <ListForm list={list} attachable={attachable} checked={read.data} />
          )}
          {list.problem !== null && (
            <div className="notice notice-warning" role="alert" data-testid="mounts-problem">
              <span>
                <Trans>This is not JSON yet.</Trans> <span className="mono">{list.problem}</span>
              </span>
            </div>
          )}
          {read.data && list.problem === null && text.trim() !== "" && <Problems problems={read.data.problems} />}
        </div>
        <div className={css.mountsSide}>
          {empty || list.problem !== null ? (
            <Empty title={t`Nothing is attached`}>
              <Trans>
                A session of managed agents gets its memory stores when it is created. Attach stores, or paste the list,
                to see which files it would find and where.
              </Trans>
            </Empty>
          ) : (
            <Await read={read}>{(mounts) => <Result mounts={mounts} />}</Await>
          )}
        </div>
      </div>
    </Sheet>
  );
}

/** Forgets the list that was left; for tests. */
export const forgetMounts = (): void => draft.set("");
