//! Which sessions loaded one memory, and why: from the transcripts on this machine and what the client's hook told.

use crate::Checks;
use crate::loads::{Loading, SessionLoads};
use crate::target::Target;
use crate::wire::{ApiError, LoadingSession, MemoryLoaded, MemoryLoadsReq, ReasonCount, show};
use retrace_engine::root_of;
use retrace_lab::{LoadTold, loads_told_of};
use retrace_model::Timestamp;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sessions that are listed.
const MOST: usize = 500;

/// Sessions that loaded a memory. Reads the transcripts that are not known yet; `cancel` with `health` stops it.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for what is no memory of a store.
pub fn memory_loads(inner: &Arc<Checks>, request: MemoryLoadsReq) -> Result<MemoryLoaded, ApiError> {
    let target = inner.read(|reader| inner.target(reader, &request.memory))?;
    let Target::File { store, path, at: None } = target else {
        return Err(ApiError::invalid(say::no_memory(), &request.memory));
    };
    let root = root_of(&store);
    let whole = show(&root.join(path.to_text()));
    let sessions = SessionLoads::read(inner)?;
    let mut found: BTreeMap<String, Loading> = BTreeMap::new();
    let concerned = sessions.loading(&root, &whole, &mut found);
    let unknown = hook_rows(inner, &whole, &mut found);
    let mut rows: Vec<Loading> = found.into_values().collect();
    rows.sort_by_key(|row| Reverse(row.at));
    let mut reasons = BTreeMap::new();
    for reason in rows.iter().flat_map(|row| &row.reasons) {
        *reasons.entry(*reason).or_insert(0) += 1;
    }
    let mut reasons: Vec<ReasonCount> =
        reasons.into_iter().map(|(reason, sessions)| ReasonCount { reason, sessions }).collect();
    reasons.sort_by_key(|count| Reverse(count.sessions));
    Ok(MemoryLoaded {
        sessions: concerned + unknown,
        loaded: rows.len() as u64,
        reasons,
        rows: rows.into_iter().take(MOST).map(Loading::view).collect(),
        cancelled: sessions.cancelled,
    })
}

/// Adds what the hook told. Answers how many sessions it tells of that no transcript told of.
fn hook_rows(inner: &Checks, whole: &str, found: &mut BTreeMap<String, Loading>) -> u64 {
    let before = found.len();
    for told in loads_told_of(&inner.lab, whole) {
        if told.agent_id.is_some() {
            continue;
        }
        let LoadTold { session_id, at, .. } = &told;
        let row = found
            .entry(session_id.clone())
            .or_insert_with(|| Loading { session: session_id.clone(), ..Loading::default() });
        let at = Timestamp::parse(at).ok();
        row.at = if row.hook { row.at.max(at) } else { at.or(row.at) };
        row.hook = true;
        row.reasons.insert(told.reason());
    }
    (found.len() - before) as u64
}

impl Loading {
    fn view(self) -> LoadingSession {
        LoadingSession {
            session: self.session,
            title: self.title,
            project: self.project,
            at: self.at.map(Timestamp::to_rfc3339),
            reasons: self.reasons.into_iter().collect(),
            hook: self.hook,
        }
    }
}

retrace_message::messages! {
    /// Messages about loads.
    mod say in "loads";
    no_memory() => "This names no memory of a store.",
}
