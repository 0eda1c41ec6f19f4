//! Joining, leaving, choosing, listing.

use crate::acts;
use crate::client::{Hub, HubError};
use crate::member::Member;
use crate::people::shown_person;
use crate::policy::{asked_view, role_of, shown_role};
use crate::said;
use crate::state::{self, Membership};
use crate::sync::waiting_view;
use crate::told;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_engine::{Engine, asked};
use retrace_model::{RelPath, Timestamp};
use retrace_outbound::Cancel;
use retrace_sync::messages::{
    Bytes, Done, Join, Joined, LAST_OWNER, ListVersions, ListedVersion, NOT_ALLOWED, NOT_REGISTERED,
    NewToken, REPEATED, Token, UNAVAILABLE, VersionPage,
};
use retrace_sync::sign::join_text;
use retrace_wire::{
    ApiError, Code, HubAcceptReq, HubBackground, HubFault, HubJoinReq, HubLeaveReq, HubProblem, HubRole,
    HubSend, HubSendReq, HubShare, HubStatus, HubStore, HubToken, HubTokenReq, HubVersion, HubVersions,
    HubVersionsReq, HubWaiting, Nothing, Store, StoreRef,
};
use std::sync::Arc;

/// Versions of a page where no number is asked for.
const PAGE: u32 = 500;

/// The hub that this machine joined, and what each store may send to it. A machine calls nobody for it; a window asks its hub.
///
/// # Errors
/// A failure of the log, or of the file of the membership; of a window, that it has ended.
pub fn hub_status(member: &Member, _: Nothing) -> Result<HubStatus, ApiError> {
    member.status()
}

/// The same, of a machine.
pub(crate) fn status(inner: &Arc<Engine>) -> Result<HubStatus, ApiError> {
    let membership = state::membership(inner)?;
    let member = membership.as_ref();
    let now = inner.now().micros();
    let asked = asked::read(&inner.options.data_dir)?;
    let stores = inner.read(|reader| Ok(reader.stores()?))?;
    let stores = stores.into_iter().filter(|store| store.removed_at.is_none()).map(|store| {
        let state = member.and_then(|member| member.stores.get(&store.id.to_string()));
        let sent = state.and_then(|state| state.sent);
        HubStore {
            store_id: store.id.to_string(),
            name: store.name,
            send: member.map_or(HubSend::Nothing, |member| member.send_of(store.id)),
            chosen: state.is_some_and(|state| state.send.is_some()),
            acknowledged: sent.map_or(0, |sent| sent.seq),
            head: sent.map(|sent| sent.digest.to_hex()),
            signed_at: sent.map(|sent| Timestamp::from_micros(sent.at).to_rfc3339()),
            accept_proposals: state.is_some_and(|state| state.accept_proposals),
            share: state.and_then(|state| state.share).filter(|share| *share != HubShare::Nothing),
        }
    });
    Ok(HubStatus {
        url: member.map(|member| member.url.clone()),
        org: member.map(|member| member.org.clone()),
        machine: member.map(|member| member.machine.clone()),
        name: member.map(|member| member.name.clone()),
        role: member.map(|member| shown_role(&member.role)),
        send: member.map_or(HubSend::Nothing, |member| member.send),
        stores: stores.collect(),
        background: member.map(background).unwrap_or_default(),
        waiting: member.and_then(waiting),
        signed_in: member.and_then(|member| member.person_at(now)).cloned().map(shown_person),
        asked: asked.as_ref().map(asked_view),
        window: None,
        not_told: None,
        lost: match member {
            Some(_) => said::lost(inner)?,
            None => Vec::new(),
        },
        acts_lost: match member {
            Some(_) => acts::lost(inner)?,
            None => Vec::new(),
        },
    })
}

/// What waited at the hub. A copy hears of itself by its own sync.
fn waiting(member: &Membership) -> Option<HubWaiting> {
    let waiting = waiting_view(member.waiting.as_ref()?);
    Some(if member.forked { HubWaiting { copy: None, ..waiting } } else { waiting })
}

fn background(member: &Membership) -> HubBackground {
    let last = member.last.as_ref();
    let instant = |micros: i64| Timestamp::from_micros(micros).to_rfc3339();
    HubBackground {
        on: member.background,
        last_at: last.map(|last| instant(last.at)),
        went_well: last.map(|last| last.went_well),
        problem: last.and_then(|last| last.problem.clone()),
        next_at: last.and_then(|last| last.next_at).map(instant),
    }
}

/// Says whether proposals for a store are carried out without being accepted one by one.
///
/// # Errors
/// `not_found` when no hub is joined, or there is no such store; `cannot_write`.
pub fn hub_accept(inner: &Arc<Engine>, request: HubAcceptReq) -> Result<HubStatus, ApiError> {
    let store = inner.read(|reader| inner.store_named(reader, &request.store))?;
    if request.accept && store.removed_at.is_some() {
        return Err(
            ApiError::invalid(list::off_the_list(&store.name), &request.store).hint(list::add_again())
        );
    }
    state::update(inner, store.id, |state| state.accept_proposals = request.accept)?;
    inner.stores_changed();
    status(inner)
}

/// Takes a store off the list. Its history stays in the log, and adding the directory again brings it back. Proposals for it are not
/// carried out without being accepted any more, also when it comes back.
///
/// # Errors
/// `not_found` when there is no such store, `cannot_write`.
pub fn remove_store(inner: &Arc<Engine>, request: StoreRef) -> Result<Store, ApiError> {
    let named = inner.read(|reader| Ok(inner.store_named(reader, &request.store)?.id))?;
    let store = retrace_engine::stores::remove_store(inner, request)?;
    let id = named.to_string();
    let accepts = |member: &Membership| member.stores.get(&id).is_some_and(|state| state.accept_proposals);
    // A membership that cannot be read switches nothing on either.
    if state::membership(inner).ok().flatten().is_some_and(|member| accepts(&member)) {
        state::update(inner, named, |state| state.accept_proposals = false)?;
    }
    Ok(store)
}

/// Joins a hub. Nothing of a memory is sent by it.
///
/// # Errors
/// `invalid` for what is no address or where a hub is joined already, `store_unavailable` when it is not reached, `key_refused`
/// for a token that it does not take.
pub fn hub_join(member: &Member, request: HubJoinReq) -> Result<HubStatus, ApiError> {
    let Some(inner) = member.engine() else {
        return Err(ApiError::invalid(say::signed_in_already(), "hub").hint(say::sign_out_first()));
    };
    if let Some(member) = state::membership(inner)? {
        return Err(ApiError::invalid(say::joined_already(), member.url).hint(say::leave_first()));
    }
    let url = request.url.trim().trim_end_matches('/').to_owned();
    let token = request.token.trim().to_owned();
    let name = request.name.filter(|name| !name.trim().is_empty());
    // Without one, the name that it had before it left.
    let name = name.map_or_else(|| acts::name(inner), |name| Ok(Some(name)))?;
    let name = name.unwrap_or_else(|| machine_name(inner));
    let newest = inner.read(|reader| Ok(reader.receipts()?.first().map(|row| row.id.to_string())))?;
    let ask = || ask_to_join(inner, &url, &token, &name, request.certificates.as_deref());
    let joined = match ask() {
        // An owner removed the machine of this key, which is never taken again: it joins as another one.
        Err(HubError::Refused { kind, .. }) if kind == NOT_ALLOWED => {
            state::forget_key(inner)?;
            ask()
        }
        answer => answer,
    };
    let joined = joined.map_err(|error| error.of_joining(&url))?;
    told::forget(inner)?;
    said::forget(inner)?;
    // What was chosen before it left holds until another choice is made: nothing more leaves this machine by joining again.
    let choices = state::choices(inner)?;
    state::begin(
        inner,
        &Membership {
            url,
            org: joined.org,
            machine: joined.machine,
            name: joined.name.unwrap_or(name),
            role: joined.role,
            hub_key: STANDARD.encode(joined.hub_key.0),
            certificates: request.certificates,
            send: request.send.or(choices.send).unwrap_or(HubSend::Everything),
            stores: choices.stores(),
            background: false,
            last: None,
            waiting: None,
            // What was redacted before is looked for as well: it may stand on other machines, or under an earlier identity of this one.
            search_all: newest.is_some(),
            searched: Some(newest.unwrap_or_default()),
            lost_at: None,
            decided: 0,
            shared: None,
            person: None,
            told: None,
            forked: false,
        },
    )?;
    inner.stores_changed();
    status(inner)
}

/// Asks a hub to register the machine of the key that is here; one is made where none is.
fn ask_to_join(
    inner: &Arc<Engine>,
    url: &str,
    token: &str,
    name: &str,
    certificates: Option<&str>,
) -> Result<Joined, HubError> {
    let key = state::machine_key(inner)?;
    let public = key.public();
    let signature = Bytes(key.sign(&join_text(token, &public)));
    let (token, name) = (token.to_owned(), name.to_owned());
    let join = Join { token, public_key: Bytes(public), signature, name };
    let (hub, _) = Hub::at(inner, url, certificates, key, &Cancel::new(), None)?;
    hub.send("join", &join, false)
}

/// A name for people: the host's, or the person's.
fn machine_name(inner: &Engine) -> String {
    let from_file = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let host = from_file.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    host.unwrap_or_else(|| inner.options.user.clone())
}

/// Leaves the hub. What was sent stays there; an unreachable hub is left all the same, and the answer says that it was not told.
/// Leaving once more tells it then. With a new identity, a machine whose log forked
/// leaves the membership to the other copy, whose it is as well; where no hub is joined, the key alone goes.
///
/// # Errors
/// `not_found` when no hub is joined, `cannot_write`, `invalid` for the last owner's machine.
pub fn hub_leave(member: &Member, request: HubLeaveReq) -> Result<HubStatus, ApiError> {
    let Some(inner) = member.engine() else {
        let _: Done = member.hub()?.ask("leave", &Done {})?;
        return Ok(nobody());
    };
    let joined = match (state::membership(inner)?, state::left(inner)?) {
        (Some(joined), _) => joined,
        // Left before, and the hub is to be told now.
        (None, Some(left)) => left,
        (None, None) if request.new_identity => {
            state::forget_key(inner)?;
            return status(inner);
        }
        (None, None) => state::joined(inner)?,
    };
    let is_shared = request.new_identity && joined.forked;
    let not_told = match is_shared {
        true => None,
        false => match not_told(inner, &joined, request.new_identity) {
            // It left here before: what the hub wants first can be done on another machine alone.
            Err(error) if error.code == Code::Invalid && state::membership(inner)?.is_none() => {
                return Err(error.hint(say::owner_left_before()));
            }
            answer => answer?,
        },
    };
    acts::keep_name(inner, &joined)?;
    state::forget(inner, request.new_identity, not_told.as_ref().map(|_| &joined))?;
    asked::forget(inner)?;
    inner.stores_changed();
    Ok(HubStatus { not_told, ..status(inner)? })
}

/// Tells a hub that this machine leaves it; answers why it does not know it then, and what to do. The last owner's machine stays.
fn not_told(
    inner: &Arc<Engine>,
    joined: &Membership,
    new_identity: bool,
) -> Result<Option<HubProblem>, ApiError> {
    let cancel = Cancel::new();
    let told = state::machine_key(inner)
        .map_err(HubError::Here)
        .and_then(|key| Hub::joined(inner, joined, key, &cancel))
        .and_then(|hub| hub.call::<Done>("leave", &Done {}));
    let error = match told {
        Ok(Done {}) => return Ok(None),
        Err(error) if error.is(LAST_OWNER) => return Err(error.api(&joined.url)),
        // It does not know this machine any more, or carried out the same request before.
        Err(error) if error.is(NOT_REGISTERED) || error.is(REPEATED) => return Ok(None),
        Err(error) => error,
    };
    let code = match &error {
        HubError::Refused { kind, .. } if kind != UNAVAILABLE => HubFault::Refused,
        _ => HubFault::Unreachable,
    };
    let cause = error.api(&joined.url).message;
    let hint = match new_identity {
        true => say::owner_removes(&joined.machine),
        false => say::leave_again(&joined.machine),
    };
    Ok(Some(HubProblem { code, store_id: None, message: say::left_untold(&joined.url, cause), hint }))
}

/// Chooses what a store may send from now on. What was sent stays at the hub.
///
/// # Errors
/// `not_found` when no hub is joined, or there is no such store.
pub fn hub_send(inner: &Arc<Engine>, request: HubSendReq) -> Result<HubStatus, ApiError> {
    match request.store {
        Some(name) => {
            let store = inner.read(|reader| Ok(inner.store_named(reader, &name)?.id))?;
            state::update(inner, store, |state| state.send = Some(request.send))?;
        }
        None => state::update_all(inner, |member| member.send = request.send)?,
    }
    inner.stores_changed();
    status(inner)
}

/// What is told of a member where there is none.
pub(crate) fn nobody() -> HubStatus {
    HubStatus {
        url: None,
        org: None,
        machine: None,
        name: None,
        role: None,
        send: HubSend::Nothing,
        stores: Vec::new(),
        background: HubBackground::default(),
        waiting: None,
        signed_in: None,
        asked: None,
        window: None,
        not_told: None,
        lost: Vec::new(),
        acts_lost: Vec::new(),
    }
}

/// A page of the versions of all machines at the hub.
///
/// # Errors
/// `not_found` when no hub is joined, `store_unavailable`, `key_refused`.
pub fn hub_versions(member: &Member, request: HubVersionsReq) -> Result<HubVersions, ApiError> {
    let hub = member.hub()?;
    let ask = ListVersions { after: request.after, limit: u64::from(request.limit.unwrap_or(PAGE)) };
    let page: VersionPage = hub.ask("versions", &ask)?;
    Ok(HubVersions { versions: page.versions.into_iter().map(shown).collect(), next: page.next })
}

fn shown(version: ListedVersion) -> HubVersion {
    let path = version.path.and_then(|path| RelPath::from_bytes(path.0).ok());
    HubVersion {
        machine: version.machine,
        machine_name: version.machine_name,
        store: version.store,
        store_name: version.store_name,
        seq: version.seq,
        path: path.map(|path| path.to_text()),
        content_sha256: version.content_sha256,
        content_size_bytes: version.size,
        content: version.content,
        operation: version.operation,
        source: version.source,
        created_at: Timestamp::from_micros(version.created_at).to_rfc3339(),
        undone: version.undone,
    }
}

/// Makes a one-time token with which one more machine joins.
///
/// # Errors
/// `not_found` when no hub is joined, `key_refused` on a machine that is not an owner's.
pub fn hub_token(member: &Member, request: HubTokenReq) -> Result<HubToken, ApiError> {
    let hub = member.hub()?;
    let asked = request.role.unwrap_or(if request.owner { HubRole::Owner } else { HubRole::Writer });
    let role = role_of(asked).to_string();
    let made: Token = hub.ask("token", &NewToken { role })?;
    let expires_at = Timestamp::from_micros(made.expires_at).to_rfc3339();
    Ok(HubToken { token: made.token, role: made.role, expires_at })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub";
    joined_already() => "This machine joined a hub already.",
    leave_first() => "`retrace hub leave` leaves it.",
    signed_in_already() => "Somebody is signed in in this window already.",
    left_untold(url, cause) => "This machine left the hub {url} here, and the hub was not told: its members list still has it. {cause}",
    leave_again(machine) => "Run `retrace hub leave` once more when the hub is reached, or an owner takes this machine out: `retrace hub remove {machine}`.",
    owner_removes(machine) => "An owner takes this machine out: `retrace hub remove {machine}`. Its key is gone here, so it cannot tell the hub itself.",
    owner_left_before() => "This machine left here before, so it gives no roles. Whoever runs the hub makes a token with `retrace hub serve --new-owner-token`: join with it here or on another machine, then leave again.",
    sign_out_first() => "Sign out first.",
}

retrace_message::messages! {
    /// Messages about stores off the list.
    mod list in "hub_list";
    off_the_list(store) => "\"{store}\" was taken off the list: nothing is carried out in it.",
    add_again() => "`retrace stores add DIRECTORY` brings it back.",
}
