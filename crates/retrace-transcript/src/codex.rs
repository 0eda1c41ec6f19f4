//! Codex rollouts: JSON lines of responses items, with the settings of each turn and the tokens of each call.
//!
//! The items of one response follow each other, with results of its tools in between; `token_count` ends it.

use crate::account::{count, json_reason};
use crate::items::{Item, RawItemUsage, item};
use crate::lenient::{Count, List, Raw, Text, lenient_object};
use crate::lines::each_line;
use crate::{
    Account, Block, BlockKind, Cause, Compaction, Format, Message, MessageIndex, Origin, Preamble, Reading,
    Request, Role, Segment, Session, Transcript,
};
use memchr::memmem;
use retrace_model::Timestamp;
use serde_json::Value;
use std::sync::Arc;

lenient_object! {
    struct RawLine<'a> {
        timestamp: Text<'a> = "timestamp",
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
    /// Request whose response is being told.
    open: Option<usize>,
    /// Running total of the last `token_count`, by which repetitions are known.
    total: Option<u64>,
    /// True if calls end with `token_count` here; older files are without.
    ends_are_reported: bool,
    copies: usize,
}

/// Number of message indices rollbacks may copy together; a file that asks for more is not followed there.
const COPIES: usize = 4 << 20;

pub(crate) fn read(bytes: &[u8]) -> Reading {
    let mut account = Account::default();
    let mut reader = Reader {
        transcript: Transcript {
            format: Format::CodexRollout,
            session: Session::default(),
            preambles: Vec::new(),
            messages: Vec::new(),
            segments: vec![segment(Cause::Start, Vec::new())],
            requests: Vec::new(),
        },
        model: None,
        effort: None,
        preamble: None,
        open: None,
        total: None,
        ends_are_reported: memmem::find(bytes, br#""last_token_usage""#).is_some(),
        copies: 0,
    };
    each_line(bytes, &mut account, |number, line, account| reader.line(number, line, account));
    let mut transcript = reader.transcript;
    transcript.session.title = crate::title(&transcript.messages);
    Reading { transcripts: vec![transcript], account }
}

fn segment(cause: Cause, messages: Vec<MessageIndex>) -> Segment {
    Segment { messages, cause, dropped_results: Arc::default() }
}

impl Reader {
    fn line(&mut self, number: u32, bytes: &[u8], account: &mut Account) -> Result<(), String> {
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
        match raw.kind.or_empty() {
            "session_meta" => self.session_meta(payload, account),
            "turn_context" => {
                self.model = payload.model.into_string().or(self.model.take());
                self.effort = payload.effort.into_string();
                count(&mut account.without_context, "turn_context");
            }
            "event_msg" => self.event(&payload, account),
            "compacted" => self.compacted(number, at, payload, account),
            kind => count(&mut account.unknown, kind),
        }
        Ok(())
    }

    fn session_meta(&mut self, payload: RawPayload<'_>, account: &mut Account) {
        count(&mut account.without_context, "session_meta");
        let session = &mut self.transcript.session;
        // A forked session carries its parent's line after its own.
        if session.id.is_none() {
            if payload.source.subagent.0.is_some() {
                session.agent = payload.id.as_str().map(str::to_owned);
            }
            session.id = payload.id.into_string();
            session.project = payload.cwd.into_string();
            session.branch = payload.git.branch.into_string();
            session.client_version = payload.version.into_string();
        }
        if let Some(text) =
            payload.base_instructions.text.into_string().or(payload.instructions.into_string())
        {
            self.transcript.preambles.push(Preamble { system: vec![text], tools: Vec::new() });
            self.preamble = Some(self.transcript.preambles.len() - 1);
        }
    }

    fn event(&mut self, payload: &RawPayload<'_>, account: &mut Account) {
        let kind = payload.kind.or_empty();
        count(&mut account.without_context, &format!("event_msg/{kind}"));
        let window = payload.info.window.0.or(payload.window.0);
        let session = &mut self.transcript.session;
        session.context_window = window.or(session.context_window);
        match kind {
            "token_count" => self.token_count(&payload.info),
            "thread_rolled_back" => self.roll_back(payload.turns.or_zero(), account),
            _ => {}
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
        if item.role == Role::Assistant {
            let response = self.response(number, at, item.id.as_deref());
            let blocks = item.blocks.into_iter().map(|kind| Block { kind, line: number });
            self.transcript.messages[response].blocks.extend(blocks);
            return;
        }
        // Results may come while the response is still told; what a person says cannot.
        if !self.ends_are_reported || item.origin != Origin::ToolResults {
            self.open = None;
        }
        self.push(number, at, item);
    }

    /// The message of the response being told; begins one if there is none.
    fn response(&mut self, number: u32, at: Option<Timestamp>, id: Option<&str>) -> MessageIndex {
        if let Some(response) = self.open.and_then(|open| self.transcript.requests[open].response) {
            return response;
        }
        let segment = self.transcript.segments.len() - 1;
        let upto = self.transcript.segments[segment].messages.len();
        let blocks = Vec::new();
        let item = Item { role: Role::Assistant, origin: Origin::Model, blocks, id: id.map(str::to_owned) };
        let response = self.push(number, at, item);
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
            response: Some(response),
            preamble: self.preamble,
            usage: None,
            output_is_final: false,
            stop_reason: None,
            applied_edits: None,
            parameters: parameters.unwrap_or(Value::Null),
        });
        response
    }

    fn push(&mut self, number: u32, at: Option<Timestamp>, item: Item) -> MessageIndex {
        let index = self.transcript.messages.len();
        let is_model = item.role == Role::Assistant;
        let origin = match item.origin {
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
        if let Some(replacement) = payload.replacement {
            for json in replacement.0.iter().filter_map(|json| json.0) {
                let item = item(json, account);
                let is_summary = item.origin == Origin::Summary;
                let index = self.push(number, at, item);
                summary = if is_summary { Some(index) } else { summary };
            }
        } else {
            count(&mut account.oddities, "compaction without its new history");
        }
        let text = payload.message.into_string().filter(|text| !text.is_empty());
        if let (None, Some(text)) = (summary, text) {
            let blocks = vec![BlockKind::Text { text }];
            summary = Some(self.push(
                number,
                at,
                Item { role: Role::User, origin: Origin::Summary, blocks, id: None },
            ));
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
            count(&mut account.oddities, "fork not followed");
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
