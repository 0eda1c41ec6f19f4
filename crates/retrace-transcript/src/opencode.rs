//! opencode sessions (1.18) in the form of its own export: one JSON document with `info` of the session and `messages`, each with
//! `info` and `parts`; or these one a line, which is the form that a session of its database is read in.
//!
//! A message of the model holds one call or several: each ends with a part `step-finish`, which has its tokens. Results of
//! tools stand in the part of their call. System prompt, tools and instructions are not recorded.
//!
//! A compaction is a message of the user with a part `compaction` and an answer that names it (`parentID`) with `summary`, made
//! by a call of its own that gets what it sums up as one text, long results cut. From then on the model sees these two, then what was
//! kept (from `tail_start_id`), then what follows. Sources: the program (1.18.33) and its public source text, `compaction.ts` and
//! `message-v2.ts`.

mod view;

use crate::account::{count, odd};
use crate::documents::each_document;
use crate::lenient::{Count, Flag, List, Raw, Text, lenient_object};
use crate::media::{from_url, referred};
use crate::{
    Account, Block, BlockKind, Cause, Compaction, Done, DoneWhat, Format, MediaKind, Message, MessageIndex,
    MicroDollars, Oddity, Origin, Reading, Request, ResultPart, Role, Segment, Session, Transcript, Usage,
};
use retrace_model::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use view::{Ask, Entry};

lenient_object! {
    struct RawExport<'a> {
        info: Raw<'a> = "info",
        messages: Option<List<RawMessage<'a>>> = "messages",
        parts: Option<List<Raw<'a>>> = "parts",
    }
}

lenient_object! {
    struct RawSession<'a> {
        id: Text<'a> = "id",
        parent: Text<'a> = "parentID",
        root: Text<'a> = "rootID",
        directory: Text<'a> = "directory",
        title: Text<'a> = "title",
        version: Text<'a> = "version",
        time: RawTime<'a> = "time",
        cost: Raw<'a> = "cost",
    }
}

lenient_object! {
    struct RawTime<'a> {
        created: Count = "created",
        updated: Count = "updated",
        completed: Count = "completed",
        compacted: Count = "compacted",
        start: Count = "start",
        end: Count = "end",
    }
}

lenient_object! {
    struct RawMessage<'a> {
        info: RawInfo<'a> = "info",
        parts: List<Raw<'a>> = "parts",
    }
}

lenient_object! {
    struct RawInfo<'a> {
        id: Text<'a> = "id",
        role: Text<'a> = "role",
        parent: Text<'a> = "parentID",
        error: Raw<'a> = "error",
        model: Text<'a> = "modelID",
        time: RawTime<'a> = "time",
        tokens: RawTokens<'a> = "tokens",
        cost: Raw<'a> = "cost",
        finish: Text<'a> = "finish",
        summary: Flag = "summary",
    }
}

lenient_object! {
    struct RawError<'a> {
        name: Text<'a> = "name",
    }
}

lenient_object! {
    struct RawTokens<'a> {
        input: Count = "input",
        output: Count = "output",
        reasoning: Count = "reasoning",
        cache: RawCache<'a> = "cache",
    }
}

lenient_object! {
    struct RawCache<'a> {
        read: Count = "read",
        write: Count = "write",
    }
}

lenient_object! {
    /// The fields of every part together.
    struct RawPart<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        synthetic: Flag = "synthetic",
        ignored: Flag = "ignored",
        call: Text<'a> = "callID",
        tool: Text<'a> = "tool",
        state: RawState<'a> = "state",
        mime: Text<'a> = "mime",
        url: Text<'a> = "url",
        tokens: RawTokens<'a> = "tokens",
        cost: Raw<'a> = "cost",
        reason: Text<'a> = "reason",
        tail: Text<'a> = "tail_start_id",
        overflow: Flag = "overflow",
        auto: Flag = "auto",
    }
}

lenient_object! {
    struct RawState<'a> {
        status: Text<'a> = "status",
        input: Raw<'a> = "input",
        output: Text<'a> = "output",
        error: Text<'a> = "error",
        metadata: RawMetadata<'a> = "metadata",
        time: RawTime<'a> = "time",
    }
}

lenient_object! {
    struct RawMetadata<'a> {
        exit: Count = "exit",
    }
}

lenient_object! {
    struct RawShell<'a> {
        command: Text<'a> = "command",
        directory: Text<'a> = "workdir",
    }
}

impl RawTokens<'_> {
    fn is_recorded(&self) -> bool {
        self.input.0.is_some()
    }

    /// Input is what was neither read from nor written to the cache. Reasoning is billed as output and not in it.
    fn to_usage(&self) -> Usage {
        let reasoning = self.reasoning.or_zero();
        Usage {
            input: self.input.or_zero(),
            cache_creation: self.cache.write.or_zero(),
            cache_read: self.cache.read.or_zero(),
            output: self.output.or_zero().saturating_add(reasoning),
            reasoning: Some(reasoning).filter(|reasoning| *reasoning > 0),
            ..Usage::default()
        }
    }
}

/// The tool that runs commands.
const SHELL: &str = "bash";

/// Parts that the model does not see.
const WITHOUT_CONTEXT: [&str; 6] = ["step-start", "snapshot", "patch", "retry", "agent", "step-finish"];

/// Parts of the user's that the model sees as a text of the client's.
const SAID_FOR: [(&str, &str); 2] =
    [("compaction", "What did we do so far?"), ("subtask", "The following tool was executed by the user")];

/// Files whose content stands in a text beside them: they are not sent themselves.
const SENT_AS_TEXT: [&str; 2] = ["text/plain", "application/x-directory"];

/// Message indices that lists may copy together; a session that asks for more is not followed there.
const COPIES: usize = 4 << 20;

struct Reader {
    transcript: Transcript,
    /// Ids of requests, which are unique.
    ids: HashSet<String>,
    entries: Vec<Entry>,
    /// Calls whose results the client took out, by when it did, until a request comes after.
    to_drop: BTreeMap<Timestamp, Vec<String>>,
    copies: usize,
}

pub(crate) fn read(bytes: &[u8]) -> Reading {
    let mut account = Account::default();
    let start = Segment { messages: Vec::new(), cause: Cause::Start, dropped_results: Arc::default() };
    let mut reader = Reader {
        transcript: Transcript {
            format: Format::Opencode,
            session: Session::default(),
            preambles: Vec::new(),
            messages: Vec::new(),
            segments: vec![start],
            requests: Vec::new(),
            done: Vec::new(),
            folded: Vec::new(),
        },
        ids: HashSet::new(),
        entries: Vec::new(),
        to_drop: BTreeMap::new(),
        copies: 0,
    };
    each_document(bytes, &mut account, |line, document, account| reader.export(line, document, account));
    let mut transcript = reader.transcript;
    let first_prompt = crate::title(&transcript.messages);
    transcript.session.title = transcript.session.title.take().or_else(|| first_prompt.clone());
    transcript.session.first_prompt = first_prompt;
    Reading { transcripts: vec![transcript], account }
}

/// Milliseconds since 1970.
fn instant(milliseconds: Count) -> Option<Timestamp> {
    let milliseconds = i64::try_from(milliseconds.0?).ok()?;
    Some(Timestamp::from_micros(milliseconds.saturating_mul(1000)))
}

/// A sum in US dollars.
fn dollars(cost: Raw<'_>) -> Option<f64> {
    let cost: f64 = serde_json::from_str(cost.0?.get()).ok()?;
    (cost.is_finite() && cost >= 0.0).then_some(cost)
}

impl Reader {
    fn export(&mut self, line: u32, document: &RawValue, account: &mut Account) {
        let raw: RawExport<'_> = match serde_json::from_str(document.get()) {
            Ok(raw) => raw,
            Err(_) => return count(&mut account.unknown, "document"),
        };
        if let (Some(info), Some(parts)) = (raw.info.0, raw.parts) {
            let info = serde_json::from_str(info.get()).unwrap_or_default();
            return self.message(line, &RawMessage { info, parts, ..RawMessage::default() }, account);
        }
        let info: RawSession<'_> =
            raw.info.0.and_then(|info| serde_json::from_str(info.get()).ok()).unwrap_or_default();
        count(&mut account.without_context, "session");
        let session = &mut self.transcript.session;
        if session.id.is_none() {
            let own = info.id.into_string();
            // A subagent's session names the one that started it.
            if let Some(parent) = info.root.into_string().or(info.parent.into_string()) {
                session.agent.clone_from(&own);
                session.id = Some(parent);
            } else {
                session.id = own;
            }
            session.project = info.directory.into_string();
            session.title = info.title.into_string().filter(|title| !title.trim().is_empty());
            session.client_version = info.version.into_string();
            session.started_at = instant(info.time.created);
            session.ended_at = instant(info.time.updated);
            session.client_cost = dollars(info.cost).and_then(MicroDollars::of);
        }
        for message in raw.messages.into_iter().flat_map(|messages| messages.0) {
            self.message(line, &message, account);
        }
    }

    fn message(&mut self, line: u32, raw: &RawMessage<'_>, account: &mut Account) {
        let at = instant(raw.info.time.created);
        let info = &raw.info;
        let is_user = info.role.or_empty() == "user";
        if !is_user && info.role.or_empty() != "assistant" {
            return count(&mut account.unknown, &format!("message/{}", info.role.or_empty()));
        }
        let upto = match (!is_user && info.summary.0, info.parent.as_str()) {
            (true, Some(parent)) => self.sum_up(parent, account),
            _ => None,
        };
        let first = self.transcript.messages.len();
        if is_user {
            self.prompt(line, at, raw, account);
        } else {
            self.answer((line, at, upto), raw, account);
        }
        let failed = info.error.0.is_some_and(|error| error.get() != "null");
        let entry = Entry {
            id: info.id.as_str().unwrap_or_default().to_owned(),
            parent: info.parent.as_str().unwrap_or_default().to_owned(),
            messages: (first..self.transcript.messages.len()).collect(),
            is_user,
            ask: ask(raw),
            is_summary: !is_user && info.summary.0,
            has_ended: info.finish.as_str().is_some() && !failed,
            is_left_out: failed && !is_kept(raw),
        };
        let (is_summary, has_ended) = (entry.is_summary, entry.has_ended);
        let may_differ = is_summary || entry.is_left_out || upto.is_some();
        let parent = entry.parent.clone();
        let summary = entry.messages.first().copied();
        self.entries.push(entry);
        if !may_differ {
            return;
        }
        let ask =
            self.entries.iter().rev().find(|entry| entry.id == parent).and_then(|entry| entry.ask.as_ref());
        let cause = match ask {
            Some(ask) if is_summary && has_ended => Cause::Compacted(Compaction {
                trigger: Some(if ask.is_auto { "auto" } else { "manual" }.to_owned()),
                summary,
                line,
                at,
                ..Compaction::default()
            }),
            _ => Cause::Replaced,
        };
        self.go_on_with(view::messages(&self.entries), cause, account);
    }

    /// What the call for a summary gets: messages of the stretch that runs, how many of them; or a stretch of its own. `parent`: the
    /// message that asks for it.
    fn sum_up(&mut self, parent: &str, account: &mut Account) -> Option<usize> {
        let mut list = view::summed_up(&self.entries, parent)?;
        for message in &mut list {
            let Some(known) = self.transcript.messages.get(*message) else { continue };
            if let Some(cut) = view::cut(known) {
                *message = self.transcript.messages.len();
                self.transcript.messages.push(cut);
            }
        }
        let upto = list.len();
        let is_beginning =
            self.transcript.segments.last().is_some_and(|segment| segment.messages.starts_with(&list));
        if !is_beginning {
            self.go_on_with(list, Cause::Replaced, account);
        }
        Some(upto)
    }

    /// Begins a stretch with these messages, where they are not those of the one that runs.
    fn go_on_with(&mut self, messages: Vec<MessageIndex>, cause: Cause, account: &mut Account) {
        let Some(last) = self.transcript.segments.last() else { return };
        if last.messages == messages {
            return;
        }
        self.copies = self.copies.saturating_add(messages.len());
        if self.copies > COPIES {
            return odd(account, Oddity::ListOfMessagesNotFollowed);
        }
        let dropped_results = Arc::clone(&last.dropped_results);
        self.transcript.segments.push(Segment { messages, cause, dropped_results });
    }

    /// Begins a stretch without the results that the client took out before `at`.
    fn drop_results(&mut self, at: Option<Timestamp>) {
        let (Some(at), Some(last)) = (at, self.transcript.segments.last()) else { return };
        let mut dropped: Option<BTreeSet<String>> = None;
        while self.to_drop.first_key_value().is_some_and(|(when, _)| *when <= at)
            && let Some((_, calls)) = self.to_drop.pop_first()
        {
            dropped.get_or_insert_with(|| (*last.dropped_results).clone()).extend(calls);
        }
        let Some(dropped) = dropped else { return };
        self.copies = self.copies.saturating_add(last.messages.len() + dropped.len());
        if self.copies <= COPIES {
            let cause = Cause::Microcompacted { tokens_before: None, tokens_saved: None };
            let messages = last.messages.clone();
            self.transcript.segments.push(Segment { messages, cause, dropped_results: Arc::new(dropped) });
        }
    }

    fn push(
        &mut self,
        line: u32,
        at: Option<Timestamp>,
        (role, origin): (Role, Origin),
        id: Option<&str>,
        blocks: Vec<BlockKind>,
    ) -> MessageIndex {
        let index = self.transcript.messages.len();
        self.transcript.messages.push(Message {
            role,
            origin,
            blocks: blocks.into_iter().map(|kind| Block { kind, line }).collect(),
            uuid: id.map(str::to_owned),
            api_id: id.filter(|_| role == Role::Assistant).map(str::to_owned),
            at,
            line,
        });
        if let Some(segment) = self.transcript.segments.last_mut() {
            segment.messages.push(index);
        }
        index
    }

    fn prompt(&mut self, line: u32, at: Option<Timestamp>, raw: &RawMessage<'_>, account: &mut Account) {
        let mut blocks = Vec::new();
        let mut typed = false;
        for json in raw.parts.0.iter().filter_map(|part| part.0) {
            let part: RawPart<'_> = serde_json::from_str(json.get()).unwrap_or_default();
            match part.kind.or_empty() {
                "text" if part.ignored.0 => {}
                "text" => {
                    typed |= !part.synthetic.0;
                    blocks.push(BlockKind::Text { text: part.text.into_string().unwrap_or_default() });
                }
                "file" if SENT_AS_TEXT.contains(&part.mime.or_empty()) => {}
                "file" => blocks.push(file(&part)),
                kind => match SAID_FOR.iter().find(|(said_for, _)| *said_for == kind) {
                    Some((_, text)) => blocks.push(BlockKind::Text { text: (*text).to_owned() }),
                    None => self.other(kind, json, &mut blocks, account),
                },
            }
        }
        let origin = if typed || blocks.is_empty() { Origin::Typed } else { Origin::Client };
        self.push(line, at, (Role::User, origin), raw.info.id.as_str(), blocks);
    }

    fn other(&self, kind: &str, json: &RawValue, blocks: &mut Vec<BlockKind>, account: &mut Account) {
        if WITHOUT_CONTEXT.contains(&kind) {
            count(&mut account.without_context, &format!("part/{kind}"));
        } else {
            count(&mut account.unknown, &format!("part/{kind}"));
            blocks.push(BlockKind::Unknown { type_name: kind.to_owned(), json: json.get().to_owned() });
        }
    }

    /// An answer in its steps. What follows the last `step-finish` belongs to it. `upto`: as many messages of the stretch went with
    /// its first call, where not all did.
    fn answer(
        &mut self,
        (line, at, upto): (u32, Option<Timestamp>, Option<usize>),
        raw: &RawMessage<'_>,
        account: &mut Account,
    ) {
        self.drop_results(at);
        let mut step = Step::default();
        let mut steps = 0;
        for json in raw.parts.0.iter().filter_map(|part| part.0) {
            let part: RawPart<'_> = serde_json::from_str(json.get()).unwrap_or_default();
            match part.kind.or_empty() {
                "step-start" if step.is_finished => {
                    self.step((line, at, upto), raw, std::mem::take(&mut step), steps);
                    steps += 1;
                }
                "step-finish" => {
                    step.is_finished = true;
                    step.usage = part.tokens.is_recorded().then(|| part.tokens.to_usage());
                    step.cost = dollars(part.cost);
                    step.reason = part.reason.into_string();
                }
                "text" if part.ignored.0 => {}
                "text" => {
                    let text = part.text.into_string().unwrap_or_default();
                    step.blocks.push(BlockKind::Text { text });
                }
                "reasoning" => {
                    let text = part.text.into_string().unwrap_or_default();
                    step.blocks.push(BlockKind::Thinking { text, signature_bytes: 0, redacted: false });
                }
                "tool" => self.tool(line, &part, &mut step),
                "file" => step.blocks.push(file(&part)),
                kind => self.other(kind, json, &mut step.blocks, account),
            }
        }
        self.step((line, at, upto), raw, step, steps);
    }

    fn tool(&mut self, line: u32, part: &RawPart<'_>, step: &mut Step) {
        let call = part.call.or_empty().to_owned();
        let state = &part.state;
        let input: Value =
            state.input.0.and_then(|it| serde_json::from_str(it.get()).ok()).unwrap_or_default();
        step.blocks.push(BlockKind::ToolUse {
            id: call.clone(),
            name: part.tool.or_empty().to_owned(),
            input,
            server: false,
            added: Vec::new(),
        });
        let failed = state.status.or_empty() == "error";
        let answer = state.output.as_str().or(state.error.as_str());
        if !failed && state.status.or_empty() != "completed" {
            return;
        }
        step.ended_at = instant(state.time.end).or(step.ended_at);
        if let Some(when) = instant(state.time.compacted) {
            self.to_drop.entry(when).or_default().push(call.clone());
        }
        if part.tool.or_empty() == SHELL
            && let Some(shell) =
                state.input.0.and_then(|it| serde_json::from_str::<RawShell<'_>>(it.get()).ok())
            && let Some(command) = shell.command.into_string()
        {
            self.transcript.done.push(Done {
                call: call.clone(),
                line,
                at: instant(state.time.end),
                succeeded: Some(!failed && state.metadata.exit.or_zero() == 0),
                exit_code: state.metadata.exit.0.and_then(|code| i64::try_from(code).ok()),
                what: DoneWhat::Command {
                    command: vec!["bash".to_owned(), "-c".to_owned(), command],
                    directory: shell.directory.into_string(),
                },
            });
        }
        step.results.push(BlockKind::ToolResult {
            tool_use_id: call,
            content: answer.map(|text| ResultPart::Text(text.to_owned())).into_iter().collect(),
            is_error: failed,
            denied: false,
            server: false,
        });
    }

    fn step(
        &mut self,
        (line, at, upto): (u32, Option<Timestamp>, Option<usize>),
        raw: &RawMessage<'_>,
        step: Step,
        number: usize,
    ) {
        let info = &raw.info;
        let known =
            step.usage.or_else(|| (number == 0 && info.tokens.is_recorded()).then(|| info.tokens.to_usage()));
        // What has not ended is recorded with zeros.
        let known = known.filter(|usage| usage.context() > 0 || usage.output > 0);
        // One that was interrupted before anything came is no call that was answered.
        if step.blocks.is_empty() && known.is_none() {
            return;
        }
        let id = info.id.or_empty();
        let segment = self.transcript.segments.len() - 1;
        let upto = upto.filter(|_| number == 0).unwrap_or(self.transcript.segments[segment].messages.len());
        let own = if number == 0 { id.to_owned() } else { format!("{id}/{number}") };
        let origin = if info.summary.0 { Origin::Summary } else { Origin::Model };
        let response = self.push(line, at, (Role::Assistant, origin), Some(&own), step.blocks);
        let mut unique =
            if id.is_empty() { format!("request-{}", self.transcript.requests.len()) } else { own };
        while !self.ids.insert(unique.clone()) {
            unique.push('\'');
        }
        let is_final = step.is_finished || info.finish.as_str().is_some();
        let cost = step.cost.or_else(|| dollars(info.cost).filter(|_| number == 0));
        self.transcript.requests.push(Request {
            id: unique,
            request_id: None,
            at,
            model: info.model.as_str().map(str::to_owned),
            segment,
            upto,
            response: Some(response),
            preamble: None,
            output_is_final: is_final && known.is_some(),
            usage: known,
            stop_reason: step.reason.or_else(|| info.finish.as_str().map(str::to_owned)),
            applied_edits: None,
            parameters: cost.map_or(Value::Null, |cost| json!({ "cost_usd": cost })),
        });
        if !step.results.is_empty() {
            let at = step.ended_at.or(at);
            self.push(line, at, (Role::User, Origin::ToolResults), None, step.results);
        }
    }
}

/// What a message of the user asks the client for.
fn ask(raw: &RawMessage<'_>) -> Option<Ask> {
    raw.parts.0.iter().filter_map(|part| part.0).find_map(|json| {
        let part: RawPart<'_> = serde_json::from_str(json.get()).unwrap_or_default();
        (part.kind.or_empty() == "compaction").then(|| Ask {
            tail: part.tail.into_string(),
            overflows: part.overflow.0,
            is_auto: part.auto.0,
        })
    })
}

/// True for an answer that failed and stays before the model: one that was stopped after something of it came.
fn is_kept(raw: &RawMessage<'_>) -> bool {
    let error: RawError<'_> =
        raw.info.error.0.and_then(|error| serde_json::from_str(error.get()).ok()).unwrap_or_default();
    let says = |json: &&RawValue| {
        let part: RawPart<'_> = serde_json::from_str(json.get()).unwrap_or_default();
        !matches!(part.kind.or_empty(), "step-start" | "reasoning")
    };
    error.name.or_empty() == "MessageAbortedError"
        && raw.parts.0.iter().filter_map(|part| part.0).any(|json| says(&json))
}

/// One call of the model within a message.
#[derive(Default)]
struct Step {
    blocks: Vec<BlockKind>,
    results: Vec<BlockKind>,
    usage: Option<Usage>,
    cost: Option<f64>,
    reason: Option<String>,
    ended_at: Option<Timestamp>,
    is_finished: bool,
}

fn file(part: &RawPart<'_>) -> BlockKind {
    let mime = part.mime.or_empty();
    let kind = if mime.starts_with("image/") { MediaKind::Image } else { MediaKind::Document };
    BlockKind::Media(match part.url.as_str() {
        Some(url) if url.starts_with("data:") => from_url(kind, url),
        _ => referred(kind, mime),
    })
}
