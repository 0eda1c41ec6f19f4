//! Recording: the watching loop over the log, in a thread of its own, with the upkeep that goes with it.

use crate::engine::{Engine, FEED_INTERVAL};
use crate::scan::{LogKeeper, watched};
use crate::wire::{ApiError, Code, Event};
use retrace_log::Lease;
use retrace_message::Message;
use retrace_watch::{Handle, Options, Wake};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A running recorder. Dropping it stops it.
pub struct Recording {
    inner: Arc<Engine>,
    handle: Arc<Mutex<Option<Handle>>>,
    stop: Arc<AtomicBool>,
    upkeep: Option<JoinHandle<()>>,
    _lease: Lease,
}

/// Work of a feature beside recording. Whoever starts the recorder hands it over.
pub trait Upkeep: Send {
    /// Called some times a second.
    fn tick(&mut self);

    /// Called after [`Upkeep::tick`] when somebody, perhaps another process, committed to the log.
    fn committed(&mut self);
}

impl Engine {
    /// Starts recording the stores on the list, or those named, until the answer is stopped or dropped.
    ///
    /// # Errors
    /// `busy` when another process records with this data directory, `not_found` for an unknown store.
    pub fn record(
        self: &Arc<Self>,
        stores: &[String],
        features: Vec<Box<dyn Upkeep>>,
    ) -> Result<Recording, ApiError> {
        let inner = self;
        let Some(lease) = Lease::take(&inner.files, std::process::id())? else {
            let holder = Lease::holder(&inner.files).filter(|process| *process != 0);
            let who = holder.map_or_else(Message::default, say::process);
            return Err(ApiError::new(Code::Busy, say::another_retrace_recording_already(who), "")
                .hint(say::records_all_what_you_here()));
        };
        let named = stores
            .iter()
            .map(|name| inner.read(|reader| inner.store_named(reader, name)).map(|row| row.id))
            .collect::<Result<Vec<_>, _>>()?;
        let list = to_record(inner, &named)?;
        for row in inner.read(|reader| Ok(reader.stores()?))? {
            if list.iter().any(|store| store.key == row.id) {
                inner.recover(&row)?;
            }
        }
        let handle = retrace_watch::start(LogKeeper::new(Arc::clone(inner)), list, Options::default())
            .map_err(|error| ApiError::new(Code::Internal, say::recorder_could_not_start(error), ""))?;
        inner.recording_here.store(true, Ordering::SeqCst);
        let handle = Arc::new(Mutex::new(Some(handle)));
        let stop = Arc::new(AtomicBool::new(false));
        let upkeep = {
            let (inner, handle, stop) = (Arc::clone(inner), Arc::clone(&handle), Arc::clone(&stop));
            std::thread::Builder::new()
                .name("retrace-upkeep".to_owned())
                .spawn(move || upkeep(&inner, &handle, &stop, &named, features))
                .ok()
        };
        verify_once(inner);
        inner.events.send(&Event::Stores);
        Ok(Recording { inner: Arc::clone(inner), handle, stop, upkeep, _lease: lease })
    }
}

impl Recording {
    /// Ends recording once what is under way is committed.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(upkeep) = self.upkeep.take() {
            upkeep.thread().unpark();
            // Its own panic was reported by the panic hook.
            drop(upkeep.join());
        }
        if let Some(handle) = crate::engine::lock(&self.handle).take() {
            handle.stop();
        }
        self.inner.recording_here.store(false, Ordering::SeqCst);
        self.inner.events.send(&Event::Stores);
    }
}

/// Verifies the chain in the background, once, for the status line. It only reads, so nobody needs to wait for it when
/// recording stops.
fn verify_once(inner: &Arc<Engine>) {
    let inner = Arc::clone(inner);
    let verify = move || {
        let sound = inner.read(|reader| Ok(reader.verify_chain()?.is_empty()));
        // A log that cannot be read says so to whoever asks it for anything.
        if let Ok(sound) = sound {
            *crate::engine::lock(&inner.verified) = Some((inner.now(), sound));
            inner.events.send(&Event::Stores);
        }
    };
    drop(std::thread::Builder::new().name("retrace-verify".to_owned()).spawn(verify));
}

/// The stores to record: those on the list and not paused, or of the named ones those.
fn to_record(
    inner: &Engine,
    named: &[retrace_model::StoreId],
) -> Result<Vec<retrace_watch::Store>, ApiError> {
    let rows = inner.read(|reader| Ok(reader.stores()?))?;
    Ok(rows
        .iter()
        .filter(|row| row.removed_at.is_none() && !row.paused && row.has_directory())
        .filter(|row| named.is_empty() || named.contains(&row.id))
        .map(|row| watched(inner, row))
        .collect())
}

/// Upkeep beside recording: follow the list of stores, also when another process changes it; keep the search index
/// current; what the features do beside it.
fn upkeep(
    inner: &Arc<Engine>,
    handle: &Mutex<Option<Handle>>,
    stop: &AtomicBool,
    named: &[retrace_model::StoreId],
    mut features: Vec<Box<dyn Upkeep>>,
) {
    let mut known = to_record(inner, named).unwrap_or_default();
    let mut committed = None;
    while !stop.load(Ordering::SeqCst) {
        std::thread::park_timeout(FEED_INTERVAL);
        features.iter_mut().for_each(|feature| feature.tick());
        let now = inner.committed();
        if now == committed {
            continue;
        }
        committed = now;
        if let Ok(list) = to_record(inner, named)
            && list != known
        {
            if let Some(handle) = &*crate::engine::lock(handle) {
                handle.send(Wake::SetStores(list.clone()));
            }
            known = list;
        }
        // Failures here are not lost: whoever searches or asks for a receipt meets them with a code.
        while !stop.load(Ordering::SeqCst) && inner.writer().index_some().unwrap_or(false) {}
        features.iter_mut().for_each(|feature| feature.committed());
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "recorder";
    process(process) => " (process {process})",
    another_retrace_recording_already(who) => "Another Retrace is recording already{who}.",
    records_all_what_you_here() => "It records for all; what you do here is seen there.",
    recorder_could_not_start(error) => "The recorder could not start: {error}.",
}
