/**
 * A desktop session in memory: a bus, a window manager, a panel with a tray, and a service for messages. All of them are
 * programs that people use; what they were told is asked of them, and what a person does is done to them.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { lineOf, start, stop } from "./process.mjs";
import { until } from "./wait.mjs";

const run = promisify(execFile);

/** Programs of a desktop, as `scripts/install-packages test` installs it. */
const PROGRAMS = ["dbus-daemon", "busctl", "openbox", "xfce4-panel", "dunst", "xdotool"];
const LIBRARIES = ["libayatana-appindicator3.so.1"];

const isThere = (program) => (process.env.PATH ?? "").split(delimiter).some((place) => existsSync(join(place, program)));

/**
 * Why there can be no desktop here, or false. Where `scripts/install-packages` could have installed what is missing, that is
 * no reason, and the tests fail.
 */
export async function noDesktop() {
  const missing = PROGRAMS.filter((program) => !isThere(program));
  const { stdout } = await run("ldconfig", ["-p"], { env: { PATH: `${process.env.PATH}:/sbin:/usr/sbin` } });
  missing.push(...LIBRARIES.filter((library) => !stdout.includes(library)));
  if (missing.length === 0) return false;
  const what = `A desktop to test in needs ${missing.join(", ")}`;
  if (isThere("apt-get")) throw new Error(`${what}: scripts/install-packages test`);
  return `${what}, which this machine lacks and scripts/install-packages cannot install on it.`;
}

/** Time for keys to have an effect before they are pressed again, in milliseconds. */
const KEYS_AGAIN_MS = 5000;

/** Messages stay until they are closed; all are remembered; one press does what a message offers. */
const DUNST = `[global]
    history_length = 200
    notification_limit = 0
    show_age_threshold = -1
    idle_threshold = 0
    markup = full
    format = "<b>%s</b>\\n%b"
    width = 420
    offset = 12x44
    font = Noto Sans 10
    mouse_left_click = do_action, close_current
[urgency_low]
    timeout = 0
[urgency_normal]
    timeout = 0
[urgency_critical]
    timeout = 0
`;

/** One panel at the top with nothing in it but the tray. */
const PANEL = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="size" type="uint" value="28"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty"><property name="plugin-1" type="string" value="systray"/></property>
</channel>
`;

const WATCHER = ["org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher", "org.kde.StatusNotifierWatcher"];
const MENU = "com.canonical.dbusmenu";
const DUNST_OWN = ["org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.dunstproject.cmd0"];

/** A session of a desktop on a screen. */
export class Desktop {
  #children = new Map();
  /** The newest message that is not asked about any more. */
  #forgotten = 0;

  /** Starts one. Without a `tray` no panel is there, and so none that shows a tray. */
  static async start(screen, { tray = true } = {}) {
    const desktop = new Desktop();
    desktop.root = mkdtempSync(join(tmpdir(), "retrace-desktop-"));
    desktop.screen = screen;
    const config = join(desktop.root, "config");
    const write = (path, text) => {
      mkdirSync(join(config, path, ".."), { recursive: true });
      writeFileSync(join(config, path), text);
    };
    write("dunst/dunstrc", DUNST);
    write("xfce4/xfconf/xfce-perchannel-xml/xfce4-panel.xml", PANEL);
    mkdirSync(join(desktop.root, "run"), { mode: 0o700 });
    desktop.environment = {
      PATH: process.env.PATH,
      HOME: desktop.root,
      LANG: "C.UTF-8",
      TZ: "UTC",
      DISPLAY: screen.name,
      NO_AT_BRIDGE: "1",
      GTK_A11Y: "none",
      XDG_CONFIG_HOME: config,
      XDG_CACHE_HOME: join(desktop.root, "cache"),
      XDG_DATA_HOME: join(desktop.root, "data"),
      XDG_RUNTIME_DIR: join(desktop.root, "run"),
    };
    try {
      const bus = desktop.#start("dbus-daemon", ["--session", "--nofork", "--print-address=1"]);
      [desktop.address] = await lineOf(bus, bus.stdout, /^unix:\S+(?=\n)/m);
      desktop.environment.DBUS_SESSION_BUS_ADDRESS = desktop.address;
      desktop.#start("openbox", ["--config-file", "/dev/null"]);
      desktop.#start("dunst", []);
      await desktop.#owner("org.freedesktop.Notifications");
      if (tray) await desktop.startPanel();
      return desktop;
    } catch (error) {
      await desktop.stop();
      throw error;
    }
  }

  #start(program, args) {
    const child = start(program, args, { env: this.environment, stdio: ["ignore", "pipe", "ignore"] });
    // Nobody reads on; a full pipe would stop the program.
    child.stdout.resume();
    this.#children.set(program, child);
    return child;
  }

  async #owner(name) {
    await until(`somebody to be ${name}`, async () => {
      const names = await this.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames");
      return names[0].includes(name);
    });
  }

  /** Starts the panel with the tray. */
  async startPanel() {
    this.#start("xfce4-panel", ["--disable-wm-check"]);
    await until("a tray", async () => (await this.get(...WATCHER, "IsStatusNotifierHostRegistered")) === true);
  }

  /** Ends the panel, and with it the tray. */
  async stopPanel() {
    await stop(this.#children.get("xfce4-panel"));
  }

  /** Ends everything. */
  async stop() {
    // The bus last: others complain when it goes.
    for (const child of [...this.#children.values()].reverse()) await stop(child);
    // A program that the bus had started, such as the store of the panel's settings, ends with it and may write as it
    // goes.
    await until("the session's files to go", () => {
      rmSync(this.root, { recursive: true, force: true });
      return true;
    });
  }

  /** Environment of a program in this session. */
  get forPrograms() {
    return { DISPLAY: this.screen.name, DBUS_SESSION_BUS_ADDRESS: this.address };
  }

  /** Calls a method on the bus. Arguments are those of `busctl call`. Gives what the method gives. */
  async call(...args) {
    const { stdout } = await run("busctl", [`--address=${this.address}`, "--json=short", "call", "--", ...args], { env: this.environment });
    return stdout.trim() ? JSON.parse(stdout).data : [];
  }

  /** A property of an object on the bus. */
  async get(...args) {
    const { stdout } = await run("busctl", [`--address=${this.address}`, "--json=short", "get-property", ...args], { env: this.environment });
    return JSON.parse(stdout).data;
  }

  /** Runs `xdotool`. Gives what it prints. */
  async xdotool(...args) {
    const { stdout } = await run("xdotool", args, { env: this.environment });
    return stdout.trim();
  }

  /** The app's windows that can be seen, by their number. */
  async windows() {
    const found = await this.xdotool("search", "--onlyvisible", "--name", "^Retrace$").catch((error) => {
      // So it says that there is none.
      if (error.code === 1) return "";
      throw error;
    });
    return found.split("\n").filter(Boolean);
  }

  /** Waits until so many windows can be seen. */
  async seesWindows(count) {
    await until(
      `${count} windows`,
      async () => (await this.windows()).length === count,
      async () => (await this.windows()).length,
    );
  }

  /**
   * Closes the one window as a person does, by the window manager, and waits until it cannot be seen. Keys that come while the
   * manager takes the keyboard up are lost: they are pressed again, as a person would.
   */
  async closeWindow() {
    const [window] = await until("a window", async () => {
      const windows = await this.windows();
      return windows.length === 1 && windows;
    });
    let pressed = -Infinity;
    await until("the window to close", async () => {
      if (!(await this.windows()).includes(window)) return true;
      if (Date.now() - pressed > KEYS_AGAIN_MS) {
        pressed = Date.now();
        await this.xdotool("windowactivate", "--sync", window, "key", "--clearmodifiers", "alt+F4");
      }
      return false;
    });
  }

  /** Icons in the tray. */
  async trayItems() {
    const items = await this.get(...WATCHER, "RegisteredStatusNotifierItems");
    return items.map((item) => new TrayItem(this, item.slice(0, item.indexOf("/")), item.slice(item.indexOf("/"))));
  }

  /** The one icon of the app. */
  trayItem() {
    return until(
      "one icon in the tray",
      async () => {
        const items = await this.trayItems();
        return items.length === 1 && items[0];
      },
      async () => JSON.stringify((await this.trayItems()).map(({ owner, path }) => owner + path)),
    );
  }

  /** Messages that are on the screen at this moment. */
  messagesOnScreen() {
    return this.get(...DUNST_OWN, "displayedLength");
  }

  /** Presses the newest message on the screen. */
  async pressMessage() {
    await until("a message on the screen", async () => (await this.messagesOnScreen()) > 0);
    await this.call(...DUNST_OWN, "NotificationAction", "u", "0");
  }

  /** Every message that there was since the last was forgotten, oldest first. Those on the screen are closed by this. */
  async messages() {
    await this.call(...DUNST_OWN, "NotificationCloseAll");
    const [all] = await this.call(...DUNST_OWN, "NotificationListHistory");
    const plain = (message) => Object.fromEntries(Object.entries(message).map(([key, { data }]) => [key, data]));
    return all.map(plain).filter(({ id }) => id > this.#forgotten).sort((one, other) => one.id - other.id);
  }

  /** Forgets every message that there was. */
  async forgetMessages() {
    this.#forgotten = (await this.messages()).at(-1)?.id ?? 0;
  }

  /** Waits until there were so many messages, and gives them. */
  seesMessages(count) {
    return until(
      `${count} messages`,
      async () => {
        const messages = await this.messages();
        return messages.length >= count && messages;
      },
      async () => JSON.stringify(await this.messages()),
    );
  }
}

/** An icon in the tray. */
class TrayItem {
  constructor(desktop, owner, path) {
    Object.assign(this, { desktop, owner, path });
  }

  /** A property of the icon, as panels read it. */
  get(name) {
    return this.desktop.get(this.owner, this.path, "org.kde.StatusNotifierItem", name);
  }

  /** Entries of its menu: what they say, and whether they can be chosen; lines between them are left out. */
  async menu() {
    const path = await this.get("Menu");
    const [, [, , children]] = await this.desktop.call(this.owner, path, MENU, "GetLayout", "iias", "0", "-1", "0");
    return children
      .map(({ data: [id, properties] }) => ({ id, path, label: properties.label?.data, enabled: properties.enabled?.data !== false }))
      .filter(({ label }) => label !== undefined);
  }

  /** Labels of its entries. */
  async says() {
    return (await this.menu()).map(({ label }) => label);
  }

  /** Waits until an entry says so. */
  async see(wanted) {
    const is = (label) => (wanted instanceof RegExp ? wanted.test(label) : label === wanted);
    await until(
      `the tray's menu to say ${wanted}`,
      async () => (await this.says()).some(is),
      async () => (await this.says()).join(" | "),
    );
  }

  /** Chooses an entry. */
  async choose(label) {
    const entry = (await this.menu()).find((each) => each.label === label);
    if (!entry) throw new Error(`the tray's menu does not say ${label}`);
    await this.desktop.call(this.owner, entry.path, MENU, "Event", "isvu", String(entry.id), "clicked", "i", "0", "0");
  }
}
