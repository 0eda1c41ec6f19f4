//! Sending what the hub lacks: heads are compared, then redactions, versions and contents go in batches, each of which is
//! noted once the hub acknowledged it. Killed anywhere, the next run goes on from there; what is sent twice is the same once.

use crate::client::{Hub, HubError, hint_of_sync};
use crate::compared::Compared;
use crate::redactions::{self, Context};
use crate::state::{self, KeptWaiting, Membership, Sent, StoreState};
use crate::{Together, acts, policy, proposals, review, said, searches, sessions, told};
use retrace_engine::Engine;
use retrace_engine::jobs::Job;
use retrace_log::{ChainedVersion, Parts, StoreRow, Tags};
use retrace_message::Message;
use retrace_model::{MachineId, OrgId, Sha256, StoreId};
use retrace_sync::chain::Head;
use retrace_sync::messages::{
    Append, Bytes, Clock, Contents, CopyRefused, Done, HEAD_MOVED, Hello, Link, LinkAt, NOT_FOUND, OfStore,
    PackedContent, PartsAt, Redact, Redacted, SentContent, SentOpened, SentVersion, SignHead, SignedHead,
    Taken,
};
use retrace_sync::sign::{head_text, is_signed};
use retrace_sync::together::MAX_COUNTED;
use retrace_wire::{
    ApiError, Code, HubFault, HubProblem, HubSend, HubStoreSynced, HubSyncReq, HubSynced, HubWaiting,
};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Versions of one request.
const BATCH: u64 = 500;
/// Raw bytes of the contents of one request; a larger one goes alone.
const BATCH_BYTES: usize = 4 << 20;
/// Redacted versions of one request.
const REDACTED_BATCH: usize = 1_000;
/// Places in redacted contents of one request.
const PARTS_BATCH: usize = 10_000;
/// Effort of zstd.
const EFFORT: i32 = 3;
/// Clocks that are further apart are told.
const TOLD_SKEW_MICROS: i64 = 2 * 60 * 1_000_000;

/// What ends the sync of one store.
enum Stop {
    Problem(HubFault, Message, Message),
    Hub(HubError),
}

impl<E: Into<HubError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Hub(error.into())
    }
}

/// Sends what the hub lacks of every store that may send, or of one.
///
/// # Errors
/// `not_found` when no hub is joined or there is no such store, `store_unavailable` when the hub is not reached, `key_refused` when
/// it does not know this machine. What stands in the way of one store is a problem in the answer.
pub fn hub_sync(together: &Arc<Together>, request: HubSyncReq) -> Result<HubSynced, ApiError> {
    let inner: &Arc<Engine> = together;
    let job = inner.jobs.begin(request.job.as_deref())?;
    let Some(_alone) = state::sync_alone(inner, || job.is_stopped())? else {
        return Err(HubError::Stopped.api("hub"));
    };
    let member = state::joined(inner)?;
    let key = state::machine_key(inner)?;
    let unreached = |error: HubError| error.api(&member.url);
    let stores = inner.read(|reader| match request.store.as_deref() {
        Some(name) => Ok(vec![inner.store_named(reader, name)?]),
        None => Ok(reader.stores()?),
    })?;
    let hub = Hub::joined(inner, &member, key, job.token()).map_err(unreached)?;
    let (Some(org), Some(machine)) = (member.org(), member.machine()) else {
        return Err(ApiError::new(Code::Internal, say::membership_damaged(), "hub.json"));
    };
    let mut answer = HubSynced {
        stores: Vec::new(),
        problems: Vec::new(),
        redactions: Vec::new(),
        proposals: Vec::new(),
        reviews: 0,
        waiting: None,
        shared: None,
    };
    let clock = Clock { time: inner.now().micros() };
    let hello: Hello = hub.call("clock", &clock).map_err(unreached)?;
    if hub.skew().saturating_abs() > TOLD_SKEW_MICROS {
        let seconds = hub.skew() / 1_000_000;
        let message = if seconds > 0 { say::clock_ahead(seconds) } else { say::clock_behind(seconds.abs()) };
        let code = HubFault::ClockSkew;
        answer.problems.push(HubProblem { code, store_id: None, message, hint: say::set_clock() });
    }
    let context = Context { together, hub: &hub, org, machine };
    acts::keep_seen(inner, &member.org, hello.seen.as_ref())?;
    if let Some(restored) = &hello.restored {
        match acts::tell_again(&context, &member, restored) {
            Ok(problem) => answer.problems.extend(problem),
            Err(error) => match of_machine(&member, error)? {
                Some(problem) => answer.problems.push(problem),
                None => return Ok(answer),
            },
        }
    }
    // Before anything is sent: what may be sent, and what is checked here, is as the organisation says now.
    match policy::learn(&context) {
        Ok(()) => {}
        Err(error) => match of_machine(&member, error)? {
            Some(problem) => answer.problems.push(problem),
            None => return Ok(answer),
        },
    }
    if request.resend {
        tell_all_again(inner, &stores)?;
    } else {
        told::compare(inner, hello.told.as_deref())?;
    }
    // Before the hub destroys what has the same content: afterwards nobody could say where in it the secret stood.
    let searched = searches::tell_what_was_lost(&context, hello.redacted);
    match searched.and_then(|()| searches::search(&context)) {
        Ok(problem) => answer.problems.extend(problem),
        Err(error) => match of_machine(&member, error)? {
            Some(problem) => answer.problems.push(problem),
            None => return Ok(answer),
        },
    }
    // Of a store that was taken off the list the hub is told of redactions alone: what was sent of it is still there.
    let only_redactions = |store: &StoreRow| request.store.is_none() && store.removed_at.is_some();
    let hub_key = member.hub_key();
    let send = |resend: bool, answer: &mut HubSynced, compared: &mut Compared| -> Result<bool, ApiError> {
        let member = state::joined(inner)?;
        let was_sent = |store: &StoreRow| {
            member.stores.get(&store.id.to_string()).is_some_and(|state| state.sent.is_some())
        };
        for store in stores.iter().filter(|store| !only_redactions(store) || was_sent(store)) {
            let mut sending = Sending {
                inner,
                hub: &hub,
                job: &job,
                org,
                machine,
                hub_key: &hub_key,
                store,
                state: member.stores.get(&store.id.to_string()).cloned().unwrap_or_default(),
                done: HubStoreSynced {
                    store_id: store.id.to_string(),
                    name: store.name.clone(),
                    send: member.send_of(store.id),
                    versions: 0,
                    contents: 0,
                    withheld: 0,
                    redacted: 0,
                    seq: 0,
                },
                together,
                at_hub: None,
                only_redactions: only_redactions(store),
                is_same: false,
                begins: Cell::new(0),
            };
            let ended = sending.run(resend);
            if sending.is_same {
                compared.note(store.id.to_string(), sending.state.sent.as_ref());
            }
            // What the hub said, also where the chains are not the same; where it was not asked, what it acknowledged before.
            let acknowledged = sending.state.sent.map_or(0, |sent| sent.seq);
            sending.done.seq = sending.at_hub.unwrap_or(acknowledged);
            let begins = sending.begins.get();
            let done = sending.done;
            match answer.stores.iter_mut().find(|known| known.store_id == done.store_id) {
                None if sending.only_redactions && done.redacted == 0 => {}
                None => answer.stores.push(done),
                Some(known) => {
                    known.versions += done.versions;
                    known.contents += done.contents;
                    known.withheld += done.withheld;
                    known.redacted += done.redacted;
                    known.seq = done.seq;
                }
            }
            let problem = match ended {
                Ok(()) => continue,
                Err(Stop::Problem(code, message, hint)) => {
                    if is_other_log(code) {
                        compared.differs(store.id, begins);
                    }
                    HubProblem { code, store_id: Some(store.id.to_string()), message, hint }
                }
                Err(Stop::Hub(error)) => match refusal(&member, store.id, error)? {
                    Some(problem) => problem,
                    None => return Ok(false),
                },
            };
            // A sync sends twice where it did something for others; what stands in the way is told once.
            let is_told = |known: &HubProblem| {
                known.code == problem.code
                    && known.store_id == problem.store_id
                    && known.message.text() == problem.message.text()
            };
            if !answer.problems.iter().any(is_told) {
                answer.problems.push(problem);
            }
        }
        Ok(true)
    };
    let mut compared = Compared::default();
    if send(request.resend, &mut answer, &mut compared)? {
        match exchange(&context, &compared, &mut answer) {
            // What was done here for others is sent at once.
            Ok(true) => drop(send(false, &mut answer, &mut compared)?),
            Ok(false) => {}
            Err(error) => answer.problems.extend(of_machine(&member, error)?),
        }
        match sessions::send(&context, &stores, &job) {
            Ok(shared) => answer.shared = shared,
            Err(error) => answer.problems.extend(of_machine(&member, error)?),
        }
        let at_hub = hello.told.as_deref().filter(|_| request.store.is_none());
        match tell(&context, &stores, &compared, at_hub, &mut answer) {
            Ok(()) => {}
            Err(error) => answer.problems.extend(of_machine(&member, error)?),
        }
    }
    tell_copy(&hub, compared.parts_at())?;
    note_fork(inner, &member, request.store.is_none(), &answer)?;
    inner.stores_changed();
    Ok(answer)
}

/// True where the hub has another log of this machine than this one.
fn is_other_log(fault: HubFault) -> bool {
    matches!(fault, HubFault::Fork | HubFault::ChainCut)
}

/// Tells the hub that this is a copy of the machine that it knows, so that whoever is at that one hears of it.
fn tell_copy(hub: &Hub, parts: Option<(StoreId, u64)>) -> Result<(), ApiError> {
    let Some((store, seq)) = parts else { return Ok(()) };
    match hub.call::<Done>("copy_refused", &CopyRefused { store: store.to_string(), seq }) {
        Err(HubError::Here(error)) => Err(error),
        // The problem of its store stands in the answer already, whether the hub takes this or not.
        _ => Ok(()),
    }
}

/// Remembers whether another copy of this log goes on under the same identity: leaving would take it from that one as well.
fn note_fork(
    inner: &Engine,
    member: &Membership,
    all_stores: bool,
    answer: &HubSynced,
) -> Result<(), ApiError> {
    let is_fork = answer.problems.iter().any(|problem| is_other_log(problem.code));
    let forked = is_fork || (member.forked && !all_stores);
    if forked == member.forked {
        return Ok(());
    }
    state::update_all(inner, |kept| kept.forked = forked)
}

/// Forgets what the hub was told beside versions and contents, so that a hub which lost some of it is told of all of it again:
/// redactions above all, what is left to review, projects and sessions. Reviews made at the hub are asked for again.
fn tell_all_again(inner: &Engine, stores: &[StoreRow]) -> Result<(), ApiError> {
    told::tell_again(inner)?;
    state::update_all(inner, |member| {
        member.search_all = true;
        member.lost_at = None;
        for store in stores {
            if let Some(state) = member.stores.get_mut(&store.id.to_string()) {
                state.redaction = 0;
            }
        }
    })
}

/// Carries out what waits for this machine, as far as it means versions of this log; answers whether that changed the log.
fn exchange(context: &Context<'_>, compared: &Compared, answer: &mut HubSynced) -> Result<bool, HubError> {
    if !compared.is_same_log() {
        return Ok(false);
    }
    answer.redactions = redactions::carry_out(context, compared)?;
    answer.proposals = proposals::carry_out(context, compared)?;
    answer.reviews = review::take_decisions(context, compared)?;
    Ok(!answer.redactions.is_empty() || !answer.proposals.is_empty())
}

/// Tells the hub what is left to review and of which projects the stores are, and asks what waits.
fn tell(
    context: &Context<'_>,
    stores: &[StoreRow],
    compared: &Compared,
    at_hub: Option<&str>,
    answer: &mut HubSynced,
) -> Result<(), HubError> {
    // Of a log that is another than at the hub, nothing that the hub would take for that one's.
    let listed = stores.iter().filter(|store| store.removed_at.is_none() && compared.is_same_log());
    let told = listed.into_iter().try_for_each(|store| {
        review::tell_withdrawn(context, store.id)?;
        review::tell_left(context, store.id)?;
        review::tell_project(context, store)
    });
    // A role that may tell nothing asks all the same.
    let what = review::waiting(context)?;
    let waiting = KeptWaiting { at: context.together.now().micros(), what };
    answer.waiting = Some(waiting_view(&waiting));
    state::update_all(context.together, |member| {
        member.role = waiting.what.role.clone().unwrap_or_else(|| member.role.clone());
        member.waiting = Some(waiting);
    })?;
    told?;
    // A copy of a log approves nothing in the place of the other.
    if compared.is_same_log() {
        told::approve_again(context)?;
        answer.problems.extend(said::ask(context)?);
        told::end(context, at_hub)?;
    }
    Ok(())
}

/// What waits, as it is shown.
pub(crate) fn waiting_view(kept: &KeptWaiting) -> HubWaiting {
    HubWaiting {
        redactions: kept.what.orders,
        outstanding: kept.what.outstanding,
        to_approve: kept.what.to_approve,
        proposals: kept.what.proposals,
        unreviewed: kept.what.unreviewed.min(MAX_COUNTED),
        unreviewed_is_least: kept.what.unreviewed > MAX_COUNTED,
        at: redactions::instant(kept.at),
        copy: kept.what.copy.clone().map(policy::shown_copy),
        restored: kept.what.restored.as_ref().and_then(acts::shown),
    }
}

/// The problem that a refusal of something beside the stores is. `None` when it was stopped.
fn of_machine(member: &Membership, error: HubError) -> Result<Option<HubProblem>, ApiError> {
    match error {
        HubError::Refused { kind, message } => Ok(Some(HubProblem {
            code: HubFault::Refused,
            store_id: None,
            message: say::refused_beside(message),
            hint: hint_of_sync(&kind),
        })),
        HubError::Stopped => Ok(None),
        error => Err(error.api(&member.url)),
    }
}

/// The problem that a refusal is; an error where no further store would fare better. `None` when it was stopped.
fn refusal(member: &Membership, store: StoreId, error: HubError) -> Result<Option<HubProblem>, ApiError> {
    match error {
        HubError::Refused { kind, message } => Ok(Some(HubProblem {
            code: HubFault::Refused,
            store_id: Some(store.to_string()),
            message: say::batch_refused(message),
            hint: hint_of_sync(&kind),
        })),
        HubError::Stopped => Ok(None),
        error => Err(error.api(&member.url)),
    }
}

struct Sending<'s> {
    inner: &'s Arc<Engine>,
    hub: &'s Hub,
    job: &'s Job,
    org: OrgId,
    machine: MachineId,
    hub_key: &'s [u8],
    store: &'s StoreRow,
    state: StoreState,
    done: HubStoreSynced,
    together: &'s Arc<Together>,
    /// Links of the chain at the hub, as it said last.
    at_hub: Option<u64>,
    /// True of a store that was taken off the list.
    only_redactions: bool,
    /// True once the chains were found to be the same.
    is_same: bool,
    /// Of a log that is another than at the hub: the first version that is not the hub's.
    begins: Cell<u64>,
}

impl Sending<'_> {
    fn run(&mut self, resend: bool) -> Result<(), Stop> {
        if self.done.send == HubSend::Nothing && self.state.sent.is_none() {
            return Ok(());
        }
        if resend {
            (self.state.sent, self.state.contents) = (None, 0);
        }
        // Read first: what is redacted from now on is told the next time.
        let after = self.state.redaction;
        let (masked, newest) =
            self.inner.read(|reader| Ok(reader.masked_after(self.store.id, after)?)).map_err(Stop::from)?;
        self.compare(resend)?;
        self.is_same = true;
        self.redact(&masked, newest)?;
        if self.done.send == HubSend::Nothing || self.only_redactions {
            return Ok(());
        }
        let mut tries = 0;
        loop {
            match self.append() {
                // Another sync of this machine was faster.
                Err(Stop::Hub(HubError::Refused { kind, .. })) if kind == HEAD_MOVED && tries < 3 => {
                    tries += 1;
                    self.compare(false)?;
                }
                ended => break ended?,
            }
        }
        if self.may_send()? == HubSend::Everything { self.contents() } else { Ok(()) }
    }

    fn id(&self) -> String {
        self.store.id.to_string()
    }

    fn go_on(&self) -> Result<(), Stop> {
        if self.job.is_stopped() { Err(Stop::Hub(HubError::Stopped)) } else { Ok(()) }
    }

    fn save(&self) -> Result<(), Stop> {
        let state = &self.state;
        Ok(state::update_all(self.inner, |member| {
            // The hub may have been left meanwhile, and another be joined.
            if member.machine() == Some(self.machine) && member.org() == Some(self.org) {
                let kept = member.stores.entry(self.store.id.to_string()).or_default();
                (kept.sent, kept.contents, kept.redaction) = (state.sent, state.contents, state.redaction);
            }
        })?)
    }

    /// What the store may send at this moment: a person may have chosen something else since the sync began.
    fn may_send(&mut self) -> Result<HubSend, Stop> {
        self.done.send = state::joined(self.inner)?.send_of(self.store.id);
        Ok(self.done.send)
    }

    /// The name of the store, or its id where the name holds what was redacted.
    fn name(&self, tags: &Tags) -> String {
        match tags.marks_in(self.store.name.as_bytes()).is_empty() {
            true => self.store.name.clone(),
            false => self.id(),
        }
    }

    fn page(&self, after: u64) -> Result<Vec<ChainedVersion>, ApiError> {
        self.inner.read(|reader| Ok(reader.chained_versions(self.store.id, after, BATCH)?))
    }

    /// The operation's digest in the log's own chain; `None` where the log has no such operation.
    fn operation_digest(&self, operation: u64) -> Result<Option<Sha256>, ApiError> {
        self.inner.read(|reader| {
            let newest = reader.cursor()?;
            if operation == 0 || operation > newest {
                return Ok(None);
            }
            Ok(Some(reader.operation(operation)?.chain_digest()))
        })
    }

    /// The hub's head, whose signature is checked.
    fn head(&self) -> Result<SignedHead, Stop> {
        // A redaction may have changed the name.
        let name = Some(self.name(&*self.inner.tags()?));
        let head: SignedHead = self.hub.call("head", &OfStore { store: self.id(), name })?;
        self.believe(&head)?;
        Ok(head)
    }

    fn believe(&self, head: &SignedHead) -> Result<(), Stop> {
        let signed = Head { seq: head.seq, digest: head.digest };
        let text = head_text(self.org, self.machine, self.store.id, &signed, head.at);
        let empty = signed == Head::EMPTY;
        if empty || is_signed(self.hub_key, &text, &head.signature.0) {
            return Ok(());
        }
        Err(Stop::Problem(HubFault::Altered, say::bad_countersign(), say::ask_operator()))
    }

    /// Compares the chains, and takes over what the hub has of ours beyond what it was known to acknowledge.
    fn compare(&mut self, resend: bool) -> Result<(), Stop> {
        let at_hub = self.head()?;
        self.at_hub = Some(at_hub.seq);
        if let Some(sent) = self.state.sent {
            if at_hub.seq < sent.seq {
                return Err(Stop::Problem(
                    HubFault::HubCut,
                    say::hub_cut(at_hub.seq, sent.seq),
                    say::resend_hint(),
                ));
            }
            if at_hub.seq == sent.seq && at_hub.digest != sent.digest {
                return Err(self.fork(at_hub.seq)?);
            }
            // A log that is no longer the same up to there is compared from its beginning.
            if self.operation_digest(sent.operation)? != Some(sent.operation_digest) {
                self.state.sent = None;
            }
        }
        let mut head = self.state.sent.map_or(Head::EMPTY, |sent| sent.head());
        let mut last = self.state.sent.map_or(0, |sent| sent.local_seq);
        let mut operation = 0;
        while head.seq < at_hub.seq {
            self.go_on()?;
            let room = at_hub.seq - head.seq;
            let page = self.page(last)?;
            if page.is_empty() {
                return Err(self.cut_or_fork(&head, at_hub.seq)?);
            }
            for version in page.iter().take(usize::try_from(room).unwrap_or(usize::MAX)) {
                head = head.then(self.machine, self.store.id, &version.leaf);
                (last, operation) = (version.seq, version.operation_seq);
            }
        }
        if head.digest != at_hub.digest {
            return Err(self.fork(at_hub.seq)?);
        }
        if operation > 0 {
            self.note(head, last, operation, at_hub.at)?;
        }
        if at_hub.unsigned {
            self.sign_again(&head)?;
        }
        if resend { self.save() } else { Ok(()) }
    }

    /// Signs a head that the hub made anew from its versions.
    fn sign_again(&self, head: &Head) -> Result<(), Stop> {
        let claim = head_text(self.org, self.machine, self.store.id, head, 0);
        let signature = Bytes(self.hub.key().sign(&claim));
        let request = SignHead { store: self.id(), seq: head.seq, digest: head.digest, signature };
        let _: Done = self.hub.call("sign_head", &request)?;
        Ok(())
    }

    /// The log ends before the hub's chain: it is a part of it, or another one.
    fn cut_or_fork(&self, head: &Head, at_hub: u64) -> Result<Stop, Stop> {
        if head.seq == 0 {
            return Ok(self.cut(0, at_hub));
        }
        let asked = self.hub.call::<Link>("link", &LinkAt { store: self.id(), seq: head.seq });
        match asked {
            Ok(link) if link.digest == head.digest => Ok(self.cut(head.seq, at_hub)),
            Ok(_) => self.fork(head.seq),
            Err(HubError::Refused { kind, .. }) if kind == NOT_FOUND => self.fork(head.seq),
            Err(error) => Err(error.into()),
        }
    }

    fn cut(&self, here: u64, at_hub: u64) -> Stop {
        self.begins.set(here + 1);
        Stop::Problem(
            HubFault::ChainCut,
            say::chain_cut(&self.store.name, here, at_hub),
            say::other_identity(),
        )
    }

    /// The chains differ at a link, or before it.
    fn fork(&self, seq: u64) -> Result<Stop, Stop> {
        let digests = self.digests(seq)?;
        let (mut same, mut differs) = (0, seq);
        while differs - same > 1 {
            self.go_on()?;
            let middle = same + (differs - same) / 2;
            let here = usize::try_from(middle - 1).ok().and_then(|place| digests.get(place));
            let asked = self.hub.call::<Link>("link", &LinkAt { store: self.id(), seq: middle });
            match asked {
                Ok(link) if Some(&link.digest) == here => same = middle,
                Ok(_) => differs = middle,
                Err(HubError::Refused { kind, .. }) if kind == NOT_FOUND => differs = middle,
                Err(error) => return Err(error.into()),
            }
        }
        self.begins.set(differs);
        Ok(Stop::Problem(HubFault::Fork, say::fork(&self.store.name, differs), say::other_identity()))
    }

    /// Digests of the first links of the chain here.
    fn digests(&self, links: u64) -> Result<Vec<Sha256>, Stop> {
        let (mut head, mut last) = (Head::EMPTY, 0);
        let mut digests = Vec::new();
        while head.seq < links {
            self.go_on()?;
            let page = self.page(last)?;
            let Some(newest) = page.last() else { break };
            last = newest.seq;
            for version in page {
                head = head.then(self.machine, self.store.id, &version.leaf);
                digests.push(head.digest);
            }
        }
        Ok(digests)
    }

    fn note(&mut self, head: Head, local_seq: u64, operation: u64, at: i64) -> Result<(), Stop> {
        let operation_digest = self.operation_digest(operation)?.unwrap_or(Sha256([0; 32]));
        let Head { seq, digest } = head;
        self.at_hub = Some(seq);
        self.state.sent = Some(Sent { seq, digest, local_seq, operation, operation_digest, at });
        self.save()
    }

    fn redact(&mut self, masked: &[u64], newest: u64) -> Result<(), Stop> {
        let sent = self.state.sent.map_or(0, |sent| sent.local_seq);
        let masked: Vec<u64> = masked.iter().copied().filter(|seq| *seq <= sent).collect();
        for (order, seqs) in redactions::by_redaction(self.together, &masked)? {
            let said = self.inner.read(|reader| Ok(reader.parts_of(&seqs)?))?;
            for local_seqs in batches(&seqs, &said) {
                self.go_on()?;
                let order = order.clone();
                let parts = local_seqs
                    .iter()
                    .filter_map(|seq| Some(PartsAt { local_seq: *seq, parts: said.get(seq)?.clone() }));
                let parts = parts.collect();
                let request = Redact { store: self.id(), local_seqs, order, parts };
                let redacted: Redacted = self.hub.call("redact", &request)?;
                self.done.redacted += redacted.versions;
            }
        }
        if newest > self.state.redaction {
            self.state.redaction = newest;
            // Without anything sent there is nothing to remember either, but a later run is spared the search.
            self.save()?;
        }
        Ok(())
    }

    fn append(&mut self) -> Result<(), Stop> {
        let tags = self.inner.tags()?;
        loop {
            self.go_on()?;
            let after = self.state.sent.map_or(Head::EMPTY, |sent| sent.head());
            let page = self.page(self.state.sent.map_or(0, |sent| sent.local_seq))?;
            let Some(last) = page.last() else { return Ok(()) };
            let head = page
                .iter()
                .fold(after, |head, version| head.then(self.machine, self.store.id, &version.leaf));
            let claim = head_text(self.org, self.machine, self.store.id, &head, 0);
            let request = Append {
                store: self.id(),
                name: self.name(&tags),
                kind: self.store.kind.to_string(),
                after_seq: after.seq,
                after: after.digest,
                versions: page.iter().map(|version| sent(version, &tags)).collect(),
                signature: Bytes(self.hub.key().sign(&claim)),
            };
            if self.may_send()? == HubSend::Nothing {
                return Ok(());
            }
            let acknowledged: SignedHead = self.hub.call("append", &request)?;
            self.believe(&acknowledged)?;
            if acknowledged.seq < head.seq
                || (acknowledged.seq == head.seq && acknowledged.digest != head.digest)
            {
                return Err(Stop::Problem(HubFault::Altered, say::bad_countersign(), say::ask_operator()));
            }
            self.done.versions += page.len() as u64;
            let at = acknowledged.at;
            self.note(head, last.seq, last.operation_seq, at)?;
        }
    }

    fn contents(&mut self) -> Result<(), Stop> {
        let sent = self.state.sent.map_or(0, |sent| sent.local_seq);
        if self.state.contents >= sent {
            return Ok(());
        }
        let tags = self.inner.tags()?;
        while self.state.contents < sent {
            self.go_on()?;
            let mut page = self.page(self.state.contents)?;
            page.retain(|version| version.seq <= sent);
            if page.is_empty() {
                self.state.contents = sent;
                break;
            }
            let mut contents: Vec<PackedContent> = Vec::new();
            let mut withheld = BTreeSet::new();
            let passed = self.inner.read(|reader| {
                reader.chained_contents::<ApiError>(&page, BATCH_BYTES, |version, bytes| {
                    let Some(opened) = &version.opened else { return Ok(()) };
                    let Some((sha256, size)) = opened.content else { return Ok(()) };
                    if holds_redacted(opened.path.as_bytes(), &tags) {
                        withheld.insert(sha256);
                        return Ok(());
                    }
                    if contents.iter().any(|other| other.sha256 == sha256) {
                        return Ok(());
                    }
                    // It came back on disk and is in the log for that; here it stays until it is redacted again.
                    if !tags.marks_in(bytes).is_empty() {
                        withheld.insert(sha256);
                        return Ok(());
                    }
                    let packed = zstd::bulk::compress(bytes, EFFORT).map_err(|error| {
                        ApiError::new(Code::Internal, say::not_packed(error), version.seq.to_string())
                    })?;
                    contents.push(PackedContent { sha256, size, packed: Bytes(packed) });
                    Ok(())
                })
            })?;
            if !contents.is_empty() {
                if self.may_send()? != HubSend::Everything {
                    return Ok(());
                }
                let taken: Taken = self.hub.call("contents", &Contents { store: self.id(), contents })?;
                self.done.contents += taken.new;
            }
            self.done.withheld += withheld.len() as u64;
            let last = passed.checked_sub(1).and_then(|last| page.get(last));
            self.state.contents = last.map_or(sent, |version| version.seq);
            self.save()?;
        }
        Ok(())
    }
}

/// Redacted versions, so many in a batch as one request takes with the places of each.
fn batches(seqs: &[u64], parts: &BTreeMap<u64, Parts>) -> Vec<Vec<u64>> {
    let mut batches: Vec<Vec<u64>> = Vec::new();
    let mut places = 0;
    for seq in seqs {
        places += parts.get(seq).map_or(0, Vec::len);
        match batches.last_mut() {
            Some(batch) if batch.len() < REDACTED_BATCH && places <= PARTS_BATCH => batch.push(*seq),
            _ => {
                places = parts.get(seq).map_or(0, Vec::len);
                batches.push(vec![*seq]);
            }
        }
    }
    batches
}

fn holds_redacted(path: &[u8], tags: &Tags) -> bool {
    !tags.marks_in(path).is_empty()
}

/// A version as it is sent. Of one whose path holds what was redacted, the hub has neither path nor content.
fn sent(version: &ChainedVersion, tags: &Tags) -> SentVersion {
    let opened = version.opened.as_ref().filter(|opened| !holds_redacted(opened.path.as_bytes(), tags));
    SentVersion {
        local_seq: version.seq,
        operation_seq: version.operation_seq,
        memory: version.memory.to_string(),
        operation: version.change.to_string(),
        source: version.source.to_string(),
        created_at: version.created_at.micros(),
        leaf: version.leaf,
        commitment: version.commitment,
        observed: version.observed,
        opened: opened.map(|opened| SentOpened {
            path: Bytes(opened.path.as_bytes().to_vec()),
            salt: opened.salt.clone().map(Bytes),
            content: opened.content.map(|(sha256, size)| SentContent { sha256, size }),
        }),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    pub(crate) mod say in "hub";
    membership_damaged() => "The membership of the hub is damaged.",
    clock_ahead(seconds) => "This machine's clock is {seconds} s ahead of the hub's.",
    clock_behind(seconds) => "This machine's clock is {seconds} s behind the hub's.",
    set_clock() => "Set the clock. Versions keep the times they were recorded with; nothing is lost.",
    refused_beside(message) => "The hub refused a request beside the stores: {message}",
    batch_refused(message) => "The hub refused the versions: {message}",
    bad_countersign() => "The hub's head is not signed by the key that was remembered when this machine joined.",
    ask_operator() => "Ask the hub's operator. Nothing more of this store is sent.",
    hub_cut(hub, here) => "The hub has {hub} versions of this store and acknowledged {here}: it lost some.",
    resend_hint() => "Ask the hub's operator for a newer backup, or send them again with `retrace sync --resend`.",
    chain_cut(store, here, hub) => "The log has {here} versions of \"{store}\" and the hub {hub}: newer versions are missing here.",
    fork(store, seq) => "The chain of \"{store}\" forks at version {seq}: another copy of this log sent other versions.",
    other_identity() => "Put the newer log back, or make this one a machine of its own: `retrace hub leave --new-identity`, then `retrace hub join`.",
    not_packed(error) => "A content cannot be packed: {error}.",
}
