//! Sharing sessions: what a sync sends of them, where a person chose that, and the policy of the hub keeps it.
//!
//! Every session is told as a whole with a hash; the hub says what it has, so that a run that was killed goes on by itself. Entries of
//! transcripts go before the session they are of, in order. Nothing is held in memory but one session and one batch.

use crate::client::HubError;
use crate::policy::may_send_of_transcripts;
use crate::redactions::Context;
use crate::state::{self, Membership};
use retrace_adherence::{ToldRule, told_rules};
use retrace_engine::jobs::Job;
use retrace_lab::{SharedFile, SharedSession, SharedSessions, SharedStore, part_of, transcript_lines};
use retrace_log::StoreRow;
use retrace_model::{Sha256, StoreId, Timestamp};
use retrace_sync::messages::{Bytes, Done, PackedContent};
use retrace_sync::policy::Transcripts;
use retrace_sync::sessions::{
    AskSessions, EntriesTaken, KnownSession, KnownSessions, PutEntries, PutRules, PutSessions, RecordedSince,
    SentEntry, SentPresence, SentRule, SentSession, SentVerdict, Tokens,
};
use retrace_wire::{ApiError, Code, HubSend, HubShare, HubShared};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// Sessions that are looked at together.
const CHUNK: usize = 100;
/// Rows of presence and of the ledger in one request, about.
const ROWS: usize = 5_000;
/// Entries of one request.
const ENTRIES: usize = 500;
/// Raw bytes of the entries of one request; a larger one goes alone.
const ENTRY_BYTES: usize = 4 << 20;
/// Effort of zstd.
const EFFORT: i32 = 3;

/// A store whose sessions are shared.
struct Sharing {
    id: StoreId,
    share: HubShare,
    send: HubSend,
    store: SharedStore,
}

/// What is done of a sync.
struct Run<'r> {
    context: &'r Context<'r>,
    job: &'r Job,
    texts: bool,
    sharing: Vec<Sharing>,
    rules: Vec<ToldRule>,
    /// Verdicts by transcript: rule, and its place there.
    verdicts: HashMap<PathBuf, Vec<(usize, usize)>>,
    /// Rules of which a verdict was sent.
    used: Vec<bool>,
    done: HubShared,
}

/// Sends what the chosen stores share of sessions. Nothing is asked where none shares any.
pub(crate) fn send(
    context: &Context<'_>,
    stores: &[StoreRow],
    job: &Job,
) -> Result<Option<HubShared>, HubError> {
    let member = state::joined(context.together)?;
    let chosen: Vec<(&StoreRow, HubShare, HubSend)> = stores
        .iter()
        .filter(|store| store.removed_at.is_none())
        .map(|store| (store, share_of(&member, store.id), member.send_of(store.id)))
        .filter(|(_, share, send)| *share != HubShare::Nothing && *send != HubSend::Nothing)
        .collect();
    if chosen.is_empty() {
        return Ok(None);
    }
    let transcripts = may_send_of_transcripts(context.together)?;
    if transcripts == Transcripts::Nothing {
        return Ok(None);
    }
    let sessions = SharedSessions::read(&context.together.lab)?;
    let told = fingerprint(context, &chosen, transcripts, &sessions)?;
    if member.shared.as_deref() == Some(told.as_str()) {
        return Ok(Some(HubShared::default()));
    }
    let mut sharing = Vec::with_capacity(chosen.len());
    for (row, share, send) in chosen {
        let store = SharedStore::read(&context.together.lab, row)?;
        sharing.push(Sharing { id: row.id, share, send, store });
    }
    let shares = |store: Option<StoreId>| store.is_none_or(|id| sharing.iter().any(|of| of.id == id));
    let mut rules = told_rules(&context.together.rules)?;
    rules.retain(|rule| shares(rule.store));
    let mut verdicts: HashMap<_, Vec<(usize, usize)>> = HashMap::new();
    for (at, rule) in rules.iter().enumerate() {
        for (number, verdict) in rule.verdicts.iter().enumerate() {
            verdicts.entry(verdict.transcript.clone()).or_default().push((at, number));
        }
    }
    let texts = transcripts == Transcripts::Everything;
    let used = vec![false; rules.len()];
    let mut run = Run { context, job, texts, sharing, rules, verdicts, used, done: HubShared::default() };
    run.all(&sessions)?;
    run.put_rules()?;
    state::update_all(context.together, |member| member.shared = Some(told))?;
    Ok(Some(run.done))
}

/// What a store shares of its sessions.
pub(crate) fn share_of(member: &Membership, store: StoreId) -> HubShare {
    let state = member.stores.get(&store.to_string());
    state.and_then(|state| state.share).unwrap_or(HubShare::Nothing)
}

/// A hash of everything that what is sent is made of: while it is the same, nothing is worked out again.
fn fingerprint(
    context: &Context<'_>,
    chosen: &[(&StoreRow, HubShare, HubSend)],
    transcripts: Transcripts,
    sessions: &SharedSessions,
) -> Result<String, ApiError> {
    let (cursor, rules, receipts) = context
        .together
        .read(|reader| Ok((reader.cursor()?, format!("{:?}", reader.rules()?), reader.receipts()?.len())))?;
    let chosen: Vec<String> =
        chosen.iter().map(|(store, share, send)| format!("{} {share} {send}", store.id)).collect();
    let text = format!(
        "{cursor}\0{rules}\0{receipts}\0{chosen:?}\0{:?}\0{}\0{}",
        transcripts,
        sessions.fingerprint().to_hex(),
        env!("CARGO_PKG_VERSION")
    );
    Ok(Sha256::of(text.as_bytes()).to_hex())
}

fn packed(bytes: &[u8]) -> Result<PackedContent, ApiError> {
    let packed = zstd::bulk::compress(bytes, EFFORT)
        .map_err(|error| ApiError::new(Code::Internal, say::not_packed(error), "session"))?;
    Ok(PackedContent { sha256: Sha256::of(bytes), size: bytes.len() as u64, packed: Bytes(packed) })
}

/// Why lines were not handed on.
enum Line {
    Hub(HubError),
    Unreadable,
}

impl From<std::io::Error> for Line {
    fn from(_: std::io::Error) -> Self {
        Self::Unreadable
    }
}

impl Run<'_> {
    /// Ends where it was stopped, and where a person shares something else meanwhile: the next sync begins with that.
    fn go_on(&self) -> Result<(), HubError> {
        let member = state::joined(self.context.together)?;
        let is_same = |of: &Sharing| share_of(&member, of.id) == of.share && member.send_of(of.id) == of.send;
        match self.job.is_stopped() || !self.sharing.iter().all(is_same) {
            true => Err(HubError::Stopped),
            false => Ok(()),
        }
    }

    fn all(&mut self, sessions: &SharedSessions) -> Result<(), HubError> {
        for first in (0..sessions.count()).step_by(CHUNK) {
            self.go_on()?;
            let chunk = first..sessions.count().min(first + CHUNK);
            let ids: Vec<String> =
                chunk.clone().filter_map(|at| Some(sessions.session(at)?.id.to_owned())).collect();
            let known: KnownSessions =
                self.context.hub.call("sessions_known", &AskSessions { sessions: ids })?;
            let known: BTreeMap<String, KnownSession> =
                known.sessions.into_iter().map(|known| (known.session.clone(), known)).collect();
            let mut batch = PutSessions { sessions: Vec::new(), recorded_since: self.recorded_since()? };
            let mut rows = 0;
            for at in chunk {
                let Some(session) = sessions.session(at) else { continue };
                let Some((sent, share)) = self.told(sessions, &session)? else { continue };
                let known = known.get(session.id);
                let digest = sent.digest.to_hex();
                if known.and_then(|known| known.digest.as_deref()) == Some(digest.as_str()) {
                    continue;
                }
                if share == HubShare::Everything && self.texts {
                    for file in &session.files {
                        let has = known.and_then(|known| known.parts.get(&file.part)).copied();
                        self.entries(session.id, file, has.unwrap_or(0))?;
                    }
                }
                rows += sent.presence.len() + sent.verdicts.len();
                batch.sessions.push(sent);
                if rows >= ROWS {
                    self.put(&mut batch)?;
                    rows = 0;
                }
            }
            self.put(&mut batch)?;
        }
        Ok(())
    }

    fn recorded_since(&self) -> Result<Vec<RecordedSince>, ApiError> {
        self.context.together.read(|reader| {
            let of = |sharing: &Sharing| {
                let (operation, _) = reader.recorded_since(sharing.id)?;
                Ok(RecordedSince { store: sharing.id.to_string(), operation })
            };
            self.sharing.iter().map(of).collect()
        })
    }

    fn put(&mut self, batch: &mut PutSessions) -> Result<(), HubError> {
        self.go_on()?;
        if batch.sessions.is_empty() {
            return Ok(());
        }
        self.go_on()?;
        let _: Done = self.context.hub.call("put_sessions", batch)?;
        self.done.sessions += batch.sessions.len() as u64;
        batch.sessions.clear();
        Ok(())
    }

    /// A session as the hub is told of it, and what may be sent of it; `None` for one that no store shares.
    fn told(
        &mut self,
        sessions: &SharedSessions,
        session: &SharedSession<'_>,
    ) -> Result<Option<(SentSession, HubShare)>, ApiError> {
        let (mut stores, mut presence, mut share) = (Vec::new(), Vec::new(), HubShare::Nothing);
        for of in &mut self.sharing {
            let Some(rows) = of.store.told(sessions, session) else { continue };
            stores.push(of.id.to_string());
            if of.share == HubShare::Everything || share == HubShare::Nothing {
                share = of.share;
            }
            presence.extend(rows.into_iter().map(|row| SentPresence {
                store: of.id.to_string(),
                memory: row.memory.to_string(),
                version: row.version,
                part: row.part,
                from: row.from,
                to: row.to,
                lines: row.lines,
                grade: row.grade.to_string(),
                cause: row.cause.map(|cause| cause.to_string()),
                at: row.at,
            }));
        }
        if stores.is_empty() {
            return Ok(None);
        }
        let verdicts = self.verdicts(session)?;
        let cost = session.cost.map(|dollars| (dollars * 1_000_000.0).round());
        let mut sent = SentSession {
            session: session.id.to_owned(),
            agent: session.agent.to_owned(),
            stores,
            started_at: session.started_at.map(Timestamp::micros),
            ended_at: session.ended_at.map(Timestamp::micros),
            requests: session.requests,
            subagents: session.subagents,
            tokens: Tokens {
                input: session.tokens.input,
                cache_read: session.tokens.cache_read,
                cache_write: session.tokens.cache_creation,
                output: session.tokens.output,
            },
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a price is no negative number, and a cast keeps to the largest one"
            )]
            cost_micros: cost.filter(|micros| *micros >= 0.0).map(|micros| micros as u64),
            digest: Sha256([0; 32]),
            presence,
            verdicts,
        };
        let text = serde_json::to_vec(&sent)
            .map_err(|error| ApiError::new(Code::Internal, say::not_written(error.to_string()), "session"))?;
        let files: Vec<(&str, u64)> =
            session.files.iter().map(|file| (file.part.as_str(), file.bytes)).collect();
        // Entries come with it: where they grew, or may be sent now, it is another.
        let with = format!("{files:?} {share} {}", self.texts);
        sent.digest = Sha256::of(&[&text, with.as_bytes()].concat());
        Ok(Some((sent, share)))
    }

    fn verdicts(&mut self, session: &SharedSession<'_>) -> Result<Vec<SentVerdict>, ApiError> {
        let mut sent = Vec::new();
        for file in &session.files {
            for (rule, number) in self.verdicts.get(file.path).into_iter().flatten() {
                let Some(told) = self.rules.get(*rule) else { continue };
                let Some(verdict) = told.verdicts.get(*number) else { continue };
                if let Some(used) = self.used.get_mut(*rule) {
                    *used = true;
                }
                sent.push(SentVerdict {
                    rule: hash_of(told)?,
                    part: part_of(&file.part, verdict.conversation),
                    request: verdict.request,
                    version: verdict.version.clone(),
                    outcome: verdict.outcome.to_string(),
                    present: verdict.present,
                    cause: verdict.cause.map(|cause| cause.to_string()),
                    at: verdict.at.map(Timestamp::micros),
                });
            }
        }
        Ok(sent)
    }

    /// Sends the rules of which verdicts were sent. The fields of a rule go where its store sends contents.
    fn put_rules(&mut self) -> Result<(), HubError> {
        let tags = self.context.together.tags()?;
        let any = self.sharing.iter().any(|of| of.send == HubSend::Everything);
        let mut rules = Vec::new();
        for (told, used) in self.rules.iter().zip(&self.used) {
            let sends = match told.store {
                Some(store) => self.sharing.iter().any(|of| of.id == store && of.send == HubSend::Everything),
                None => any,
            };
            if !used && told.store.is_none() {
                continue;
            }
            let text = rule_text(told)?;
            let fields = (sends && tags.secrets_at(&text).is_empty()).then(|| packed(&text)).transpose()?;
            let kind = told.rule.kind.to_string();
            rules.push(SentRule { rule: hash_of(told)?, kind, tokens: told.tokens, fields });
        }
        self.go_on()?;
        let _: Done = self.context.hub.call("put_session_rules", &PutRules { rules })?;
        Ok(())
    }

    /// Sends the entries of a file that the hub lacks.
    fn entries(&mut self, session: &str, file: &SharedFile<'_>, has: u64) -> Result<(), HubError> {
        let mut after = has;
        loop {
            let before = after;
            match self.entries_after(session, file, &mut after) {
                Ok(true) => return Ok(()),
                // The hub goes on from another place than was thought: the file is read again from there.
                Ok(false) if after != before => {}
                // Another sync of this machine is at it.
                Ok(false) => return Ok(()),
                Err(Line::Hub(error)) => return Err(error),
                // A transcript may go at any time; what was read of it stands.
                Err(Line::Unreadable) => return Ok(()),
            }
        }
    }

    /// Sends entries of a file, and says whether they came to their end.
    fn entries_after(&mut self, session: &str, file: &SharedFile<'_>, after: &mut u64) -> Result<bool, Line> {
        let tags = self.context.together.tags().map_err(|error| Line::Hub(error.into()))?;
        let (mut batch, mut bytes) = (Vec::new(), 0);
        let mut in_step = true;
        let (from, mut at) = (*after, *after);
        transcript_lines::<Line>(file, from, &mut |line| {
            if bytes > 0
                && (batch.len() == ENTRIES || bytes + line.as_ref().map_or(0, Vec::len) > ENTRY_BYTES)
            {
                in_step = self.put_entries(session, &file.part, &mut at, std::mem::take(&mut batch))?;
                bytes = 0;
                if !in_step {
                    return Ok(false);
                }
            }
            // What holds a secret that was redacted here is not sent, whatever the transcript keeps.
            let line = line.filter(|line| !line.is_empty() && tags.secrets_at(line).is_empty());
            bytes += line.as_ref().map_or(0, Vec::len) + 1;
            let content =
                line.map(|line| packed(&line)).transpose().map_err(|error| Line::Hub(error.into()))?;
            batch.push(SentEntry { content });
            Ok(true)
        })?;
        if in_step && !batch.is_empty() {
            in_step = self.put_entries(session, &file.part, &mut at, batch)?;
        }
        *after = at;
        Ok(in_step)
    }

    /// Sends a batch; answers whether the hub has them now, and where it goes on.
    fn put_entries(
        &mut self,
        session: &str,
        part: &str,
        at: &mut u64,
        entries: Vec<SentEntry>,
    ) -> Result<bool, Line> {
        self.go_on().map_err(Line::Hub)?;
        let count = entries.len() as u64;
        let asked = PutEntries { session: session.to_owned(), part: part.to_owned(), after: *at, entries };
        let taken: EntriesTaken = self.context.hub.call("put_entries", &asked).map_err(Line::Hub)?;
        let in_step = taken.entries == *at + count;
        if in_step {
            self.done.entries += count;
        }
        *at = taken.entries;
        Ok(in_step)
    }
}

/// The fields of a rule as they are sent.
fn rule_text(told: &ToldRule) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(&told.rule)
        .map_err(|error| ApiError::new(Code::Internal, say::not_written(error.to_string()), "rule"))
}

/// What a rule is known by: what it reads, wherever it stands.
fn hash_of(told: &ToldRule) -> Result<Sha256, ApiError> {
    let fields = retrace_wire::RuleFields { source: None, ..told.rule.clone() };
    let text = serde_json::to_vec(&fields)
        .map_err(|error| ApiError::new(Code::Internal, say::not_written(error.to_string()), "rule"))?;
    Ok(Sha256::of(&text))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub_sessions";
    not_packed(error) => "An entry of a transcript cannot be packed: {error}.",
    not_written(error) => "A session cannot be written as JSON: {error}.",
}
