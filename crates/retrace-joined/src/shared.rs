//! Sessions of all machines at the hub: choosing what is shared, listing them, presence and the ledger over all of them.

use crate::member::Member;
use crate::policy::machine_named;
use crate::{Together, commands, state};
use retrace_model::{RelPath, Timestamp};
use retrace_sync::messages::{Bytes, PackedContent};
use retrace_sync::sessions::{
    AskLedger, AskPresence, Counts, Ledger, LedgerRule, ListSessions, ListedSession, MachinePresence,
    PresenceSummed, SessionPage,
};
use retrace_wire::{
    ApiError, Code, HubAdherence, HubAdherenceReq, HubMachinePresence, HubPresence, HubPresenceReq,
    HubPresenceSums, HubRuleLedger, HubRuleMachine, HubSession, HubSessions, HubSessionsReq, HubShareReq,
    HubStatus, RuleFields, RuleKind, RuleLedger, RuleWording,
};
use std::sync::Arc;

/// Sessions of a page where no number is asked for.
const PAGE: u32 = 200;

/// Bytes of the fields of a rule, unpacked, at most.
const MAX_RULE: usize = 1 << 20;

/// Digits of a rule's id.
const DIGITS: usize = 16;

fn time(at: i64) -> String {
    Timestamp::from_micros(at).to_rfc3339()
}

/// Chooses what the sessions of a store share with the hub. What was sent stays there.
///
/// # Errors
/// `not_found` when no hub is joined, or there is no such store; `cannot_write`.
pub fn hub_share_sessions(together: &Arc<Together>, request: HubShareReq) -> Result<HubStatus, ApiError> {
    let store = together.read(|reader| Ok(together.store_named(reader, &request.store)?.id))?;
    state::update(together, store, |state| state.share = Some(request.share))?;
    together.stores_changed();
    commands::status(together)
}

/// A page of the shared sessions of all machines, as far as this machine's role sees them.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such machine, `invalid`, `store_unavailable`, `key_refused`.
pub fn hub_sessions(member: &Member, request: HubSessionsReq) -> Result<HubSessions, ApiError> {
    let hub = member.hub()?;
    let machine = request.machine.map(|named| machine_named(&hub, &named)).transpose()?;
    let limit = u64::from(request.limit.unwrap_or(PAGE));
    let asked = ListSessions { machine, after: request.after, limit };
    let page: SessionPage = hub.ask("sessions", &asked)?;
    Ok(HubSessions { sessions: page.sessions.into_iter().map(shown).collect(), next: page.next })
}

fn shown(session: ListedSession) -> HubSession {
    HubSession {
        machine: session.machine,
        machine_name: session.machine_name,
        session: session.session,
        agent: session.agent,
        stores: session.stores,
        projects: session.projects,
        started_at: session.started_at.map(time),
        ended_at: session.ended_at.map(time),
        requests: session.requests,
        subagents: session.subagents,
        input_tokens: session.tokens.input,
        cache_read_tokens: session.tokens.cache_read,
        cache_write_tokens: session.tokens.cache_write,
        output_tokens: session.tokens.output,
        #[allow(clippy::cast_precision_loss, reason = "prices are far below what a float holds exactly")]
        cost_usd: session.cost_micros.map(|micros| micros as f64 / 1_000_000.0),
        entries: session.entries,
        without_text: session.without_text,
    }
}

/// Where a memory was before a model, over the shared sessions of all machines.
///
/// # Errors
/// `invalid` for what names no memory, `not_found` when no hub is joined or no session of such a memory is shared,
/// `store_unavailable`, `key_refused`.
pub fn hub_presence(member: &Member, request: HubPresenceReq) -> Result<HubPresence, ApiError> {
    let hub = member.hub()?;
    let bad = || ApiError::invalid(say::name_memory(), &request.memory);
    let (store, path) = request.memory.split_once(':').ok_or_else(bad)?;
    let path = RelPath::parse(path).map_err(|_| bad())?;
    let asked = AskPresence { store: store.to_owned(), path: Bytes(path.as_bytes().to_vec()) };
    let found: PresenceSummed = hub.ask("session_presence", &asked)?;
    if found.machines.is_empty() {
        return Err(
            ApiError::new(Code::NotFound, say::nothing_shared(), &request.memory).hint(say::share_sessions())
        );
    }
    let mut sums = HubPresenceSums {
        last_at: found.machines.iter().filter_map(|of| of.last_at).max().map(time),
        ..HubPresenceSums::default()
    };
    for of in &found.machines {
        sums.sessions += of.sessions;
        sums.present += of.present;
        sums.inferred += of.inferred;
        for (cause, sessions) in &of.absent {
            *sums.absent.entry(cause.clone()).or_default() += sessions;
        }
    }
    let machines = found.machines.into_iter().map(on_machine).collect();
    Ok(HubPresence { memory: request.memory, sums, machines })
}

fn on_machine(of: MachinePresence) -> HubMachinePresence {
    HubMachinePresence {
        machine: of.machine,
        machine_name: of.machine_name,
        store: of.store,
        store_name: of.store_name,
        sums: HubPresenceSums {
            sessions: of.sessions,
            present: of.present,
            inferred: of.inferred,
            last_at: of.last_at.map(time),
            absent: of.absent,
        },
    }
}

/// How the shared sessions of all machines fared with rules.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such rule, `store_unavailable`, `key_refused`.
pub fn hub_adherence(member: &Member, request: HubAdherenceReq) -> Result<HubAdherence, ApiError> {
    let hub = member.hub()?;
    let rule = request.rule.as_deref().map(|rule| rule.strip_prefix("rule_").unwrap_or(rule).to_owned());
    let ledger: Ledger = hub.ask("session_ledger", &AskLedger { rule })?;
    if let Some(named) = request.rule.filter(|_| ledger.rules.is_empty()) {
        return Err(ApiError::new(Code::NotFound, say::no_rule(), named).hint(say::list_rules()));
    }
    let rules = ledger.rules.into_iter().map(summed).collect();
    Ok(HubAdherence { rules, sessions: ledger.sessions })
}

fn opportunities(counts: &Counts) -> u64 {
    counts.followed + counts.broken + counts.excepted + counts.undecidable
}

fn summed(rule: LedgerRule) -> HubRuleLedger {
    let id = rule.rule.to_hex().chars().take(DIGITS).collect::<String>();
    let kind = rule.kind.parse().unwrap_or(RuleKind::CommandNever);
    let fields = rule.fields.as_ref().and_then(fields_of).unwrap_or_else(|| withheld(kind));
    let mut sum = Counts::default();
    for of in &rule.machines {
        add(&mut sum, &of.counts);
    }
    let ledger = RuleLedger {
        rule_id: format!("rule_{id}"),
        rule: fields,
        opportunities: opportunities(&sum),
        followed: sum.followed,
        broken: sum.broken,
        broken_present: sum.broken_present,
        broken_inferred: None,
        broken_absent: sum.broken_absent,
        broken_unknown: sum.broken_unknown,
        excepted: sum.excepted,
        predates: sum.predates,
        undecidable: sum.undecidable,
        sessions: rule.machines.iter().map(|of| of.sessions).sum(),
        tokens_per_session: rule.tokens,
        last_at: rule.machines.iter().filter_map(|of| of.last_at).max().map(time),
        guards: Vec::new(),
        project: None,
        by_version: rule
            .versions
            .into_iter()
            .map(|of| RuleWording {
                version_id: of.version,
                since: None,
                line: None,
                number: None,
                opportunities: opportunities(&of.counts),
                followed: of.counts.followed,
                broken: of.counts.broken,
                excepted: of.counts.excepted,
                undecidable: of.counts.undecidable,
            })
            .collect(),
        cases: Vec::new(),
    };
    let machines = rule.machines.into_iter().map(|of| HubRuleMachine {
        machine: of.machine,
        machine_name: of.machine_name,
        opportunities: opportunities(&of.counts),
        followed: of.counts.followed,
        broken: of.counts.broken,
        broken_present: of.counts.broken_present,
        sessions: of.sessions,
        last_at: of.last_at.map(time),
    });
    HubRuleLedger { ledger, machines: machines.collect() }
}

fn add(sum: &mut Counts, of: &Counts) {
    sum.followed += of.followed;
    sum.broken += of.broken;
    sum.broken_present += of.broken_present;
    sum.broken_unknown += of.broken_unknown;
    sum.excepted += of.excepted;
    sum.predates += of.predates;
    sum.undecidable += of.undecidable;
    for (cause, many) in &of.broken_absent {
        *sum.broken_absent.entry(cause.clone()).or_default() += many;
    }
}

/// The fields of a rule as a machine sent them; `None` where they cannot be read.
fn fields_of(packed: &PackedContent) -> Option<RuleFields> {
    let bytes = zstd::bulk::decompress(&packed.packed.0, MAX_RULE).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// A rule of which nothing but the kind is told.
fn withheld(kind: RuleKind) -> RuleFields {
    RuleFields {
        kind,
        program: None,
        arguments: Vec::new(),
        form: None,
        before: None,
        after: None,
        paths: Vec::new(),
        text: None,
        sentence: String::new(),
        source: None,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub_shared";
    name_memory() => "A memory is named STORE:PATH.",
    nothing_shared() => "The hub knows of no shared session of such a memory.",
    share_sessions() => "`retrace hub share-sessions STORE summary` shares the sessions of a store from the next sync on; the policy key `transcripts` has to allow it.",
    no_rule() => "The hub has no such rule.",
    list_rules() => "`retrace hub adherence` lists them with their ids.",
}
