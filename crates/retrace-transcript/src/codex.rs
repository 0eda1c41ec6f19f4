//! Codex rollouts: JSON lines of responses items, with the settings of each turn and the tokens of each call.
//!
//! The items of one response follow each other, with results of its tools in between. `token_usage_record` (0.169) ends it
//! with its id and usage, `token_count` in older files. The base instructions stand in `session_meta`; models of which they
//! stand among the messages too are sent them once.

mod done;
mod fork;
mod labels;

pub use fork::ForkedFrom;
pub(crate) use fork::forked_from;

use crate::account::{count, json_reason, odd};
use crate::items::{Item, RawItemUsage, item};
use crate::lenient::{Count, List, Raw, Text, lenient_object};
use crate::lines::each_line;
use crate::outcome::{exit_code, has_failed, running_in};
use crate::{
    Account, Block, BlockKind, Cause, Compaction, Done, Format, Message, MessageIndex, Oddity, Origin,
    Preamble, Reading, Request, ResultPart, Role, Segment, Session, Transcript,
};
use memchr::memmem;
use retrace_model::Timestamp;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

lenient_object! {
    struct RawLine<'a> {
        timestamp: Text<'a> = "timestamp",
        ordinal: Count = "ordinal",
        kind: Text<'a> = "type",
        payload: Raw<'a> = "payload",
    }
}

lenient_object! {
    /// The fields of every known payload together, but for those of items.
    struct RawPayload<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        cwd: Text<'a> = "cwd",
        version: Text<'a> = "cli_version",
        git: RawGit<'a> = "git",
        source: RawSource<'a> = "source",
        base_instructions: RawInstructions<'a> = "base_instructions",
        instructions: Text<'a> = "instructions",
        model: Text<'a> = "model",
        effort: Text<'a> = "effort",
        info: RawInfo<'a> = "info",
        window: Count = "model_context_window",
        message: Text<'a> = "message",
        replacement: Option<List<Raw<'a>>> = "replacement_history",
        turns: Count = "num_turns",
        session_id: Text<'a> = "session_id",
        parent_thread: Text<'a> = "parent_thread_id",
        forked_from: Text<'a> = "forked_from_id",
        forked_before: Count = "forked_from_ordinal_exclusive",
        thread: Text<'a> = "thread_id",
        response_id: Text<'a> = "response_id",
        usage: RawItemUsage<'a> = "usage",
        item: Raw<'a> = "item",
        call_id: Text<'a> = "call_id",
        exit_code: Raw<'a> = "exit_code",
        success: Raw<'a> = "success",
    }
}

lenient_object! {
    struct RawGit<'a> {
        branch: Text<'a> = "branch",
    }
}

lenient_object! {
    struct RawInstructions<'a> {
        text: Text<'a> = "text",
    }
}

lenient_object! {
    /// `source` of a subagent's rollout is an object.
    struct RawSource<'a> {
        subagent: Raw<'a> = "subagent",
    }
}

lenient_object! {
    struct RawSubagent<'a> {
        spawn: RawSpawn<'a> = "thread_spawn",
    }
}

lenient_object! {
    struct RawSpawn<'a> {
        parent_thread: Text<'a> = "parent_thread_id",
    }
}

lenient_object! {
    struct RawInfo<'a> {
        total: RawItemUsage<'a> = "total_token_usage",
        last: RawItemUsage<'a> = "last_token_usage",
        window: Count = "model_context_window",
    }
}

/// Openings of user messages that the client writes.
const CLIENT_OPENINGS: [&str; 8] = [
    "# AGENTS.md instructions",
    "<user_instructions>",
    "<environment_context>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
];

struct Reader {
    transcript: Transcript,
    model: Option<String>,
    effort: Option<String>,
    preamble: Option<usize>,
    /// Base instructions as the session's line has them.
    base: Option<String>,
    /// The home's directory, where a text tells it.
    home: Option<String>,
    /// Request whose response is being told.
    open: Option<usize>,
    /// Calls without an answer, in order: those that what is carried out may belong to.
    unanswered: Vec<String>,
    /// Calls with an answer: of one that was aborted, the end is told after it.
    answered: HashSet<String>,
    last_answered: Option<String>,
    /// Calls that failed, as the client says beside their answer or in the answer to a later call.
    failed: HashSet<String>,
    /// Calls whose command still ran when they were answered, by the number of its session.
    running: HashMap<u64, String>,
    /// Calls that go on with such a command, and the number of its session.
    going_on: HashMap<String, u64>,
    ids: HashSet<String>,
    /// True between the end of a review, which another thread made, and the message of the model that repeats what it found.
    review_ended: bool,
    /// True while the calls of the thread above are told that a subagent began with: they are none of its own.
    inherits: bool,
    /// True while the rollouts are told that a fork goes on from: no call of theirs is one of its own.
    is_above: bool,
    /// Answer of the thread above that is being told.
    inherited_answer: Option<MessageIndex>,
    /// True if a file names the thread where its own lines begin (0.169).
    names_threads: bool,
    /// Running total of the last `token_count`, by which repetitions are known.
    total: Option<u64>,
    /// True if calls end with `token_count` here; older files are without.
    ends_are_reported: bool,
    copies: usize,
}

/// Number of message indices rollbacks may copy together; a file that asks for more is not followed there.
const COPIES: usize = 4 << 20;

pub(crate) fn read(bytes: &[u8]) -> Reading {
    read_after(bytes, &[])
}

/// As [`read`], with the history of those that a fork goes on from, the first one first: each with the ordinal before which its
/// lines are of it. What is of them has no line here, and their calls are none of the fork's.
pub(crate) fn read_after(bytes: &[u8], above: &[(Vec<u8>, u64)]) -> Reading {
    let mut account = Account::default();
    let mut reader = Reader {
        transcript: Transcript {
            format: Format::CodexRollout,
            session: Session::default(),
            preambles: Vec::new(),
            messages: Vec::new(),
            segments: vec![segment(Cause::Start, Vec::new())],
            requests: Vec::new(),
            done: Vec::new(),
            folded: Vec::new(),
        },
        model: None,
        effort: None,
        preamble: None,
        base: None,
        home: None,
        open: None,
        unanswered: Vec::new(),
        answered: HashSet::new(),
        last_answered: None,
        failed: HashSet::new(),
        running: HashMap::new(),
        going_on: HashMap::new(),
        ids: HashSet::new(),
        review_ended: false,
        inherits: false,
        is_above: false,
        inherited_answer: None,
        names_threads: false,
        total: None,
        ends_are_reported: false,
        copies: 0,
    };
    for (bytes, before) in above {
        reader.read_above(bytes, *before);
    }
    let own = reader.transcript.messages.len();
    reader.begin_file(bytes);
    each_line(bytes, &mut account, |number, line, account| reader.line(number, line, account));
    reader.tell_failures();
    let mut transcript = reader.transcript;
    transcript.session.title = crate::title(&transcript.messages[own..]);
    Reading { transcripts: vec![transcript], account }
}

fn segment(cause: Cause, messages: Vec<MessageIndex>) -> Segment {
    Segment { messages, cause, dropped_results: Arc::default() }
}

impl Reader {
    /// What is told in another way by older files.
    fn begin_file(&mut self, bytes: &[u8]) {
        self.names_threads = memmem::find(bytes, br#""world_state""#).is_some();
        let ends = [&br#""last_token_usage""#[..], br#""token_usage_record""#];
        self.ends_are_reported = ends.iter().any(|mark| memmem::find(bytes, mark).is_some());
    }

    fn line(
        &mut self,
        number: u32,
        bytes: &[u8],
        account: &mut Account,
    ) -> Result<(), retrace_message::Message> {
        let raw: RawLine<'_> = serde_json::from_slice(bytes).map_err(|error| json_reason(&error))?;
        let at = raw.timestamp.as_str().and_then(|at| Timestamp::parse(at).ok());
        let session = &mut self.transcript.session;
        session.started_at = session.started_at.or(at);
        session.ended_at = at.or(session.ended_at);
        let Some(json) = raw.payload.0 else {
            count(&mut account.unknown, raw.kind.or_empty());
            return Ok(());
        };
        if raw.kind.as_str() == Some("response_item") {
            let item = item(json, account);
            self.item(number, at, item);
            return Ok(());
        }
        let payload: RawPayload<'_> = serde_json::from_str(json.get()).unwrap_or_default();
        self.inherits &= payload.thread.as_str().is_none_or(|thread| !self.is_own(thread));
        match raw.kind.or_empty() {
            "session_meta" => self.session_meta(payload, account),
            "turn_context" => {
                self.model = payload.model.into_string().or(self.model.take());
                self.effort = payload.effort.into_string();
                count(&mut account.without_context, "turn_context");
            }
            "event_msg" => self.event(number, at, &payload, account),
            "token_usage_record" => {
                count(&mut account.without_context, "token_usage_record");
                self.usage_record(at, &payload);
            }
            // Their texts stand among the messages.
            kind @ ("world_state" | "inter_agent_communication_metadata") => {
                count(&mut account.without_context, kind);
            }
            "compacted" => self.compacted(number, at, payload, account),
            kind => count(&mut account.unknown, kind),
        }
        Ok(())
    }

    fn session_meta(&mut self, payload: RawPayload<'_>, account: &mut Account) {
        count(&mut account.without_context, "session_meta");
        let is_above = payload.id.as_str().is_some_and(|id| !self.is_own(id));
        let session = &mut self.transcript.session;
        // A forked session carries its parent's line after its own.
        if session.id.is_some() {
            self.inherits = is_above && session.agent.is_some() && self.names_threads;
        } else {
            let own = payload.id.into_string();
            if let Some(subagent) = payload.source.subagent.0 {
                session.agent.clone_from(&own);
                // The first session above it, else the thread above it.
                let spawned: RawSubagent<'_> = serde_json::from_str(subagent.get()).unwrap_or_default();
                let above = [payload.session_id, payload.parent_thread, spawned.spawn.parent_thread];
                let above = above.into_iter().filter_map(Text::into_string);
                session.id = above.filter(|id| Some(id) != own.as_ref()).find(|id| !id.is_empty());
            }
            session.id = session.id.take().or(own);
            session.project = payload.cwd.into_string();
            session.branch = payload.git.branch.into_string();
            session.client_version = payload.version.into_string();
        }
        if let Some(text) =
            payload.base_instructions.text.into_string().or(payload.instructions.into_string())
        {
            self.base = Some(text.clone());
            self.begin_preamble(Preamble { system: vec![text], tools: Vec::new() });
        }
    }

    /// True for the id of the thread that the file is of.
    fn is_own(&self, thread: &str) -> bool {
        let session = &self.transcript.session;
        session.agent.as_ref().or(session.id.as_ref()).is_some_and(|own| own == thread)
    }

    /// What later requests send before their messages.
    fn begin_preamble(&mut self, preamble: Preamble) {
        if preamble == Preamble::default() {
            self.preamble = None;
            return;
        }
        let preambles = &mut self.transcript.preambles;
        self.preamble = Some(preambles.iter().rposition(|known| *known == preamble).unwrap_or_else(|| {
            preambles.push(preamble);
            preambles.len() - 1
        }));
    }

    fn preamble(&self) -> Preamble {
        let known = self.preamble.and_then(|preamble| self.transcript.preambles.get(preamble));
        known.cloned().unwrap_or_default()
    }

    fn event(&mut self, number: u32, at: Option<Timestamp>, payload: &RawPayload<'_>, account: &mut Account) {
        let kind = payload.kind.or_empty();
        count(&mut account.without_context, &format!("event_msg/{kind}"));
        let window = payload.info.window.0.or(payload.window.0);
        let session = &mut self.transcript.session;
        session.context_window = window.or(session.context_window);
        match kind {
            "token_count" => self.token_count(&payload.info),
            "exited_review_mode" => self.review_ended = true,
            "item_completed" => {
                self.review_ended |= payload.item.0.is_some_and(done::ends_review);
                let completed = payload.item.0.and_then(|item| done::completed(item, number, at));
                if let Some((id, done)) = completed {
                    self.completed(&id, done, account);
                }
            }
            // What was carried out for a call, before 0.169.
            "exec_command_end" | "patch_apply_end" => {
                let is = |raw: &Raw<'_>, value: &str| raw.0.is_some_and(|raw| raw.get() == value);
                let exited = payload.exit_code.0.is_some() && !is(&payload.exit_code, "0");
                if exited || is(&payload.success, "false") {
                    self.failed.extend(payload.call_id.as_str().map(str::to_owned));
                }
            }
            "thread_rolled_back" => self.roll_back(payload.turns.or_zero(), account),
            _ => {}
        }
    }

    fn answer(&mut self, call: &str) {
        self.unanswered.retain(|id| id != call);
        self.answered.insert(call.to_owned());
        self.last_answered = Some(call.to_owned());
    }

    /// Whose answer a call's is: of one that goes on with a command, also that of the call which began it.
    fn note_answer(&mut self, call: &str, content: &[ResultPart]) {
        if let Some(session) = running_in(content).filter(|_| !self.going_on.contains_key(call)) {
            self.running.insert(session, call.to_owned());
        }
        let ended = exit_code(content).is_some_and(|code| code != 0);
        let began = self.going_on.get(call).and_then(|session| self.running.get(session));
        self.failed.extend(began.filter(|_| ended).cloned());
        if has_failed(content) {
            self.failed.insert(call.to_owned());
        }
    }

    fn tell_failures(&mut self) {
        let blocks = self.transcript.messages.iter_mut().flat_map(|message| &mut message.blocks);
        for block in blocks {
            if let BlockKind::ToolResult { tool_use_id, is_error, .. } = &mut block.kind {
                *is_error |= self.failed.contains(tool_use_id);
            }
        }
    }

    /// What was carried out belongs to the call of its id; of a call that is code, to the one that runs or ran last.
    fn completed(&mut self, id: &str, done: Done, account: &mut Account) {
        let named = self.unanswered.iter().find(|call| *call == id).or_else(|| self.answered.get(id));
        // Of a call that is code, one part of it.
        let is_whole = named.is_some() && done.succeeded == Some(false);
        self.failed.extend(named.filter(|_| is_whole).cloned());
        let call = named.or(self.unanswered.last()).or(self.last_answered.as_ref());
        match call {
            Some(call) => self.transcript.done.push(Done { call: call.clone(), ..done }),
            None => odd(account, Oddity::CarriedOutWithoutACall),
        }
    }

    /// Usage of a response, with its id. One without items, such as an empty answer, is a request all the same.
    fn usage_record(&mut self, at: Option<Timestamp>, payload: &RawPayload<'_>) {
        if !payload.usage.is_recorded() || self.inherits || self.is_above {
            return;
        }
        if self.open.is_none() {
            self.begin_request(at, None);
        }
        let Some(request) = self.open.take().and_then(|open| self.transcript.requests.get_mut(open)) else {
            return;
        };
        request.usage = Some(payload.usage.to_usage());
        request.output_is_final = true;
        if let Some(id) = payload.response_id.as_str().filter(|id| !id.is_empty())
            && self.ids.insert(id.to_owned())
        {
            request.id = id.to_owned();
            if let Some(message) = request.response.and_then(|it| self.transcript.messages.get_mut(it)) {
                message.api_id = Some(id.to_owned());
            }
        }
    }

    /// Ends the open call. The same figures come again with news of rate limits.
    fn token_count(&mut self, info: &RawInfo<'_>) {
        if !info.last.is_recorded() || (info.total.total.0.is_some() && info.total.total.0 == self.total) {
            return;
        }
        self.total = info.total.total.0;
        if let Some(request) = self.open.take().and_then(|open| self.transcript.requests.get_mut(open)) {
            request.usage = Some(info.last.to_usage());
            request.output_is_final = true;
        }
    }

    fn item(&mut self, number: u32, at: Option<Timestamp>, item: Item) {
        if item.is_tools {
            self.open = None;
            self.begin_preamble(Preamble { tools: item.tools, ..self.preamble() });
            return;
        }
        for kind in &item.blocks {
            match kind {
                BlockKind::ToolUse { id, name, input, .. } => {
                    self.unanswered.push(id.clone());
                    let session = input["session_id"].as_u64().filter(|_| name == "write_stdin");
                    self.going_on.extend(session.map(|session| (id.clone(), session)));
                }
                BlockKind::ToolResult { tool_use_id, content, .. } => {
                    self.answer(tool_use_id);
                    self.note_answer(tool_use_id, content);
                }
                _ => {}
            }
        }
        if std::mem::take(&mut self.review_ended) && item.role == Role::Assistant {
            self.open = None;
            self.push(number, at, Item { origin: Origin::Synthetic, ..item });
            return;
        }
        if item.role == Role::Assistant {
            let response = self.response(number, at, item.id.as_deref());
            let blocks = item.blocks.into_iter().map(|kind| Block { kind, line: number });
            self.transcript.messages[response].blocks.extend(blocks);
            return;
        }
        // Results and words of other agents may come while the response is still told; what a person says cannot.
        if !self.ends_are_reported || !(item.origin == Origin::ToolResults || item.is_of_agent) {
            self.open = None;
        }
        self.inherited_answer = None;
        self.push(number, at, item);
    }

    /// The message of the response being told; begins one if there is none.
    fn response(&mut self, number: u32, at: Option<Timestamp>, id: Option<&str>) -> MessageIndex {
        if let Some(response) = self.open.and_then(|open| self.transcript.requests[open].response) {
            return response;
        }
        if let Some(answer) = self.inherited_answer.filter(|_| self.inherits || self.is_above) {
            return answer;
        }
        let item = Item::answer(id.map(str::to_owned));
        let response = self.transcript.messages.len();
        if self.inherits || self.is_above {
            self.inherited_answer = Some(response);
        } else {
            self.begin_request(at, Some(response));
        }
        self.push(number, at, item)
    }

    /// A call of the model that sends all messages up to here.
    fn begin_request(&mut self, at: Option<Timestamp>, response: Option<MessageIndex>) {
        let segment = self.transcript.segments.len() - 1;
        let upto = self.transcript.segments[segment].messages.len();
        self.open = Some(self.transcript.requests.len());
        let parameters = self.effort.as_ref().map(|effort| serde_json::json!({ "effort": effort }));
        self.transcript.requests.push(Request {
            // Ids of items are not those of responses, and may be missing.
            id: format!("request-{}", self.transcript.requests.len()),
            request_id: None,
            at,
            model: self.model.clone(),
            segment,
            upto,
            response,
            preamble: self.preamble,
            usage: None,
            output_is_final: false,
            stop_reason: None,
            applied_edits: None,
            parameters: parameters.unwrap_or(Value::Null),
        });
    }

    fn push(&mut self, number: u32, at: Option<Timestamp>, mut item: Item) -> MessageIndex {
        let index = self.transcript.messages.len();
        let is_model = item.role == Role::Assistant;
        if labels::has_base_instructions(&item) {
            let text = item.blocks.first().and_then(|block| match block {
                BlockKind::Text { text } => Some(text),
                _ => None,
            });
            // They are sent once: here.
            if text == self.base.as_ref() || text.is_none() {
                self.begin_preamble(Preamble { system: Vec::new(), ..self.preamble() });
            }
        }
        let labelled = labels::origin(&item);
        labels::attach(&mut item, &mut self.home);
        let origin = match labelled.unwrap_or(item.origin) {
            Origin::Unsaid if is_client(&item.blocks) => Origin::Client,
            Origin::Unsaid => Origin::Typed,
            reported => reported,
        };
        self.transcript.messages.push(Message {
            role: item.role,
            origin,
            blocks: item.blocks.into_iter().map(|kind| Block { kind, line: number }).collect(),
            api_id: item.id.clone().filter(|_| is_model),
            uuid: item.id,
            at,
            line: number,
        });
        if let Some(segment) = self.transcript.segments.last_mut() {
            segment.messages.push(index);
        }
        index
    }

    /// The history is replaced by what the line holds; older clients tell only the summary.
    fn compacted(
        &mut self,
        number: u32,
        at: Option<Timestamp>,
        payload: RawPayload<'_>,
        account: &mut Account,
    ) {
        self.open = None;
        let compaction = Compaction { line: number, at, ..Compaction::default() };
        self.transcript.segments.push(segment(Cause::Compacted(compaction), Vec::new()));
        let mut summary = None;
        if let Some(replacement) = &payload.replacement {
            for json in replacement.0.iter().filter_map(|json| json.0) {
                let mut item = item(json, account);
                if item.is_tools {
                    self.begin_preamble(Preamble { tools: item.tools, ..self.preamble() });
                    continue;
                }
                // Older files do not label it.
                let is_text = |block: &BlockKind| matches!(block, BlockKind::Text { text } if Some(text.as_str()) == payload.message.as_str());
                if item.role == Role::User && item.blocks.iter().any(is_text) {
                    item.origin = Origin::Summary;
                }
                let index = self.push(number, at, item);
                let is_summary = self.transcript.messages[index].origin == Origin::Summary;
                summary = if is_summary { Some(index) } else { summary };
            }
        } else {
            odd(account, Oddity::CompactionWithoutItsNewHistory);
        }
        let text = payload.message.into_string().filter(|text| !text.is_empty());
        if let (None, Some(text)) = (summary, text) {
            summary = Some(self.push(number, at, Item::summary(text)));
        }
        if let Some(Cause::Compacted(compaction)) =
            self.transcript.segments.last_mut().map(|last| &mut last.cause)
        {
            compaction.summary = summary;
        }
    }

    /// The last turns are taken back: what a person typed, and all that came of it.
    fn roll_back(&mut self, turns: u64, account: &mut Account) {
        self.open = None;
        let Some(live) = self.transcript.segments.last() else { return };
        let typed = live
            .messages
            .iter()
            .enumerate()
            .rev()
            .filter(|&(_, &index)| self.transcript.messages[index].origin == Origin::Typed);
        let Some((kept, _)) = usize::try_from(turns).ok().and_then(|turns| typed.take(turns).last()) else {
            return;
        };
        if self.copies + kept > COPIES {
            odd(account, Oddity::ForkNotFollowed);
            return;
        }
        self.copies += kept;
        let messages = live.messages[..kept].to_vec();
        self.transcript.segments.push(segment(Cause::Rewound, messages));
    }
}

fn is_client(blocks: &[BlockKind]) -> bool {
    let mut texts = blocks.iter().filter_map(|kind| match kind {
        BlockKind::Text { text } => Some(text.trim_start()),
        _ => None,
    });
    texts.next().is_some_and(|text| CLIENT_OPENINGS.iter().any(|opening| text.starts_with(opening)))
}
