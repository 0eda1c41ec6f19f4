//! opencode sessions (1.18) in the form of its own export: one JSON document with `info` of the session and `messages`, each with
//! `info` and `parts`; or these one a line, which is the form that a session of its database is read in.
//!
//! A message of the model holds one call or several: each ends with a part `step-finish`, which has its tokens. Results of
//! tools stand in the part of their call. System prompt, tools and instructions are not recorded.

use crate::account::count;
use crate::documents::each_document;
use crate::lenient::{Count, Flag, List, Raw, Text, lenient_object};
use crate::media::{from_url, referred};
use crate::{
    Account, Block, BlockKind, Cause, Done, DoneWhat, Format, MediaKind, Message, MessageIndex, MicroDollars,
    Origin, Reading, Request, ResultPart, Role, Segment, Session, Transcript, Usage,
};
use retrace_model::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

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
        model: Text<'a> = "modelID",
        time: RawTime<'a> = "time",
        tokens: RawTokens<'a> = "tokens",
        cost: Raw<'a> = "cost",
        finish: Text<'a> = "finish",
        summary: Flag = "summary",
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
const WITHOUT_CONTEXT: [&str; 8] =
    ["step-start", "snapshot", "patch", "retry", "agent", "subtask", "compaction", "step-finish"];

struct Reader {
    transcript: Transcript,
    /// Ids of requests, which are unique.
    ids: HashSet<String>,
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
    };
    each_document(bytes, &mut account, |line, document, account| reader.export(line, document, account));
    let mut transcript = reader.transcript;
    transcript.session.title = transcript.session.title.take().or_else(|| crate::title(&transcript.messages));
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
        match raw.info.role.or_empty() {
            "user" => self.prompt(line, at, raw, account),
            "assistant" => self.answer(line, at, raw, account),
            role => count(&mut account.unknown, &format!("message/{role}")),
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
                "file" => blocks.push(file(&part)),
                kind => self.other(kind, json, &mut blocks, account),
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

    /// An answer in its steps. What follows the last `step-finish` belongs to it.
    fn answer(&mut self, line: u32, at: Option<Timestamp>, raw: &RawMessage<'_>, account: &mut Account) {
        let mut step = Step::default();
        let mut steps = 0;
        for json in raw.parts.0.iter().filter_map(|part| part.0) {
            let part: RawPart<'_> = serde_json::from_str(json.get()).unwrap_or_default();
            match part.kind.or_empty() {
                "step-start" if step.is_finished => {
                    self.step(line, at, raw, std::mem::take(&mut step), steps);
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
        self.step(line, at, raw, step, steps);
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

    fn step(&mut self, line: u32, at: Option<Timestamp>, raw: &RawMessage<'_>, step: Step, number: usize) {
        let info = &raw.info;
        let known =
            step.usage.or_else(|| (number == 0 && info.tokens.is_recorded()).then(|| info.tokens.to_usage()));
        // One that was interrupted before anything came is no call that was answered.
        let nothing = known.as_ref().is_none_or(|usage| usage.context() == 0 && usage.output == 0);
        if step.blocks.is_empty() && nothing {
            return;
        }
        let id = info.id.or_empty();
        let segment = self.transcript.segments.len() - 1;
        let upto = self.transcript.segments[segment].messages.len();
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
