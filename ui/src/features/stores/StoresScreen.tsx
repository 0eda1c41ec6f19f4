/** The screen of the stores: which directories are recorded, how each is doing, and what else was found. */
import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Store } from "@/bindings";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { MenuEntry, MoreMenu } from "@/shared/menu";
import { Moment, ProgramText, StoreState } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { ShortPath } from "@/shared/ShortPath";
import { useRecordingActs, useReporting } from "@/shared/store-acts";
import { TableHead, numbers, unseen } from "@/shared/TableHead";
import { Await, Button, Chip, Empty, Segmented, useWords } from "@/shared/ui";
import { kindWords } from "@/shared/vocabulary";
import { useBackend } from "@/state/backend";
import { useKeys } from "@/state/keys";
import { projectsAnswer } from "@/state/projects";
import { useRead } from "@/state/queries";
import { navigate, type StoresRoute, type StoresView } from "@/state/route";
import { openStoresSheet, useStoresSheet } from "@/state/sheets";
import { say } from "@/state/toasts";
import { AddHosted } from "./AddHosted";
import { CompareView } from "./CompareView";
import { AddDirectory, DiscoveryList } from "./discovery";
import { DreamsView } from "./DreamsView";
import { EarlierHistory } from "./EarlierHistory";
import { HostedView } from "./HostedView";
import { MountsSheet } from "./MountsSheet";
import { Question } from "@/shared/Question";
import { StorePlaces } from "./StorePlaces";
import { MountSheet, ServedSheet } from "./ShareSheet";
import { classes } from "@/shared/classes";
import storesCss from "./stores.module.css";
import hostedCss from "./hosted.module.css";

/** Acts on a store; each tells how it went. */
function useStoreActs() {
  const { t } = useLingui();
  const backend = useBackend();
  const reporting = useReporting();
  const { set, scan } = useRecordingActs();
  const addAgain = ({ root, kind, name }: Store) =>
    reporting(async () => void (await backend.call("add_store", { root, kind, name })));
  const remove = (store: Store) =>
    reporting(async () => {
      await backend.call("remove_store", { store: store.id });
      const action = { label: t`Add it again`, run: () => void addAgain(store) };
      say(() => ({
        tone: "done",
        title: t`${store.name} is not recorded any more`,
        detail: t`Its history stays in the log.`,
        action,
      }));
    });
  const share = async (store: Store, shared: boolean) => {
    let done = false;
    await reporting(async () => {
      await backend.call("share_store", { store: store.id, shared });
      done = true;
      if (!shared) say(() => ({ tone: "done", title: t`The API does not show ${store.name} any more` }));
    });
    return done;
  };
  const unmount = (store: Store) =>
    reporting(async () => {
      await backend.call("mount_store", { store: store.id, directory: null });
      // It was a store's on purpose, and is none on purpose: not a new project.
      await backend.call("set_new_projects", projectsAnswer({ decline: [store.root] }));
      say(() => ({
        tone: "done",
        title: t`${store.name} has no directory any more`,
        detail: t`Its files stay as they are.`,
      }));
    });
  const relocate = (store: Store) =>
    reporting(async () => {
      const done = await backend.call("relocate_store", { store: store.id, dry_run: false });
      say(() => ({ tone: "done", title: t`${store.name} is recorded again`, detail: done.directory }));
    });
  return { set, scan, remove, share, unmount, relocate };
}

/** Sheets that a store's menu opens. */
type StoreSheet = "relocate" | "rules" | "earlier" | "served" | "mount" | "unmount" | "remove";

interface StoreMenuProps {
  store: Store;
  onOpen: (sheet: StoreSheet) => void;
}

/** Acts on a store's directory. */
function DirectoryItems({ store, onOpen }: StoreMenuProps) {
  const { set, scan } = useStoreActs();
  const paused = store.state === "paused";
  return (
    <>
      {store.state === "moved" && (
        <MenuEntry onAction={() => onOpen("relocate")} testId="store-relocate">
          <Trans>Use the present directory…</Trans>
        </MenuEntry>
      )}
      <MenuEntry onAction={() => void scan([store])} testId="store-scan">
        <Trans>Scan now</Trans>
      </MenuEntry>
      <MenuEntry onAction={() => void set(paused ? "resume_store" : "pause_store", store)} testId="store-pause">
        {paused ? <Trans>Resume recording</Trans> : <Trans>Pause recording</Trans>}
      </MenuEntry>
      <MenuEntry onAction={() => onOpen("rules")} testId="store-rules">
        <Trans>Left out…</Trans>
      </MenuEntry>
      <MenuEntry onAction={() => onOpen("earlier")} testId="store-earlier">
        <Trans>Import earlier history…</Trans>
      </MenuEntry>
    </>
  );
}

/** Acts on a store in the Memory Stores API. */
function ApiItems({ store, onOpen }: StoreMenuProps) {
  const { share } = useStoreActs();
  if (!store.shared)
    return (
      <MenuEntry onAction={() => void share(store, true).then((done) => done && onOpen("served"))} testId="store-share">
        <Trans>Show in the Memory Stores API</Trans>
      </MenuEntry>
    );
  return (
    <>
      <MenuEntry onAction={() => onOpen("served")} testId="store-served">
        <Trans>Use with an SDK…</Trans>
      </MenuEntry>
      {store.mounted ? (
        <MenuEntry onAction={() => onOpen("unmount")} testId="store-unmount">
          <Trans>Unmount…</Trans>
        </MenuEntry>
      ) : (
        <MenuEntry onAction={() => onOpen("mount")} testId="store-mount">
          <Trans>Mount at a directory…</Trans>
        </MenuEntry>
      )}
      {store.mounted && (
        <MenuEntry onAction={() => void share(store, false)} testId="store-unshare">
          <Trans>Stop showing it in the API</Trans>
        </MenuEntry>
      )}
    </>
  );
}

function StoreMenu({ store, onOpen }: StoreMenuProps) {
  return (
    <MoreMenu name={store.name} testId="store-menu">
      {store.mounted && <DirectoryItems store={store} onOpen={onOpen} />}
      <ApiItems store={store} onOpen={onOpen} />
      <StorePlaces store={store.id} compareTestId="store-compare" />
      <MenuEntry danger onAction={() => onOpen("remove")} testId="store-remove">
        <Trans>Remove…</Trans>
      </MenuEntry>
    </MoreMenu>
  );
}

function StoreRow({ store, chosen, onOpen }: StoreMenuProps & { chosen: boolean }) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  return (
    <tr
      data-testid="store-row"
      data-store={store.id}
      className={chosen ? "is-chosen" : undefined}
      aria-current={chosen || undefined}
    >
      <th scope="row">
        <Button tone="quiet" onPress={() => navigate({ screen: "memories", store: store.id })}>
          {spelled(store.name)}
        </Button>
        <div className={classes("mono muted", storesCss.storeRoot)} title={store.root}>
          {store.mounted ? <ShortPath path={store.root} /> : t`in the log alone, without a directory`}
        </div>
      </th>
      <td>
        {say(kindWords(store.kind))}
        {store.shared && (
          <>
            {" "}
            <Chip tone="accent" title={t`The Memory Stores API shows it.`} data-testid="shared-chip">
              API
            </Chip>
          </>
        )}
      </td>
      <td>
        <StoreState state={store.state} detail={store.state_detail} />
        {store.state_detail && (
          <div className="muted state-detail">
            <ProgramText text={store.state_detail} />
          </div>
        )}
        {store.state === "moved" && (
          <Button onPress={() => onOpen("relocate")} data-testid="store-relocate-here">
            <Trans>Use the present directory…</Trans>
          </Button>
        )}
      </td>
      <td className="cell-end num">{format.number(store.memories)}</td>
      <td className="cell-end num">{format.number(store.versions)}</td>
      <td>
        {store.last_change ? (
          <Moment at={store.last_change} form="ago" />
        ) : (
          <span className="muted">
            <Trans>none yet</Trans>
          </span>
        )}
      </td>
      <td className="cell-end">
        <StoreMenu store={store} onOpen={onOpen} />
      </td>
    </tr>
  );
}

function Rules({ store, onClose }: { store: Store; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Sheet title={t`Left out by ${store.name}`} onClose={onClose} testId="rules">
      <ul className={storesCss.rules}>
        {store.rules.map((rule) => (
          <li key={rule.text}>
            <ProgramText text={rule} />
          </li>
        ))}
      </ul>
      <p className="muted">
        <Trans>Everything else in the directory is recorded, byte for byte. Symbolic links are not followed.</Trans>
      </p>
    </Sheet>
  );
}

function Removal({ store, onClose }: { store: Store; onClose: () => void }) {
  const { t } = useLingui();
  const { remove } = useStoreActs();
  return (
    <Question
      title={t`Stop recording ${store.name}`}
      verb={t`Stop recording`}
      testId="remove"
      danger
      onDone={() => void remove(store)}
      onClose={onClose}
    >
      <p>
        <Trans>
          Changes in this directory are no longer seen. Its files are not touched, and its history stays in the log.
        </Trans>
      </p>
      <p className="muted">
        <Trans>Adding the same directory again continues where it stopped.</Trans>
      </p>
    </Question>
  );
}

/** Another directory stands at the store's path: how much of it the log knows, and whether it is the store's. */
function Relocating({ store, onClose }: { store: Store; onClose: () => void }) {
  const { t } = useLingui();
  const { relocate } = useStoreActs();
  const read = useRead("relocate_store", { store: store.id, dry_run: true });
  return (
    <Question
      title={t`Another directory is now at the path of ${store.name}`}
      verb={t`It is the store's`}
      testId="relocate"
      onDone={() => void relocate(store)}
      onClose={onClose}
    >
      <p>
        <Trans>Nothing in it was read or written since. What was recorded before stays in the log.</Trans>
      </p>
      <Await read={read} rows={2}>
        {({ directory, same, changed, new: added, gone }) => (
          <>
            <p className="mono">{directory}</p>
            <p data-testid="relocate-counts">
              <Trans>
                {same} files as recorded, {changed} changed, {added} new, {gone} gone
              </Trans>
            </p>
          </>
        )}
      </Await>
    </Question>
  );
}

function Unmounting({ store, onClose }: { store: Store; onClose: () => void }) {
  const { t } = useLingui();
  const { unmount } = useStoreActs();
  return (
    <Question
      title={t`Unmount ${store.name}`}
      verb={t`Unmount`}
      testId="unmount"
      onDone={() => void unmount(store)}
      onClose={onClose}
    >
      <p>
        <Trans>
          The store lives on in the log, and the API goes on showing it. The files in {store.root} stay as they are, and
          are not followed any more.
        </Trans>
      </p>
    </Question>
  );
}

function StoreTable({ stores, chosen }: { stores: readonly Store[]; chosen: string | undefined }) {
  const { t } = useLingui();
  const [open, setOpen] = useState<{ sheet: StoreSheet; id: string } | null>(null);
  const close = () => setOpen(null);
  const store = stores.find(({ id }) => id === open?.id);
  return (
    <div className="table-box">
      <table className={classes("table", storesCss.storeTable)} aria-label={t`Stores`}>
        <TableHead
          columns={[
            t`Name`,
            t`Kind`,
            t`State`,
            numbers(t`Memories`),
            numbers(t`Versions`),
            t`Last change`,
            unseen(t`Actions`),
          ]}
        />
        <tbody>
          {stores.map((row) => (
            <StoreRow
              key={row.id}
              store={row}
              chosen={row.id === chosen}
              onOpen={(sheet) => setOpen({ sheet, id: row.id })}
            />
          ))}
        </tbody>
      </table>
      {store && open?.sheet === "relocate" && <Relocating store={store} onClose={close} />}
      {store && open?.sheet === "rules" && <Rules store={store} onClose={close} />}
      {store && open?.sheet === "earlier" && <EarlierHistory store={store} onClose={close} />}
      {store && open?.sheet === "served" && <ServedSheet store={store} onClose={close} />}
      {store && open?.sheet === "mount" && <MountSheet store={store} onClose={close} />}
      {store && open?.sheet === "unmount" && <Unmounting store={store} onClose={close} />}
      {store && open?.sheet === "remove" && <Removal store={store} onClose={close} />}
    </div>
  );
}

function Discovery() {
  const { t } = useLingui();
  const [wanted, setWanted] = useState(false);
  const read = useRead("discover", { home: null, projects: [] }, { enabled: wanted });
  return (
    <section className={storesCss.storesMore} aria-label={t`More directories`}>
      <h2>
        <Trans>More directories</Trans>
      </h2>
      <div>
        <Button
          isPending={read.isFetching}
          onPress={() => (wanted ? void read.refetch() : setWanted(true))}
          data-testid="discover"
        >
          {wanted ? <Trans>Search again</Trans> : <Trans>Search this machine for agent memory</Trans>}
        </Button>
      </div>
      {wanted && (
        <Await read={read} rows={5}>
          {(discovered) => (
            <DiscoveryList
              discovered={discovered}
              onDone={(recorded) =>
                say(() => ({
                  tone: "done",
                  title: t`Recorded ${plural(recorded, { one: "# directory", other: "# directories" })}`,
                }))
              }
            />
          )}
        </Await>
      )}
      <AddDirectory onAdded={() => say(() => ({ tone: "done", title: t`The directory is recorded` }))} />
    </section>
  );
}

/** The stores of this machine. */
function LocalView({ stores, chosen }: { stores: readonly Store[]; chosen: string | undefined }) {
  const { t } = useLingui();
  return (
    <div className="scroll-pane">
      {stores.length === 0 ? (
        <Empty title={t`No store`}>
          <Trans>Nothing is recorded. Choose a directory below.</Trans>
        </Empty>
      ) : (
        <StoreTable stores={stores} chosen={chosen} />
      )}
      <Discovery />
    </div>
  );
}

/** Right part of the header: the next step of the view, where the view itself does not have it. */
function HeaderActs({ view }: { view: StoresView | undefined }) {
  const { scan } = useStoreActs();
  const remotes = useRead("remotes", {}, { enabled: view === "hosted" });
  const offered = !remotes.error && (remotes.data?.stores.length ?? 0) === 0;
  if (view === "hosted")
    return (
      <>
        <Button onPress={() => openStoresSheet("attach-list")} data-testid="open-mounts">
          <Trans>Check an attach list…</Trans>
        </Button>
        {!offered && (
          <Button onPress={() => openStoresSheet("add-hosted")} data-testid="add-hosted-store">
            <Trans>Add a hosted store…</Trans>
          </Button>
        )}
      </>
    );
  if (view !== undefined) return null;
  return (
    <Button onPress={() => void scan([])} data-testid="scan-all">
      <Trans>Scan all now</Trans>
    </Button>
  );
}

/** The screen of the stores. */
export function StoresScreen({ route }: { route: StoresRoute }) {
  const { t } = useLingui();
  const read = useRead("stores", {});
  const sheet = useStoresSheet();
  const stores = read.data?.stores ?? [];
  const isHosted = ({ kind }: Store) => kind === "remote";
  const named = stores.find(({ id }) => id === route.store);
  // The list beside the screen leads to a store, whichever view it is in.
  const view = route.view ?? (named && isHosted(named) ? "hosted" : undefined);
  const local = stores.length - stores.filter(isHosted).length;
  const views: { value: StoresView | "local"; label: string }[] = [
    { value: "local", label: t`On this machine (${local})` },
    { value: "hosted", label: t`Hosted (${stores.length - local})` },
    { value: "dreams", label: t`Dreams` },
    { value: "compare", label: t`Compare` },
  ];
  const go = (chosen: StoresView | "local") =>
    navigate({ screen: "stores", view: chosen === "local" ? undefined : chosen });
  useKeys([
    { keys: "n", label: t`Add a hosted store`, run: () => openStoresSheet("add-hosted"), enabled: view === "hosted" },
  ]);
  return (
    <main className={classes("screen", storesCss.storesScreen)}>
      <header className={classes("list-header", hostedCss.storesHeader)}>
        <h1>
          <Trans>Stores</Trans>
        </h1>
        <Segmented label={t`Which stores`} value={view ?? "local"} options={views} onChange={go} />
        <span className="spacer" />
        <HeaderActs view={view} />
      </header>
      <Await read={read} rows={6}>
        {() => (
          <>
            {view === undefined && (
              <LocalView stores={stores.filter((store) => !isHosted(store))} chosen={route.store} />
            )}
            {view === "hosted" && <HostedView chosen={route.store} stores={stores} />}
            {view === "dreams" && <DreamsView route={route} />}
            {view === "compare" && <CompareView route={route} stores={stores} />}
          </>
        )}
      </Await>
      {sheet === "add-hosted" && <AddHosted onClose={() => openStoresSheet(null)} />}
      {sheet === "attach-list" && <MountsSheet stores={stores} onClose={() => openStoresSheet(null)} />}
    </main>
  );
}
