/** The screen of the stores: which directories are recorded, how each is doing, and what else was found. */
import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import type { Store } from "@/bindings";
import type { CommandName } from "@/host";
import { wordsFor } from "@/shared/failure";
import { useFormat } from "@/shared/format";
import { MoreIcon } from "@/shared/icons";
import { Moment, StoreState } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { Await, Button, Empty, useWords } from "@/shared/ui";
import { kindWords } from "@/shared/vocabulary";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { navigate } from "@/state/route";
import { say } from "@/state/toasts";
import { AddDirectory, DiscoveryList } from "./discovery";
import { EarlierHistory } from "./EarlierHistory";

type StoreCommand = Extract<CommandName, "pause_store" | "resume_store">;

/** What can be done with a store; each tells how it went. */
function useStoreActs() {
  const { t, i18n } = useLingui();
  const words = useWords();
  const backend = useBackend();
  const told = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (cause) {
      const failure = wordsFor(cause);
      say({ tone: "failure", title: i18n._(failure.title), detail: failure.detail || words(failure.next) });
    }
  };
  const set = (command: StoreCommand, store: Store) =>
    told(async () => {
      await backend.call(command, { store: store.id });
    });
  const scan = (stores: readonly Store[]) =>
    told(async () => {
      const found = await backend.call("scan", { stores: stores.map(({ id }) => id) });
      const versions = found.stores.reduce((sum, one) => sum + one.versions, 0);
      say({
        tone: "done",
        title:
          versions === 0
            ? t`Nothing changed on disk`
            : t`Recorded ${plural(versions, { one: "# version", other: "# versions" })}`,
      });
    });
  const addAgain = ({ root, kind, name }: Store) =>
    told(async () => void (await backend.call("add_store", { root, kind, name })));
  const remove = (store: Store) =>
    told(async () => {
      await backend.call("remove_store", { store: store.id });
      const action = { label: t`Add it again`, run: () => void addAgain(store) };
      say({
        tone: "done",
        title: t`${store.name} is not recorded any more`,
        detail: t`Its history stays in the log.`,
        action,
      });
    });
  return { set, scan, remove };
}

interface StoreMenuProps {
  store: Store;
  onRules: () => void;
  onEarlier: () => void;
  onRemove: () => void;
}

function StoreMenu({ store, onRules, onEarlier, onRemove }: StoreMenuProps) {
  const { t } = useLingui();
  const { set, scan } = useStoreActs();
  const paused = store.state === "paused";
  return (
    <MenuTrigger>
      <AriaButton className="icon-button" aria-label={t`More for ${store.name}`} data-testid="store-menu">
        <MoreIcon />
      </AriaButton>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu">
          <MenuItem className="menu-item" onAction={() => void scan([store])} data-testid="store-scan">
            <Trans>Scan now</Trans>
          </MenuItem>
          <MenuItem
            className="menu-item"
            onAction={() => void set(paused ? "resume_store" : "pause_store", store)}
            data-testid="store-pause"
          >
            {paused ? <Trans>Resume recording</Trans> : <Trans>Pause recording</Trans>}
          </MenuItem>
          <MenuItem className="menu-item" onAction={onRules}>
            <Trans>What is left out…</Trans>
          </MenuItem>
          <MenuItem className="menu-item" onAction={onEarlier} data-testid="store-earlier">
            <Trans>Bring in earlier history…</Trans>
          </MenuItem>
          <MenuItem className="menu-item" onAction={() => navigate({ screen: "timeline", store: store.id })}>
            <Trans>Timeline of this store</Trans>
          </MenuItem>
          <MenuItem className="menu-item menu-danger" onAction={onRemove} data-testid="store-remove">
            <Trans>Remove…</Trans>
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function StoreRow({ store, chosen, onRules, onEarlier, onRemove }: StoreMenuProps & { chosen: boolean }) {
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
          {store.name}
        </Button>
        <div className="mono muted store-root" title={store.root}>
          {store.root}
        </div>
      </th>
      <td>{say(kindWords(store.kind))}</td>
      <td>
        <StoreState state={store.state} detail={store.state_detail} />
        {store.state_detail && <div className="muted state-detail">{store.state_detail}</div>}
      </td>
      <td className="cell-end num">{format.number(store.memories)}</td>
      <td className="cell-end num">{format.number(store.versions)}</td>
      <td>{store.last_change ? <Moment at={store.last_change} form="ago" /> : <span className="muted">–</span>}</td>
      <td className="cell-end">
        <StoreMenu store={store} onRules={onRules} onEarlier={onEarlier} onRemove={onRemove} />
      </td>
    </tr>
  );
}

function Rules({ store, onClose }: { store: Store; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Sheet title={t`What ${store.name} leaves out`} onClose={onClose} testId="rules">
      <ul className="rules">
        {store.rules.map((rule) => (
          <li key={rule}>{rule}</li>
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
    <Sheet
      title={t`Stop recording ${store.name}`}
      onClose={onClose}
      testId="remove-dialog"
      footer={
        <>
          <span className="spacer" />
          <Button onPress={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            tone="danger"
            data-testid="remove-confirm"
            onPress={() => {
              onClose();
              void remove(store);
            }}
          >
            <Trans>Stop recording</Trans>
          </Button>
        </>
      }
    >
      <p>
        <Trans>
          Changes in this directory are no longer seen. Its files are not touched, and its history stays in the log.
        </Trans>
      </p>
      <p className="muted">
        <Trans>Adding the same directory again continues where it stopped.</Trans>
      </p>
    </Sheet>
  );
}

function StoreTable({ stores, chosen }: { stores: readonly Store[]; chosen: string | undefined }) {
  const { t } = useLingui();
  const [rules, setRules] = useState<Store | null>(null);
  const [earlier, setEarlier] = useState<Store | null>(null);
  const [removal, setRemoval] = useState<Store | null>(null);
  return (
    <div className="table-box">
      <table className="table store-table" aria-label={t`Stores`}>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Name</Trans>
            </th>
            <th scope="col">
              <Trans>Kind</Trans>
            </th>
            <th scope="col">
              <Trans>State</Trans>
            </th>
            <th scope="col" className="cell-end">
              <Trans>Memories</Trans>
            </th>
            <th scope="col" className="cell-end">
              <Trans>Versions</Trans>
            </th>
            <th scope="col">
              <Trans>Last change</Trans>
            </th>
            <th scope="col">
              <span className="visually-hidden">
                <Trans>Actions</Trans>
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {stores.map((store) => (
            <StoreRow
              key={store.id}
              store={store}
              chosen={store.id === chosen}
              onRules={() => setRules(store)}
              onEarlier={() => setEarlier(store)}
              onRemove={() => setRemoval(store)}
            />
          ))}
        </tbody>
      </table>
      {rules && <Rules store={rules} onClose={() => setRules(null)} />}
      {earlier && <EarlierHistory store={earlier} onClose={() => setEarlier(null)} />}
      {removal && <Removal store={removal} onClose={() => setRemoval(null)} />}
    </div>
  );
}

function Discovery() {
  const { t } = useLingui();
  const [wanted, setWanted] = useState(false);
  const read = useRead("discover", { home: null, projects: [] }, { enabled: wanted });
  return (
    <section className="stores-more" aria-label={t`More directories`}>
      <h2>
        <Trans>More directories</Trans>
      </h2>
      {wanted ? (
        <Await read={read} rows={5}>
          {(discovered) => (
            <DiscoveryList
              discovered={discovered}
              onDone={(recorded) =>
                say({
                  tone: "done",
                  title: t`Recorded ${plural(recorded, { one: "# directory", other: "# directories" })}`,
                })
              }
            />
          )}
        </Await>
      ) : (
        <Button onPress={() => setWanted(true)} data-testid="discover">
          <Trans>Look for agent memory on this machine</Trans>
        </Button>
      )}
      <AddDirectory onAdded={() => say({ tone: "done", title: t`The directory is recorded` })} />
    </section>
  );
}

/** The screen of the stores. */
export function StoresScreen({ chosen }: { chosen: string | undefined }) {
  const { t } = useLingui();
  const read = useRead("stores", {});
  const { scan } = useStoreActs();
  return (
    <main className="screen stores-screen">
      <header className="list-header">
        <h1>
          <Trans>Stores</Trans>
        </h1>
        <span className="spacer" />
        <Button onPress={() => void scan([])} data-testid="scan-all">
          <Trans>Scan all now</Trans>
        </Button>
      </header>
      <div className="scroll-pane">
        <Await read={read} rows={6}>
          {({ stores }) =>
            stores.length === 0 ? (
              <Empty title={t`No store`}>
                <Trans>Nothing is recorded. Choose a directory below.</Trans>
              </Empty>
            ) : (
              <StoreTable stores={stores} chosen={chosen} />
            )
          }
        </Await>
        <Discovery />
      </div>
    </main>
  );
}
