//! Reviewing together: what is left on every machine, approvals, comments, contents and history of all machines.

use crate::Together;
use crate::client::HubError;
use crate::compared::Compared;
use crate::member::Member;
use crate::redactions::{Context, instant};
use crate::said;
use crate::state;
use crate::told;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_engine::Engine;
use retrace_engine::diff::diff_of;
use retrace_engine::git;
use retrace_log::{NewReview, ReviewedVersion, StoreRow};
use retrace_model::{Actor, MemoryId, RelPath, Sha256, StoreId, Timestamp, Verdict};
use retrace_sync::messages::{Done, NOT_ALLOWED, NOT_FOUND, PackedContent, REDACTED};
use retrace_sync::said::Commented;
use retrace_sync::together::{
    Approve, Approved, AskHistory, AskInbox, Comment, CommentRemoved, Decided, Decisions, HubDecision,
    HubVersionRow, Left, LeftMemory, MAX_COUNTED, OfProject, Projects, RemoveComment, RowPage, Shown,
    VersionRef, Waiting, Withdrawn,
};
use retrace_wire::{
    ApiError, Code, FileDiff, HubApproveReq, HubApproved, HubComment, HubCommentRef, HubCommentReq,
    HubDiffReq, HubHistory, HubHistoryReq, HubInbox, HubInboxReq, HubItem, HubProject, HubProjectStore,
    HubProjects, HubReview, HubShowReq, HubShown, Nothing,
};

/// Versions of a page where no number is asked for.
const PAGE: u32 = 100;

/// Memories that are told to be left, at most; of more the hub lists none.
const MAX_LEFT: usize = 100_000;

/// Raw bytes of one content, at most.
const MAX_CONTENT: usize = 64 << 20;

/// Takes reviews made at the hub into the log, and answers how many.
///
/// Those of a store that was not compared wait, with what came after them.
pub(crate) fn take_decisions(context: &Context<'_>, compared: &Compared) -> Result<u64, HubError> {
    let inner = context.together;
    let mut noted = 0;
    loop {
        let after = state::joined(inner)?.decided;
        let page: Decisions = context.hub.call("decisions", &Decided { after })?;
        let ours = page.decisions.iter().take_while(|one| compared.has(&one.store, one.local_seq));
        let Some(last) = ours.clone().last().map(|last| last.number) else { return Ok(noted) };
        for decision in ours {
            noted += u64::from(take(context, decision)?);
        }
        state::update_all(inner, |member| member.decided = last)?;
    }
}

/// True if this person is signed in on this machine.
fn is_signed_in(inner: &Engine, person: &str) -> Result<bool, ApiError> {
    let signed = state::membership(inner)?.and_then(|member| member.person_at(inner.now().micros()).cloned());
    Ok(signed.is_some_and(|signed| signed.person == person))
}

/// Notes one review with whoever made it; `false` where the log has no such version, or knows it already.
fn take(context: &Context<'_>, decision: &HubDecision) -> Result<bool, ApiError> {
    let inner = context.together;
    let (Ok(memory), Ok(store)) = (MemoryId::parse(&decision.memory), StoreId::parse(&decision.store)) else {
        return Ok(false);
    };
    // Whoever is signed in here as the one who approved is the person whose log this is.
    let is_own = decision.verified && is_signed_in(inner, &decision.person)?;
    let person =
        Actor::User { id: if is_own { inner.options.user.clone() } else { decision.person.clone() } };
    let seq = decision.local_seq;
    let note = say::approved_at_hub(&decision.by_name).text().to_string();
    inner.write(|act| {
        let reader = act.reader();
        let newest = reader.last_version()?;
        if !(1..=newest).contains(&seq) {
            return Ok(false);
        }
        let version = reader.version(seq)?;
        if version.memory != memory
            || version.store != store
            || reader.known_through(&person, memory)? >= Some(seq)
        {
            return Ok(false);
        }
        act.review(NewReview {
            person: &person,
            verdict: Verdict::Approved,
            at: Timestamp::from_micros(decision.at),
            note: Some(&note),
            operation_seq: None,
            // What came after it was not looked at.
            reviewed_versions: vec![ReviewedVersion { memory, reviewed_seq: seq, through: seq }],
        })?;
        Ok(true)
    })
}

/// Tells the hub what is left to review in a store, where that is another than it was told before.
pub(crate) fn tell_left(context: &Context<'_>, store: StoreId) -> Result<(), HubError> {
    let inner = context.together;
    let member = state::joined(inner)?;
    let known = member.stores.get(&store.to_string());
    let Some(through) = known.and_then(|known| known.sent).map(|sent| sent.local_seq) else { return Ok(()) };
    let left = inner.read(|reader| {
        let mut left = Vec::new();
        for item in reader.unreviewed(&inner.user(), Some(store))?.into_iter().take(MAX_LEFT) {
            let memory = reader.version(item.newest)?.memory.to_string();
            left.push(LeftMemory { memory, base: item.base.unwrap_or(0) });
        }
        Ok(left)
    })?;
    let request = Left { store: store.to_string(), through, left };
    let digest = serde_json::to_vec(&request).map(|bytes| Sha256::of(&bytes).to_hex()).unwrap_or_default();
    if known.and_then(|known| known.left.as_ref()) == Some(&digest) {
        return Ok(());
    }
    let _: Done = context.hub.call("left", &request)?;
    state::update(inner, store, |state| state.left = Some(digest))?;
    Ok(())
}

/// Tells the hub which imports of a store were taken back here, where that is another thing than it was told before. Where some were,
/// it is told again once more versions were sent.
pub(crate) fn tell_withdrawn(context: &Context<'_>, store: StoreId) -> Result<(), HubError> {
    let inner = context.together;
    let member = state::joined(inner)?;
    let known = member.stores.get(&store.to_string());
    let Some(sent) = known.and_then(|known| known.sent) else { return Ok(()) };
    let operations = inner.read(|reader| Ok(reader.withdrawn_imports(store)?))?;
    let told = match operations.is_empty() {
        true => None,
        false => {
            let text = format!("{} {operations:?}", sent.local_seq);
            Some(Sha256::of(text.as_bytes()).to_hex())
        }
    };
    if known.and_then(|known| known.withdrawn.as_ref()) == told.as_ref() {
        return Ok(());
    }
    match context.hub.call::<Done>("withdrawn", &Withdrawn { store: store.to_string(), operations }) {
        // A hub that is older lists them as before.
        Err(HubError::Refused { kind, .. }) if kind == NOT_FOUND => return Ok(()),
        answer => answer?,
    };
    state::update(inner, store, |state| state.withdrawn = told)?;
    Ok(())
}

/// Tells the hub of which project a store is, once: a hash of its repository's remote, and the repository's name.
pub(crate) fn tell_project(context: &Context<'_>, store: &StoreRow) -> Result<(), HubError> {
    let inner = context.together;
    let member = state::joined(inner)?;
    let known = member.stores.get(&store.id.to_string());
    if known.is_none_or(|known| known.sent.is_none() || known.project.is_some()) {
        return Ok(());
    }
    let remote = remote_of(context.together, store);
    // The same repository is written in more than one way; its name keeps its case, in which a redaction looks for it.
    let told = remote.as_ref().map(|remote| Sha256::of(remote.to_lowercase().as_bytes()).to_hex());
    let name = remote.as_deref().and_then(|remote| remote.rsplit('/').next()).unwrap_or_default().to_owned();
    let request = OfProject { store: store.id.to_string(), remote: told.clone(), name };
    let _: Done = context.hub.call("of_project", &request)?;
    state::update(inner, store.id, |state| state.project = Some(told.unwrap_or_default()))?;
    Ok(())
}

/// The remote of the repository that a store's memory is about, written in one way but for its case: host and path, without user,
/// scheme and `.git`.
fn remote_of(together: &Together, store: &StoreRow) -> Option<String> {
    if !store.has_directory() {
        return None;
    }
    let root = retrace_engine::root_of(store);
    let project = together.discovered(&root).and_then(|found| found.project).unwrap_or(root);
    let mut git = git::command(&project);
    git.args(["config", "--get", "remote.origin.url"]);
    let output = git.output().ok().filter(|output| output.status.success())?;
    normal_remote(&String::from_utf8_lossy(&output.stdout))
}

fn normal_remote(remote: &str) -> Option<String> {
    let remote = remote.trim();
    let remote = match remote.split_once("://") {
        Some((_, rest)) => rest.to_owned(),
        // As ssh takes it: user@host:path.
        None => remote.replacen(':', "/", 1),
    };
    let remote = remote.rsplit_once('@').map_or(remote.as_str(), |(_, rest)| rest);
    let remote = remote.trim_end_matches('/').trim_end_matches(".git");
    (!remote.is_empty()).then(|| remote.to_owned())
}

/// What waits at the hub.
pub(crate) fn waiting(context: &Context<'_>) -> Result<Waiting, HubError> {
    context.hub.call("waiting", &Done {})
}

fn item(version: HubVersionRow) -> HubItem {
    let HubVersionRow { id, row, project, reviewed, comments } = version;
    let path = row.path.and_then(|path| RelPath::from_bytes(path.0).ok());
    HubItem {
        id,
        machine: row.machine,
        machine_name: row.machine_name,
        store: row.store,
        store_name: row.store_name,
        project,
        seq: row.seq,
        memory: row.memory,
        path: path.map(|path| path.to_text()),
        content_sha256: row.content_sha256,
        content_size_bytes: row.size,
        content: row.content,
        operation: row.operation,
        source: row.source,
        created_at: instant(row.created_at),
        reviewed,
        comments,
        undone: row.undone,
    }
}

/// A page of what nobody reviewed, of every machine whose contents this one may read.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such machine, `invalid`, `store_unavailable`, `key_refused`.
pub fn hub_inbox(member: &Member, request: HubInboxReq) -> Result<HubInbox, ApiError> {
    let hub = member.hub()?;
    let HubInboxReq { after, limit, machine } = request;
    let asked = AskInbox { after, limit: u64::from(limit.unwrap_or(PAGE)), machine };
    let page: RowPage = hub.ask("inbox", &asked)?;
    let items = page.versions.into_iter().map(item).collect();
    Ok(HubInbox {
        items,
        next: page.next,
        total: page.total.map(|total| total.min(MAX_COUNTED)),
        total_is_least: page.total.is_some_and(|total| total > MAX_COUNTED),
    })
}

/// A page of the versions of a memory on all machines that have its store, or a store of its project.
///
/// # Errors
/// `invalid` for what names no memory, `not_found` when no hub is joined or it has no such memory, `store_unavailable`, `key_refused`.
pub fn hub_history(member: &Member, request: HubHistoryReq) -> Result<HubHistory, ApiError> {
    let hub = member.hub()?;
    let bad = || ApiError::invalid(say::name_memory(), &request.memory);
    let (store, path) = request.memory.split_once(':').ok_or_else(bad)?;
    // The API writes a slash before each path.
    let path = RelPath::parse(path.strip_prefix('/').unwrap_or(path)).map_err(|_| bad())?;
    let asked = AskHistory {
        store: store.to_owned(),
        path: retrace_sync::messages::Bytes(path.as_bytes().to_vec()),
        after: request.after,
        limit: u64::from(request.limit.unwrap_or(PAGE)),
    };
    let is_first = asked.after.is_none();
    let page: RowPage = hub.ask("history", &asked)?;
    if is_first && page.versions.is_empty() {
        return Err(
            ApiError::new(Code::NotFound, say::no_such_memory(), &request.memory).hint(say::check_memory())
        );
    }
    Ok(HubHistory { versions: page.versions.into_iter().map(item).collect(), next: page.next })
}

fn unpacked(content: &PackedContent) -> Result<Vec<u8>, ApiError> {
    let size = usize::try_from(content.size).unwrap_or(usize::MAX).min(MAX_CONTENT);
    let bytes = zstd::bulk::decompress(&content.packed.0, size).ok();
    bytes.filter(|bytes| Sha256::of(bytes) == content.sha256).ok_or_else(|| {
        ApiError::new(Code::Internal, say::content_altered(), content.sha256.to_hex())
            .hint(say::ask_operator())
    })
}

fn fetch(member: &Member, version: &str, content: bool) -> Result<Shown, ApiError> {
    let hub = member.hub()?;
    let asked = VersionRef { version: version.to_owned(), content };
    hub.ask_about("show", &asked, &asked.version)
}

/// A version of any machine with its comments and reviews, and with its content where that is asked for.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such version, `key_refused` for a content that this role does not read,
/// `store_unavailable`.
pub fn hub_show(member: &Member, request: HubShowReq) -> Result<HubShown, ApiError> {
    let shown = fetch(member, &request.version, request.content)?;
    let bytes = shown.content.as_ref().map(unpacked).transpose()?;
    let path = shown.version.row.path.as_ref().map(|path| String::from_utf8_lossy(&path.0).into_owned());
    let findings = match (path, &bytes) {
        (Some(path), Some(bytes)) => member.findings(&path, bytes),
        _ => Vec::new(),
    };
    let (text, content_base64) = match bytes.map(String::from_utf8) {
        None => (None, None),
        Some(Ok(text)) => (Some(text), None),
        Some(Err(error)) => (None, Some(STANDARD.encode(error.as_bytes()))),
    };
    let comments = shown.comments.into_iter().map(|comment| HubComment {
        number: comment.number,
        text: comment.text,
        person: comment.person,
        verified: comment.verified,
        machine_name: comment.by_name,
        created_at: instant(comment.at),
        removable: comment.removable,
    });
    let reviews = shown.reviews.into_iter().map(|review| HubReview {
        verdict: review.verdict,
        person: review.person,
        verified: review.verified,
        machine_name: review.by_name,
        created_at: instant(review.at),
    });
    Ok(HubShown {
        version: item(shown.version),
        text,
        content_base64,
        before: shown.before,
        comments: comments.collect(),
        reviews: reviews.collect(),
        findings,
    })
}

/// The difference of two versions of any machines, or of one and the version before it.
///
/// # Errors
/// As [`hub_show`]; `content_redacted` for a redacted one, `not_found` where the hub has no content.
pub fn hub_diff(member: &Member, request: HubDiffReq) -> Result<FileDiff, ApiError> {
    let (from, to) = match &request.b {
        Some(b) => (Some(fetch(member, &request.a, true)?), fetch(member, b, true)?),
        None => {
            let to = fetch(member, &request.a, true)?;
            let before = to.before.as_deref().map(|before| fetch(member, before, true));
            (before.transpose()?, to)
        }
    };
    let before = from.as_ref().map(bytes_of).transpose()?.flatten();
    let after = bytes_of(&to)?.unwrap_or_default();
    let row = &to.version.row;
    let path = row.path.clone().and_then(|path| RelPath::from_bytes(path.0).ok());
    let (store, path) = StoreId::parse(&row.store).ok().zip(path).ok_or_else(redacted_at(&to))?;
    let mut diff = diff_of(store, &path, before, after);
    diff.live = false;
    diff.to.version_id = Some(to.version.id);
    diff.from.version_id = from.map(|from| from.version.id);
    Ok(diff)
}

fn redacted_at(shown: &Shown) -> impl FnOnce() -> ApiError + '_ {
    || {
        let error = ApiError::new(Code::ContentRedacted, say::redacted(), &shown.version.id);
        error.hint(crate::client::hint(REDACTED))
    }
}

/// The content of a version; `None` for a deletion.
fn bytes_of(shown: &Shown) -> Result<Option<Vec<u8>>, ApiError> {
    match (&shown.content, shown.version.row.content.as_str()) {
        (Some(content), _) => unpacked(content).map(Some),
        (None, "none") => Ok(None),
        (None, "redacted") => Err(redacted_at(shown)()),
        (None, _) => {
            Err(ApiError::new(Code::NotFound, say::no_content(), &shown.version.id)
                .hint(say::why_no_content()))
        }
    }
}

/// Approves versions of any machine, for everybody.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such version, `key_refused`, `store_unavailable`.
pub fn hub_approve(member: &Member, request: HubApproveReq) -> Result<HubApproved, ApiError> {
    let hub = member.hub()?;
    let asked = Approve { versions: request.versions, person: member.person() };
    let approved: Approved = hub.ask_about("approve", &asked, &asked.versions.join(" "))?;
    if let Some(inner) = member.engine() {
        // The approval stands. Without this note it is not made again where the hub loses it.
        drop(told::note_approved(inner, &asked.versions));
    }
    Ok(HubApproved { memories: approved.memories })
}

/// Comments on a version of any machine.
///
/// # Errors
/// As [`hub_approve`]; `invalid` for an empty comment, `content_redacted` for one that holds what was redacted on this machine.
pub fn hub_comment(member: &Member, request: HubCommentReq) -> Result<HubShown, ApiError> {
    let hub = member.hub()?;
    let HubCommentReq { version, text } = request;
    member.refuse_redacted("text", Some(&text))?;
    let asked = Comment { version: version.clone(), text, person: member.person() };
    let made: Commented = hub.ask_about("comment", &asked, &version)?;
    if let (Some(inner), Some(comment)) = (member.engine(), made.comment) {
        // It is at the hub, whether it can be remembered here or not.
        drop(said::note_comment(inner, comment, &version));
    }
    hub_show(member, HubShowReq { version, content: false })
}

/// Removes a comment: one's own, or any where an owner asks.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such comment, `key_refused` for a comment of somebody else, `store_unavailable`.
pub fn hub_remove_comment(member: &Member, request: HubCommentRef) -> Result<HubShown, ApiError> {
    let hub = member.hub()?;
    let removed = hub.call("remove_comment", &RemoveComment { number: request.number });
    let removed: CommentRemoved = match removed {
        Err(HubError::Refused { kind, .. }) if kind == NOT_ALLOWED => {
            let subject = request.number.to_string();
            return Err(
                ApiError::new(Code::KeyRefused, own::not_yours(), subject).hint(own::ask_who_wrote_it())
            );
        }
        answer => hub
            .answered("remove_comment", answer)
            .map_err(|error| hub.about("remove_comment", error, &request.number.to_string()))?,
    };
    if let Some(inner) = member.engine() {
        // What is removed is not missed later; where that is not noted, it is told as lost at worst.
        drop(said::forget_comment(inner, request.number));
    }
    hub_show(member, HubShowReq { version: removed.version, content: false })
}

/// Projects, and the stores that each has on every machine.
///
/// # Errors
/// `not_found` when no hub is joined, `store_unavailable`, `key_refused`.
pub fn hub_projects(member: &Member, _: Nothing) -> Result<HubProjects, ApiError> {
    let hub = member.hub()?;
    let list: Projects = hub.ask("projects", &Done {})?;
    let store = |store: retrace_sync::together::ProjectStore| HubProjectStore {
        machine: store.machine,
        machine_name: store.machine_name,
        store: store.store,
        store_name: store.store_name,
    };
    let project = |project: retrace_sync::together::Project| HubProject {
        id: project.id,
        name: project.name,
        stores: project.stores.into_iter().map(store).collect(),
    };
    Ok(HubProjects { projects: list.projects.into_iter().map(project).collect() })
}

retrace_message::messages! {
    /// What is said of comments of others.
    mod own in "hub_comments";
    not_yours() => "A comment is removed by whoever wrote it, or by an owner.",
    ask_who_wrote_it() => "Ask whoever wrote it, or an owner, to remove it.",
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "hub_review";
    approved_at_hub(machine) => "approved at the hub, on {machine}",
    name_memory() => "Name a memory as STORE:PATH.",
    content_altered() => "The content from the hub does not have its hash.",
    ask_operator() => "Ask the hub's operator.",
    redacted() => "The version was redacted.",
    no_content() => "The hub does not have this content.",
    why_none() => "Its store sends no content, or it expired.",
    why_no_content() => "Its store sends no content, it holds what was redacted on its machine, or it expired.",
    no_such_memory() => "The hub has no version of this memory.",
    check_memory() => "Check store and path; what a machine has not sent yet is not there either.",
}

#[cfg(test)]
mod tests {
    use super::normal_remote;

    #[test]
    fn one_remote_is_written_in_one_way() {
        let same = [
            "https://Example.com/team/notes.git\n",
            "ssh://git@example.com/team/notes",
            "git@example.com:team/notes.git",
            "https://user:token@example.com/team/notes/",
        ];
        for remote in same {
            let told = normal_remote(remote).map(|remote| remote.to_lowercase());
            assert_eq!(told.as_deref(), Some("example.com/team/notes"), "{remote}");
        }
        assert_eq!(
            normal_remote("git@example.com:Team/Notes.git").as_deref(),
            Some("example.com/Team/Notes")
        );
        assert_eq!(normal_remote("\n"), None);
    }
}
