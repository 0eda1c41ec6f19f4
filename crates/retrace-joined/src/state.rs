//! Files of the data directory: the membership, and the machine's key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_engine::{Engine, keep};
use retrace_message::Message;
use retrace_model::{MachineId, OrgId, Sha256, StoreId};
use retrace_sync::chain::Head;
use retrace_sync::messages::hash;
use retrace_sync::people::SignedIn;
use retrace_sync::sign::SigningKey;
use retrace_sync::together::Waiting;
use retrace_wire::{ApiError, Code, HubSend, HubShare, show};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is known of the hub.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Membership {
    pub(crate) url: String,
    pub(crate) org: String,
    pub(crate) machine: String,
    pub(crate) name: String,
    pub(crate) role: String,
    /// Public key of the hub, base 64.
    pub(crate) hub_key: String,
    /// Certificates that are believed, as PEM.
    #[serde(default)]
    pub(crate) certificates: Option<String>,
    /// What stores may send for which nothing else is chosen.
    pub(crate) send: HubSend,
    /// By id.
    #[serde(default)]
    pub(crate) stores: BTreeMap<String, StoreState>,
    /// True if syncs run in the background while this machine records.
    #[serde(default)]
    pub(crate) background: bool,
    /// The last of them.
    #[serde(default)]
    pub(crate) last: Option<LastSync>,
    /// What waited at the hub at the last sync.
    #[serde(default)]
    pub(crate) waiting: Option<KeptWaiting>,
    /// The newest receipt whose secrets were looked for in contents of other machines; empty where there was none.
    #[serde(default)]
    pub(crate) searched: Option<String>,
    /// True if everything that was ever redacted here is to be looked for, since the hub may not know of it: after joining, and where
    /// the hub lost something.
    #[serde(default)]
    pub(crate) search_all: bool,
    /// The number of redacted versions that a hub said which had lost some, when it was told of them again: it is told once.
    #[serde(default)]
    pub(crate) lost_at: Option<u64>,
    /// The number of the last review at the hub that is in the log.
    #[serde(default)]
    pub(crate) decided: u64,
    /// Hash of everything that the sessions which the hub was told of are made of.
    #[serde(default)]
    pub(crate) shared: Option<String>,
    /// Who signed in on this machine.
    #[serde(default)]
    pub(crate) person: Option<SignedIn>,
    /// What the hub gave back or was told at the end of the last sync of all stores.
    #[serde(default)]
    pub(crate) told: Option<String>,
    /// True where the last sync found that another copy of this log goes on under the same identity.
    #[serde(default)]
    pub(crate) forked: bool,
}

/// How the last sync in the background went.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct LastSync {
    pub(crate) at: i64,
    pub(crate) went_well: bool,
    #[serde(default)]
    pub(crate) problem: Option<Message>,
    #[serde(default)]
    pub(crate) next_at: Option<i64>,
}

/// What waited at the hub.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct KeptWaiting {
    pub(crate) at: i64,
    pub(crate) what: Waiting,
}

/// What is known of a store at the hub.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct StoreState {
    #[serde(default)]
    pub(crate) send: Option<HubSend>,
    #[serde(default)]
    pub(crate) sent: Option<Sent>,
    /// Place in the log up to which contents were acknowledged.
    #[serde(default)]
    pub(crate) contents: u64,
    /// The newest redaction that the hub knows.
    #[serde(default)]
    pub(crate) redaction: u64,
    /// True if proposals for it are carried out without being accepted one by one.
    #[serde(default)]
    pub(crate) accept_proposals: bool,
    /// Hash of what the hub was told is left to review.
    #[serde(default)]
    pub(crate) left: Option<String>,
    /// Hash of the imports that the hub was told are taken back; none where none is.
    #[serde(default)]
    pub(crate) withdrawn: Option<String>,
    /// Hash of the remote that the hub was told; empty for none.
    #[serde(default)]
    pub(crate) project: Option<String>,
    /// What its sessions share, where a person chose that.
    #[serde(default)]
    pub(crate) share: Option<HubShare>,
}

/// What stores may send, as it was chosen for a hub that was left: a choice holds until another one is made.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Choices {
    /// Where nothing else is chosen.
    #[serde(default)]
    pub(crate) send: Option<HubSend>,
    /// By id of a store.
    #[serde(default)]
    pub(crate) stores: BTreeMap<String, HubSend>,
}

impl Choices {
    fn of(membership: &Membership) -> Self {
        let chosen = membership.stores.iter().filter_map(|(id, state)| Some((id.clone(), state.send?)));
        Self { send: Some(membership.send), stores: chosen.collect() }
    }

    /// The stores of a membership that begins with these choices.
    pub(crate) fn stores(&self) -> BTreeMap<String, StoreState> {
        let state = |send: HubSend| StoreState { send: Some(send), ..StoreState::default() };
        self.stores.iter().map(|(id, send)| (id.clone(), state(*send))).collect()
    }
}

/// How far the chain was acknowledged.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Sent {
    /// Links.
    pub(crate) seq: u64,
    /// Digest of the last one.
    #[serde(with = "hash")]
    pub(crate) digest: Sha256,
    /// Its version's place in the log.
    pub(crate) local_seq: u64,
    /// Its operation, and what the log's own chain says there: the log is the same up to it while that fits.
    pub(crate) operation: u64,
    #[serde(with = "hash")]
    pub(crate) operation_digest: Sha256,
    /// When the hub signed it.
    pub(crate) at: i64,
}

impl Sent {
    pub(crate) fn head(&self) -> Head {
        Head { seq: self.seq, digest: self.digest }
    }
}

impl Membership {
    pub(crate) fn org(&self) -> Option<OrgId> {
        OrgId::parse(&self.org).ok()
    }

    pub(crate) fn machine(&self) -> Option<MachineId> {
        MachineId::parse(&self.machine).ok()
    }

    /// Who is signed in on this machine at an instant.
    pub(crate) fn person_at(&self, now: i64) -> Option<&SignedIn> {
        self.person.as_ref().filter(|person| person.ends_at > now)
    }

    pub(crate) fn hub_key(&self) -> Vec<u8> {
        STANDARD.decode(&self.hub_key).unwrap_or_default()
    }

    pub(crate) fn send_of(&self, store: StoreId) -> HubSend {
        self.stores.get(&store.to_string()).and_then(|state| state.send).unwrap_or(self.send)
    }
}

fn file(inner: &Engine) -> PathBuf {
    inner.options.data_dir.join("hub.json")
}

/// The membership of a hub that was left here and was not told.
fn left_file(inner: &Engine) -> PathBuf {
    inner.options.data_dir.join("hub-left.json")
}

/// What stores might send to the hub that was left.
fn choices_file(inner: &Engine) -> PathBuf {
    inner.options.data_dir.join("hub-choices.json")
}

fn key_file(inner: &Engine) -> PathBuf {
    inner.options.data_dir.join("machine.key")
}

/// The membership; `None` where no hub is joined.
pub(crate) fn membership(inner: &Engine) -> Result<Option<Membership>, ApiError> {
    read(file(inner))
}

/// The membership of a hub that was left here and does not know it; `None` where every hub that was left was told.
pub(crate) fn left(inner: &Engine) -> Result<Option<Membership>, ApiError> {
    read(left_file(inner))
}

/// What stores might send to the hub that was left last; nothing where none was left.
pub(crate) fn choices(inner: &Engine) -> Result<Choices, ApiError> {
    Ok(read(choices_file(inner))?.unwrap_or_default())
}

fn read<T: DeserializeOwned>(path: PathBuf) -> Result<Option<T>, ApiError> {
    let Some(text) = keep::read(&path)? else { return Ok(None) };
    let read = serde_json::from_str(&text);
    read.map(Some).map_err(|_| ApiError::new(Code::Internal, say::not_understood(), show(&path)))
}

/// The membership, or the error that there is none.
pub(crate) fn joined(inner: &Engine) -> Result<Membership, ApiError> {
    membership(inner)?
        .ok_or_else(|| ApiError::new(Code::NotFound, say::no_hub(), "hub").hint(say::join_one()))
}

/// How often it is looked whether another sync has ended.
const LOOK: Duration = Duration::from_millis(50);

fn lock_file(inner: &Engine, name: &str) -> Result<File, ApiError> {
    let path = inner.options.data_dir.join(name);
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(&path)
        .map_err(|error| ApiError::new(Code::CannotWrite, say::not_written(error.to_string()), show(&path)))
}

/// Waits until no other process, and nothing else of this one, changes these files. It ends when the answer is dropped.
pub(crate) fn hold(inner: &Engine) -> Result<File, ApiError> {
    let file = lock_file(inner, "hub.lock")?;
    file.lock()
        .map_err(|error| ApiError::new(Code::CannotWrite, say::not_written(error.to_string()), "hub.lock"))?;
    Ok(file)
}

/// Waits until nobody else does the work of a sync over this log, in whichever process: two would carry out the same twice. It ends
/// when the answer is dropped. `None` where `is_stopped` says so before.
pub(crate) fn sync_alone(inner: &Engine, is_stopped: impl Fn() -> bool) -> Result<Option<File>, ApiError> {
    let file = lock_file(inner, "hub-sync.lock")?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if is_stopped() => return Ok(None),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            Err(TryLockError::Error(error)) => {
                let message = say::not_written(error.to_string());
                return Err(ApiError::new(Code::CannotWrite, message, "hub-sync.lock"));
            }
        }
    }
}

/// Writes down a membership that is new.
pub(crate) fn begin(inner: &Engine, membership: &Membership) -> Result<(), ApiError> {
    let _held = hold(inner)?;
    save(inner, membership)?;
    // Whoever joins the same hub again did not leave it; of another one, the answer to leaving it said who takes the machine out.
    remove(&left_file(inner))
}

fn save(inner: &Engine, membership: &Membership) -> Result<(), ApiError> {
    write(inner, &file(inner), membership)
}

fn write(inner: &Engine, path: &Path, what: &impl Serialize) -> Result<(), ApiError> {
    let text = serde_json::to_vec_pretty(what)
        .map_err(|error| ApiError::new(Code::Internal, say::not_written(error.to_string()), show(path)))?;
    keep::replace(inner, path, &text)
}

/// Changes what is known of one store, whatever else another process wrote meanwhile.
pub(crate) fn update(
    inner: &Engine,
    store: StoreId,
    change: impl FnOnce(&mut StoreState),
) -> Result<(), ApiError> {
    update_all(inner, |membership| change(membership.stores.entry(store.to_string()).or_default()))
}

/// Changes what is known of the hub, whatever else another process wrote meanwhile.
pub(crate) fn update_all(inner: &Engine, change: impl FnOnce(&mut Membership)) -> Result<(), ApiError> {
    let _held = hold(inner)?;
    let mut membership = joined(inner)?;
    change(&mut membership);
    save(inner, &membership)
}

pub(crate) fn remove(path: &Path) -> Result<(), ApiError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ApiError::new(Code::CannotWrite, say::not_written(error), show(path)))
        }
        _ => Ok(()),
    }
}

/// Forgets the membership, and the key with the identity. A hub that was not told is remembered while there is a key to tell it with.
pub(crate) fn forget(inner: &Engine, identity: bool, not_told: Option<&Membership>) -> Result<(), ApiError> {
    let _held = hold(inner)?;
    if let Some(membership) = membership(inner)? {
        write(inner, &choices_file(inner), &Choices::of(&membership))?;
    }
    match not_told.filter(|_| !identity) {
        Some(left) => {
            let stores = BTreeMap::new();
            let left = Membership { stores, person: None, waiting: None, last: None, ..left.clone() };
            write(inner, &left_file(inner), &left)?;
        }
        None => remove(&left_file(inner))?,
    }
    remove(&file(inner))?;
    if identity { remove(&key_file(inner)) } else { Ok(()) }
}

/// Forgets the machine's key alone: the next one is another machine's.
pub(crate) fn forget_key(inner: &Engine) -> Result<(), ApiError> {
    let _held = hold(inner)?;
    remove(&left_file(inner))?;
    remove(&key_file(inner))
}

/// The machine's key; made when missing.
pub(crate) fn machine_key(inner: &Engine) -> Result<SigningKey, ApiError> {
    let path = key_file(inner);
    let bad = || ApiError::new(Code::Internal, say::no_key(), show(&path)).hint(say::new_identity());
    if let Some(text) = keep::read(&path)? {
        let seed = STANDARD.decode(text.trim()).map_err(|_| bad())?;
        return SigningKey::from_seed(&seed).ok_or_else(bad);
    }
    let mut seed = [0; 32];
    (inner.options.entropy)(&mut seed);
    keep::replace(inner, &path, format!("{}\n", STANDARD.encode(seed)).as_bytes())?;
    SigningKey::from_seed(&seed).ok_or_else(bad)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub";
    not_understood() => "The membership of the hub cannot be read.",
    not_written(error) => "A file of the membership cannot be written: {error}.",
    no_hub() => "This machine joined no hub.",
    join_one() => "`retrace hub join URL --token TOKEN` joins one.",
    no_key() => "The file holds no key of a machine.",
    new_identity() => "`retrace hub leave --new-identity` removes it; join again afterwards.",
}
