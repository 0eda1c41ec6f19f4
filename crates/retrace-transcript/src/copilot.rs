//! Copilot CLI sessions: JSON lines of events.
//!
//! No event tells a call's input tokens; what it tells of output is among the request's parameters, since a
//! [`Usage`](crate::Usage) without input would be read as a context of nothing.

use crate::account::{count, json_reason, odd};
use crate::items::arguments;
use crate::lenient::{Count, Flag, List, Raw, Text, lenient_object};
use crate::lines::each_line;
use crate::{
    Account, Block, BlockKind, Cause, Compaction, Format, Message, MessageIndex, Oddity, Origin, Preamble,
    Reading, Request, ResultPart, Role, Segment, Session, Transcript,
};
use retrace_model::Timestamp;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

lenient_object! {
    struct RawEvent<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        timestamp: Text<'a> = "timestamp",
        data: RawData<'a> = "data",
    }
}

lenient_object! {
    /// The fields of every known event together.
    struct RawData<'a> {
        session_id: Text<'a> = "sessionId",
        version: Text<'a> = "copilotVersion",
        context: RawContext<'a> = "context",
        new_model: Text<'a> = "newModel",
        selected_model: Text<'a> = "selectedModel",
        model: Text<'a> = "model",
        content: Text<'a> = "content",
        transformed: Text<'a> = "transformedContent",
        message_id: Text<'a> = "messageId",
        request_id: Text<'a> = "requestId",
        reasoning: Text<'a> = "reasoningText",
        reasoning_opaque: Text<'a> = "reasoningOpaque",
        tool_requests: List<RawToolRequest<'a>> = "toolRequests",
        output_tokens: Count = "outputTokens",
        tool_call_id: Text<'a> = "toolCallId",
        parent_tool_call_id: Text<'a> = "parentToolCallId",
        success: Option<Flag> = "success",
        result: RawResult<'a> = "result",
        error: RawError<'a> = "error",
        summary: Text<'a> = "summaryContent",
        tokens_before: Count = "preCompactionTokens",
        tokens_after: Count = "postCompactionTokens",
    }
}

lenient_object! {
    struct RawContext<'a> {
        cwd: Text<'a> = "cwd",
        branch: Text<'a> = "branch",
    }
}

lenient_object! {
    struct RawToolRequest<'a> {
        id: Text<'a> = "toolCallId",
        name: Text<'a> = "name",
        arguments: Raw<'a> = "arguments",
    }
}

lenient_object! {
    struct RawResult<'a> {
        content: Raw<'a> = "content",
    }
}

lenient_object! {
    struct RawError<'a> {
        message: Text<'a> = "message",
    }
}

/// Parts of the client's life that are not shown to the model, by the first word of their type.
const WITHOUT_CONTEXT: [&str; 9] =
    ["session", "hook", "permission", "assistant", "tool", "subagent", "skill", "external_tool", "user"];

/// Types without a first word that are not shown to the model.
const WITHOUT_CONTEXT_WHOLE: [&str; 2] = ["abort", "pending_messages.modified"];

struct Conversation {
    transcript: Transcript,
    preamble: Option<usize>,
    ids: HashSet<String>,
}

struct Reader {
    /// The main conversation, then those of subagents.
    conversations: Vec<Conversation>,
    /// Subagents by the call that started them.
    agents: HashMap<String, usize>,
    model: Option<String>,
}

pub(crate) fn read(bytes: &[u8]) -> Reading {
    let mut account = Account::default();
    let main = Conversation::new(Session::default());
    let mut reader = Reader { conversations: vec![main], agents: HashMap::new(), model: None };
    each_line(bytes, &mut account, |number, line, account| reader.line(number, line, account));
    let transcripts: Vec<Transcript> = reader.conversations.into_iter().map(|one| one.transcript).collect();
    Reading { transcripts, account }
}

impl Conversation {
    fn new(session: Session) -> Self {
        let start = Segment { messages: Vec::new(), cause: Cause::Start, dropped_results: Arc::default() };
        let transcript = Transcript {
            format: Format::CopilotEvents,
            session,
            preambles: Vec::new(),
            messages: Vec::new(),
            segments: vec![start],
            requests: Vec::new(),
            done: Vec::new(),
            folded: Vec::new(),
        };
        Self { transcript, preamble: None, ids: HashSet::new() }
    }

    fn push(&mut self, message: Message) -> MessageIndex {
        let index = self.transcript.messages.len();
        self.transcript.messages.push(message);
        if let Some(live) = self.transcript.segments.last_mut() {
            live.messages.push(index);
        }
        index
    }
}

impl Reader {
    fn line(
        &mut self,
        number: u32,
        bytes: &[u8],
        account: &mut Account,
    ) -> Result<(), retrace_message::Message> {
        let event: RawEvent<'_> = serde_json::from_slice(bytes).map_err(|error| json_reason(&error))?;
        let at = event.timestamp.as_str().and_then(|at| Timestamp::parse(at).ok());
        let conversation = self.conversation(&event.data);
        let session = &mut self.conversations[conversation].transcript.session;
        session.started_at = session.started_at.or(at);
        session.ended_at = at.or(session.ended_at);
        let message = |role, origin, blocks: Vec<BlockKind>| Message {
            role,
            origin,
            blocks: blocks.into_iter().map(|kind| Block { kind, line: number }).collect(),
            uuid: event.id.as_str().map(str::to_owned),
            api_id: None,
            at,
            line: number,
        };
        let text = |text: &Text<'_>| vec![BlockKind::Text { text: text.or_empty().to_owned() }];
        let data = &event.data;
        let of = &mut self.conversations[conversation];
        match event.kind.or_empty() {
            "system.message" => {
                let system = vec![data.content.or_empty().to_owned()];
                let preamble = Preamble { system, tools: Vec::new() };
                let preambles = &mut of.transcript.preambles;
                of.preamble =
                    Some(preambles.iter().position(|known| *known == preamble).unwrap_or_else(|| {
                        preambles.push(preamble);
                        preambles.len() - 1
                    }));
            }
            "user.message" => {
                let sent =
                    if data.transformed.as_str().is_some() { &data.transformed } else { &data.content };
                of.push(message(Role::User, Origin::Typed, text(sent)));
                if of.transcript.session.title.is_none() {
                    of.transcript.session.title =
                        data.content.as_str().and_then(crate::claude_code::line::title_of);
                }
            }
            "system.notification" => {
                of.push(message(Role::User, Origin::Client, text(&data.content)));
            }
            "assistant.message" => {
                let message = message(Role::Assistant, Origin::Model, answer(data));
                self.answered(conversation, message, &event, account);
            }
            "tool.execution_complete" => {
                of.push(message(Role::User, Origin::ToolResults, vec![result(data)]));
            }
            "session.compaction_complete" if data.success.is_none_or(|success| success.0) => {
                let compaction = Compaction {
                    tokens_before: data.tokens_before.0,
                    tokens_after: data.tokens_after.0,
                    line: number,
                    at,
                    ..Compaction::default()
                };
                compact(of, compaction, message(Role::User, Origin::Summary, text(&data.summary)));
            }
            kind => {
                self.aside(kind, data);
                let is_known = WITHOUT_CONTEXT_WHOLE.contains(&kind)
                    || kind.split_once('.').is_some_and(|(first, _)| WITHOUT_CONTEXT.contains(&first));
                count(if is_known { &mut account.without_context } else { &mut account.unknown }, kind);
            }
        }
        Ok(())
    }

    /// Takes facts about the session and later calls from events outside the context.
    fn aside(&mut self, kind: &str, data: &RawData<'_>) {
        let text = |text: &Text<'_>| text.as_str().map(str::to_owned);
        match kind {
            "session.start" | "session.resume" => {
                let session = &mut self.conversations[0].transcript.session;
                session.id = text(&data.session_id).or(session.id.take());
                session.client_version = text(&data.version).or(session.client_version.take());
                session.project = session.project.take().or(text(&data.context.cwd));
                session.branch = session.branch.take().or(text(&data.context.branch));
                self.model = text(&data.selected_model).or(self.model.take());
            }
            "session.model_change" => self.model = text(&data.new_model).or(self.model.take()),
            _ => {}
        }
    }

    fn conversation(&mut self, data: &RawData<'_>) -> usize {
        let Some(call) = data.parent_tool_call_id.as_str() else { return 0 };
        if let Some(&known) = self.agents.get(call) {
            return known;
        }
        let id = self.conversations[0].transcript.session.id.clone();
        let session = Session { id, agent: Some(call.to_owned()), ..Session::default() };
        self.conversations.push(Conversation::new(session));
        self.agents.insert(call.to_owned(), self.conversations.len() - 1);
        self.conversations.len() - 1
    }

    fn answered(
        &mut self,
        conversation: usize,
        message: Message,
        event: &RawEvent<'_>,
        account: &mut Account,
    ) {
        let data = &event.data;
        let of = &mut self.conversations[conversation];
        let segment = of.transcript.segments.len() - 1;
        let upto = of.transcript.segments[segment].messages.len();
        let number = of.transcript.requests.len();
        let reported = data.message_id.as_str().filter(|id| !id.is_empty());
        // Events of one message follow each other.
        if let Some(last) = of.transcript.requests.last().filter(|last| reported == Some(last.id.as_str()))
            && let Some(response) = last.response
        {
            of.transcript.messages[response].blocks.extend(message.blocks);
            return;
        }
        let id = reported.map_or_else(|| format!("request-{number}"), str::to_owned);
        let id = if of.ids.insert(id.clone()) {
            id
        } else {
            odd(account, Oddity::TwoMessagesWithOneId);
            let other = format!("{id}#{number}");
            of.ids.insert(other.clone());
            other
        };
        let at = message.at;
        let response = of.push(Message { api_id: Some(id.clone()), ..message });
        let parameters =
            data.output_tokens.0.map_or(Value::Null, |tokens| json!({ "output_tokens": tokens }));
        of.transcript.requests.push(Request {
            id,
            request_id: data.request_id.as_str().map(str::to_owned),
            at,
            model: data.model.as_str().map(str::to_owned).or_else(|| self.model.clone()),
            segment,
            upto,
            response: Some(response),
            preamble: of.preamble,
            usage: None,
            output_is_final: false,
            stop_reason: None,
            applied_edits: None,
            parameters,
        });
    }
}

fn compact(of: &mut Conversation, compaction: Compaction, summary: Message) {
    let compaction = Compaction { summary: Some(of.transcript.messages.len()), ..compaction };
    of.transcript.segments.push(Segment {
        messages: Vec::new(),
        cause: Cause::Compacted(compaction),
        dropped_results: Arc::default(),
    });
    of.push(summary);
}

fn answer(data: &RawData<'_>) -> Vec<BlockKind> {
    let mut blocks = Vec::new();
    let reasoning = data.reasoning.or_empty();
    let opaque = data.reasoning_opaque.or_empty().len();
    if !reasoning.is_empty() || opaque > 0 {
        blocks.push(BlockKind::Thinking {
            text: reasoning.to_owned(),
            signature_bytes: opaque,
            redacted: reasoning.is_empty(),
        });
    }
    if !data.content.or_empty().is_empty() {
        blocks.push(BlockKind::Text { text: data.content.or_empty().to_owned() });
    }
    blocks.extend(data.tool_requests.0.iter().map(|call| BlockKind::ToolUse {
        id: call.id.or_empty().to_owned(),
        name: call.name.or_empty().to_owned(),
        input: call.arguments.0.map(arguments).unwrap_or_default(),
        server: false,
        added: Vec::new(),
    }));
    blocks
}

fn result(data: &RawData<'_>) -> BlockKind {
    let content = match data.result.content.0 {
        Some(json) => vec![match serde_json::from_str(json.get()) {
            Ok(text) => ResultPart::Text(text),
            Err(_) => ResultPart::Other(json.get().to_owned()),
        }],
        None => {
            data.error.message.as_str().map(|text| ResultPart::Text(text.to_owned())).into_iter().collect()
        }
    };
    BlockKind::ToolResult {
        tool_use_id: data.tool_call_id.or_empty().to_owned(),
        content,
        is_error: data.success.is_some_and(|success| !success.0),
        denied: false,
        server: false,
    }
}
