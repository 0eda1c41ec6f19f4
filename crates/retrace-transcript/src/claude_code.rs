//! Claude Code sessions: JSON lines, one line a content block or an event, tied into a tree by `parentUuid`.
//!
//! Rules and counts are from transcripts.md, sections 1 to 4. The lines are taken in the order of the file, which is close
//! to that of time; a parent that comes later, or never, is none.

mod attachment;
mod conversation;
mod hooked;
pub(crate) mod line;
mod waiting;

use crate::account::{count, json_reason, odd};
use crate::blocks::blocks;
use crate::lenient::{Content, Link, List, Raw, Text, lenient_object};
use crate::lines::each_line;
use crate::usage::{RawUsage, raise_to};
use crate::{
    Account, AppliedEdit, Block, BlockKind, Cause, Compaction, Message, MessageIndex, MicroDollars, Oddity,
    Origin, Reading, Request, Role, Session,
};
use attachment::Sent;
use conversation::{After, Conversation, Place, Preserved};
use line::{Line, SYNTHETIC_MODEL, WITHOUT_CONTEXT, is_client_text, output_is_final, progress, title_of};
use retrace_model::Timestamp;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use waiting::{Operation, Waiting};

pub use waiting::Queue;

lenient_object! {
    /// `message` with its contents.
    struct FullMessage<'a> {
        id: Text<'a> = "id",
        model: Text<'a> = "model",
        stop_reason: Text<'a> = "stop_reason",
        usage: RawUsage<'a> = "usage",
        content: Content<'a> = "content",
        context_management: RawContextManagement<'a> = "context_management",
    }
}

lenient_object! {
    /// `context_management` of a response.
    pub(crate) struct RawContextManagement<'a> {
        applied: Option<List<RawAppliedEdit<'a>>> = "applied_edits",
    }
}

lenient_object! {
    /// One entry of `applied_edits`.
    pub(crate) struct RawAppliedEdit<'a> {
        edit: Text<'a> = "type",
        tool_uses: crate::lenient::Count = "cleared_tool_uses",
        thinking_turns: crate::lenient::Count = "cleared_thinking_turns",
        input_tokens: crate::lenient::Count = "cleared_input_tokens",
    }
}

impl RawContextManagement<'_> {
    /// The edits, if the response says which.
    pub(crate) fn into_edits(self) -> Option<Vec<AppliedEdit>> {
        let edits = self.applied?.0.into_iter().map(|edit| AppliedEdit {
            edit: edit.edit.into_string().unwrap_or_default(),
            cleared_tool_uses: edit.tool_uses.0,
            cleared_thinking_turns: edit.thinking_turns.0,
            cleared_input_tokens: edit.input_tokens.or_zero(),
        });
        Some(edits.collect())
    }
}

/// The tool that asks a person to approve a plan.
const EXIT_PLAN_MODE: &str = "ExitPlanMode";

/// The first version whose plan is a file: the tool then takes no plan, and the client adds what the file holds to the
/// record of the call.
const PLAN_IS_A_FILE_SINCE: [u64; 3] = [2, 0, 51];

/// Fields that the client adds to the record of that call.
const ADDED_TO_THE_PLAN: [&str; 2] = ["plan", "planFilePath"];

/// Marks what the client added to the record of calls. Contexts grow by the result of `ExitPlanMode` alone, and the plan
/// stands there again.
fn mark_added(blocks: &mut [Block], version: Option<&str>) {
    for block in blocks {
        if let BlockKind::ToolUse { name, input, added, .. } = &mut block.kind
            && name == EXIT_PLAN_MODE
            && (input.get(ADDED_TO_THE_PLAN[1]).is_some()
                || line::version(version).is_some_and(|version| version >= PLAN_IS_A_FILE_SINCE))
        {
            added.extend(
                ADDED_TO_THE_PLAN
                    .iter()
                    .filter(|field| input.get(**field).is_some())
                    .map(ToString::to_string),
            );
        }
    }
}

/// Values of `toolDenialKind` that say that a call was never carried out; of one that was `interrupted` or `cancelled` it does not
/// say so. Source: the client, 2.1.330.
const NOT_CARRIED_OUT: [&str; 5] = [
    "user-rejected",
    "permission-rule",
    "automode-blocked",
    "automode-unavailable",
    "automode-parsing-error",
];

type FullLine<'a> = Line<'a, FullMessage<'a>, Raw<'a>>;

/// A line that has a uuid.
struct Node<'a> {
    conversation: usize,
    place: Place,
    /// Its parent by name, for finding cycles.
    parent: Option<Cow<'a, str>>,
    bytes: &'a [u8],
}

/// The main conversation is the first.
const MAIN: usize = 0;

struct Reader<'a> {
    conversations: Vec<Conversation>,
    nodes: HashMap<Cow<'a, str>, Node<'a>>,
    /// Conversations of subagents by their id.
    agents: HashMap<Cow<'a, str>, usize>,
    /// Requests by conversation and id of the response, with the response.
    responses: HashMap<(usize, Cow<'a, str>), (usize, MessageIndex)>,
    /// True if some line names a parent that had not come yet.
    has_late_parent: bool,
    title: Titles,
    /// What the person typed while the agent worked.
    waiting: Waiting,
}

/// Titles of each kind; the best one is taken at the end.
#[derive(Default)]
struct Titles {
    custom: Option<String>,
    generated: Option<String>,
    summary: Option<String>,
    typed: Option<String>,
}

/// Reads a session.
pub(crate) fn read(bytes: &[u8]) -> Reading {
    let mut account = Account::default();
    let mut reader = Reader {
        conversations: vec![Conversation::new(Session::default())],
        nodes: HashMap::new(),
        agents: HashMap::new(),
        responses: HashMap::new(),
        has_late_parent: false,
        title: Titles::default(),
        waiting: Waiting::default(),
    };
    each_line(bytes, &mut account, |number, bytes, account| reader.line(number, bytes, account));
    reader.finish(account)
}

impl<'a> Reader<'a> {
    fn line(
        &mut self,
        number: u32,
        bytes: &'a [u8],
        account: &mut Account,
    ) -> Result<(), retrace_message::Message> {
        if let Some(progress) = progress(bytes) {
            count(&mut account.without_context, "progress");
            self.progress(&progress, bytes, account);
            return Ok(());
        }
        let mut line: FullLine<'a> = serde_json::from_slice(bytes).map_err(|error| json_reason(&error))?;
        let uuid = line.uuid.0.take();
        if let Some(known) = uuid.as_ref().and_then(|uuid| self.nodes.get(uuid)) {
            if known.bytes == bytes {
                odd(account, Oddity::LineRepeated);
                return Ok(());
            }
            odd(account, Oddity::TwoLinesWithOneUuid);
        }
        let (conversation, after) = self.belongs(&line, uuid.as_deref(), account);
        self.session(conversation, &line);
        let place = self.take(number, &mut line, uuid.as_deref(), conversation, after, account);
        if let Some(uuid) = uuid {
            let parent = match line.parent {
                Link::To(parent) => Some(parent),
                Link::Null | Link::Absent => None,
            };
            let node = Node { conversation, place, parent, bytes };
            self.nodes.entry(uuid).or_insert(node);
        }
        Ok(())
    }

    /// A progress line is a place in the tree and nothing else.
    fn progress(&mut self, progress: &line::Progress<'a>, bytes: &'a [u8], account: &mut Account) {
        let parent = progress.parent.and_then(|parent| self.nodes.get(parent));
        if progress.parent.is_some() && parent.is_none() {
            self.late_parent(account);
        }
        let (conversation, place) = progress
            .parent
            .and_then(|parent| self.nodes.get(parent))
            .map_or_else(|| (MAIN, self.conversations[MAIN].end()), |node| (node.conversation, node.place));
        let session = &mut self.conversations[conversation].transcript.session;
        saw(session, progress.timestamp.and_then(|at| Timestamp::parse(at).ok()));
        if let Some(uuid) = progress.uuid {
            let parent = progress.parent.map(Cow::Borrowed);
            self.nodes.entry(Cow::Borrowed(uuid)).or_insert(Node { conversation, place, parent, bytes });
        }
    }

    /// The conversation a line belongs to, and where in it.
    fn belongs(&mut self, line: &FullLine<'a>, uuid: Option<&str>, account: &mut Account) -> (usize, After) {
        let parent = match &line.parent {
            Link::To(parent) => match self.nodes.get(parent) {
                Some(node) => Some((node.conversation, node.place)),
                None => {
                    self.late_parent(account);
                    None
                }
            },
            Link::Null | Link::Absent => None,
        };
        let conversation = if line.is_sidechain.0 {
            self.sidechain(line, uuid, parent.map(|(conversation, _)| conversation))
        } else {
            MAIN
        };
        let after = match (&line.parent, parent) {
            (_, Some((of, place))) if of == conversation => After::Place(place),
            (Link::Null, _) => After::Root,
            _ => After::Live,
        };
        (conversation, after)
    }

    fn sidechain(&mut self, line: &FullLine<'a>, uuid: Option<&str>, parent: Option<usize>) -> usize {
        let agent = line.agent_id.0.as_ref();
        if let Some(&known) = agent.and_then(|agent| self.agents.get(agent)) {
            return known;
        }
        if agent.is_none() {
            if let Some(parent) = parent.filter(|&parent| parent != MAIN) {
                return parent;
            }
            let last = self.conversations.len() - 1;
            if line.parent != Link::Null && parent.is_none() && last != MAIN {
                return last;
            }
        }
        let new = self.conversations.len();
        let name = agent.map(|agent| agent.as_ref()).or(uuid);
        let session = Session { agent: name.map(str::to_owned), ..Session::default() };
        self.conversations.push(Conversation::new(session));
        if let Some(agent) = agent {
            self.agents.insert(agent.clone(), new);
        }
        new
    }

    fn late_parent(&mut self, account: &mut Account) {
        self.has_late_parent = true;
        odd(account, Oddity::ParentNotBeforeItsChild);
    }

    fn session(&mut self, conversation: usize, line: &FullLine<'a>) {
        let session = &mut self.conversations[conversation].transcript.session;
        saw(session, line.timestamp.as_str().and_then(|at| Timestamp::parse(at).ok()));
        let latest = |known: &mut Option<String>, text: &Text<'_>| {
            if let Some(text) = text.as_str()
                && known.as_deref() != Some(text)
            {
                *known = Some(text.to_owned());
            }
        };
        latest(&mut session.id, &line.session_id);
        latest(&mut session.client_version, &line.version);
        for (known, text) in [(&mut session.project, &line.cwd), (&mut session.branch, &line.branch)] {
            if known.is_none() {
                *known = text.as_str().map(str::to_owned);
            }
        }
        let titles = [
            (&mut self.title.custom, &line.custom_title),
            (&mut self.title.generated, &line.generated_title),
            (&mut self.title.summary, &line.summary),
        ];
        for (known, text) in titles {
            if let Some(text) = text.as_str().map(str::trim).filter(|text| !text.is_empty()) {
                *known = Some(text.to_owned());
            }
        }
    }

    /// Takes a line in; the place of its children.
    fn take(
        &mut self,
        number: u32,
        line: &mut FullLine<'a>,
        uuid: Option<&str>,
        conversation: usize,
        after: After,
        account: &mut Account,
    ) -> Place {
        let kind = line.kind.0.take().unwrap_or_default();
        let unmoved = |reader: &Self| match after {
            After::Place(place) => place,
            After::Live | After::Root => reader.conversations[conversation].end(),
        };
        match kind.as_ref() {
            "assistant" => self.assistant(number, line, uuid, conversation, after, account),
            "user" => self.user(number, line, uuid, conversation, after, account),
            "attachment" => {
                let payload =
                    line.attachment.0.and_then(|json| serde_json::from_str::<Value>(json.get()).ok());
                let payload = payload.unwrap_or_default();
                let name = payload["type"].as_str().unwrap_or_default();
                let rendered = std::mem::take(&mut line.rendered);
                let rendered = match attachment::sent(name, &rendered, line::version(line.version.as_str())) {
                    Sent::Text(text) => Some(text),
                    Sent::Unsaid => None,
                    Sent::Nothing => {
                        count(&mut account.without_context, &format!("attachment/{name}"));
                        return unmoved(self);
                    }
                };
                let kind = attachment::attachment(&payload, rendered);
                let message = Message {
                    role: Role::User,
                    origin: Origin::Client,
                    blocks: vec![Block { kind, line: number }],
                    ..self.message(number, line, uuid)
                };
                let typed = attachment::typed(&payload).filter(|text| self.waiting.is_news(text));
                let typed = typed.map(|text| self.said(number, line, text));
                let at = &mut self.conversations[conversation];
                let index = at.append(message, after, &[]);
                if let Some(typed) = typed {
                    // It was sent with the client's words around it, which are the attachment.
                    at.keep_apart(typed);
                }
                at.place_of(index)
            }
            "system" => match line.subtype.or_empty() {
                "compact_boundary" => self.compact(number, line, conversation, uuid),
                "microcompact_boundary" => self.microcompact(line, conversation),
                subtype => {
                    count(&mut account.without_context, &format!("system/{subtype}"));
                    unmoved(self)
                }
            },
            kind => {
                if kind == "queue-operation" {
                    self.queued(number, line, conversation);
                }
                self.note_record(kind, line, conversation);
                let is_known = WITHOUT_CONTEXT.contains(&kind);
                count(if is_known { &mut account.without_context } else { &mut account.unknown }, kind);
                unmoved(self)
            }
        }
    }

    /// What lines tell that are not part of the context. Each such line tells all of it anew.
    fn note_record(&mut self, kind: &str, line: &mut FullLine<'a>, conversation: usize) {
        let session = &mut self.conversations[conversation].transcript.session;
        match kind {
            "cost-state" => {
                let cost = line.cost.0.and_then(|cost| serde_json::from_str::<f64>(cost.get()).ok());
                session.client_cost = cost.and_then(MicroDollars::of).or(session.client_cost);
            }
            "tools-used" => {
                let tools = std::mem::take(&mut line.tools).0.into_iter().filter_map(Text::into_string);
                session.tools_used = tools.collect();
            }
            _ => {}
        }
    }

    /// A line about what waits while the agent works. Older clients keep in these lines alone what the model was
    /// given in the middle of a turn.
    fn queued(&mut self, number: u32, line: &mut FullLine<'a>, conversation: usize) {
        let content = line.content.0.take();
        let operation = Operation::of(line.operation.or_empty(), content.as_deref());
        if let Some(text) = operation.and_then(|operation| self.waiting.take(&operation)) {
            let said = self.said(number, line, text);
            self.conversations[conversation].keep_apart(said);
        }
    }

    /// Words of the person that no line of their own holds.
    fn said(&self, number: u32, line: &FullLine<'a>, text: String) -> Message {
        Message {
            role: Role::User,
            origin: Origin::Typed,
            blocks: vec![Block { kind: BlockKind::Text { text }, line: number }],
            ..self.message(number, line, None)
        }
    }

    /// A message with what every line has; its role, origin and blocks are still to be said.
    #[allow(clippy::unused_self)]
    fn message(&self, number: u32, line: &FullLine<'a>, uuid: Option<&str>) -> Message {
        Message {
            role: Role::User,
            origin: Origin::Client,
            blocks: Vec::new(),
            uuid: uuid.map(str::to_owned),
            api_id: None,
            at: line.timestamp.as_str().and_then(|at| Timestamp::parse(at).ok()),
            line: number,
        }
    }

    fn user(
        &mut self,
        number: u32,
        line: &mut FullLine<'a>,
        uuid: Option<&str>,
        conversation: usize,
        after: After,
        account: &mut Account,
    ) -> Place {
        let mut blocks = blocks(std::mem::take(&mut line.message.content), number, account);
        if NOT_CARRIED_OUT.contains(&line.denial.or_empty()) {
            for block in &mut blocks {
                if let BlockKind::ToolResult { denied, .. } = &mut block.kind {
                    *denied = true;
                }
            }
        }
        let answers: Vec<String> = blocks
            .iter()
            .filter_map(|block| match &block.kind {
                BlockKind::ToolResult { tool_use_id, .. } => Some(tool_use_id.clone()),
                _ => None,
            })
            .collect();
        let origin = user_origin(line, &blocks, !answers.is_empty());
        if origin == Origin::Typed && conversation == MAIN && self.title.typed.is_none() {
            self.title.typed = texts(&blocks).find_map(title_of);
        }
        let message = Message { role: Role::User, origin, blocks, ..self.message(number, line, uuid) };
        let at = &mut self.conversations[conversation];
        if origin == Origin::Summary {
            at.compact_unannounced(number);
        }
        let index = at.append(message, after, &answers);
        at.place_of(index)
    }

    fn assistant(
        &mut self,
        number: u32,
        line: &mut FullLine<'a>,
        uuid: Option<&str>,
        conversation: usize,
        after: After,
        account: &mut Account,
    ) -> Place {
        let mut blocks = blocks(std::mem::take(&mut line.message.content), number, account);
        if conversation == MAIN {
            self.waiting.answered();
        }
        mark_added(&mut blocks, line.version.as_str());
        let id = line.message.id.0.take().or_else(|| line.request_id.0.clone());
        let is_api_error = line.is_api_error.0;
        if is_api_error || line.message.model.as_str() == Some(SYNTHETIC_MODEL) {
            let message = Message {
                role: Role::Assistant,
                origin: Origin::Synthetic,
                blocks,
                api_id: id.map(Cow::into_owned),
                ..self.message(number, line, uuid)
            };
            let at = &mut self.conversations[conversation];
            if is_api_error {
                // Shown to the person; the client leaves it out of what it sends.
                at.keep_apart(message);
                return match after {
                    After::Place(place) => place,
                    After::Live | After::Root => at.end(),
                };
            }
            let index = at.append(message, after, &[]);
            return at.place_of(index);
        }
        let id =
            id.unwrap_or_else(|| Cow::Owned(uuid.map_or_else(|| format!("line {number}"), str::to_owned)));
        let key = (conversation, id);
        if let Some(&(request, response)) = self.responses.get(&key) {
            return self.more_of(conversation, request, response, blocks, line);
        }
        let message = Message {
            role: Role::Assistant,
            origin: Origin::Model,
            blocks,
            api_id: Some(key.1.clone().into_owned()),
            ..self.message(number, line, uuid)
        };
        let at = &mut self.conversations[conversation];
        let stated_at = message.at;
        let response = at.append(message, after, &[]);
        open_calls(at, response, 0);
        let (segment, length) = at.live();
        let version = line.version.as_str();
        let request = at.requested(Request {
            id: key.1.clone().into_owned(),
            request_id: line.request_id.as_str().map(str::to_owned),
            at: stated_at,
            model: line.message.model.as_str().map(str::to_owned),
            segment,
            upto: length - 1,
            response: Some(response),
            preamble: None,
            output_is_final: output_is_final(version, line.message.stop_reason.as_str()),
            stop_reason: line.message.stop_reason.as_str().map(str::to_owned),
            usage: line
                .message
                .usage
                .is_recorded()
                .then(|| std::mem::take(&mut line.message.usage).into_usage()),
            applied_edits: std::mem::take(&mut line.message.context_management).into_edits(),
            parameters: Value::Null,
        });
        let place = at.place_of(response);
        self.responses.insert(key, (request, response));
        place
    }

    /// A further line of a response that has begun.
    fn more_of(
        &mut self,
        conversation: usize,
        request: usize,
        response: MessageIndex,
        blocks: Vec<Block>,
        line: &mut FullLine<'a>,
    ) -> Place {
        let at = &mut self.conversations[conversation];
        let message = &mut at.transcript.messages[response];
        let known = message.blocks.len();
        message.blocks.extend(blocks);
        open_calls(at, response, known);
        let request = &mut at.transcript.requests[request];
        let raw = &mut line.message;
        if raw.usage.is_recorded() {
            let usage = std::mem::take(&mut raw.usage).into_usage();
            match &mut request.usage {
                Some(known) => raise_to(known, usage),
                unknown => *unknown = Some(usage),
            }
        }
        request.output_is_final |= output_is_final(line.version.as_str(), raw.stop_reason.as_str());
        if let Some(reason) = raw.stop_reason.as_str() {
            request.stop_reason = Some(reason.to_owned());
        }
        if let Some(edits) = std::mem::take(&mut raw.context_management).into_edits()
            && request.applied_edits.as_ref().is_none_or(|known| known.len() <= edits.len())
        {
            request.applied_edits = Some(edits);
        }
        at.place_of(response)
    }

    fn compact(
        &mut self,
        number: u32,
        line: &FullLine<'a>,
        conversation: usize,
        uuid: Option<&str>,
    ) -> Place {
        let raw = &line.compact;
        let compaction = Compaction {
            trigger: raw.trigger.as_str().map(str::to_owned),
            tokens_before: raw.tokens_before.0.or(raw.tokens_before_snake.0),
            tokens_after: raw.tokens_after.0.or(raw.tokens_after_snake.0),
            summary: None,
            line: number,
            at: line.timestamp.as_str().and_then(|at| Timestamp::parse(at).ok()),
        };
        let preserved = self.preserved(raw, conversation, uuid);
        self.conversations[conversation].compact(compaction, preserved)
    }

    /// The messages a compaction keeps. They stand after the summary, unless they are anchored at the boundary itself.
    fn preserved(
        &self,
        raw: &line::RawCompact<'a>,
        conversation: usize,
        boundary: Option<&str>,
    ) -> Preserved {
        let text = |one: &Text<'a>, other: &Text<'a>| one.0.clone().or_else(|| other.0.clone());
        let message = |uuid: &Cow<'a, str>| {
            let node = self.nodes.get(uuid).filter(|node| node.conversation == conversation)?;
            node.place.message
        };
        let mut anchor = None;
        let mut messages = Vec::new();
        for segment in [&raw.preserved_segment, &raw.preserved_segment_snake] {
            let ends = (text(&segment.head, &segment.head_snake), text(&segment.tail, &segment.tail_snake));
            if let (Some(head), Some(tail)) = ends
                && let (Some(head), Some(tail)) = (message(&head), message(&tail))
            {
                messages.extend(self.conversations[conversation].stretch(head, tail));
                anchor = anchor.or_else(|| text(&segment.anchor, &segment.anchor_snake));
            }
        }
        for named in [&raw.preserved_messages, &raw.preserved_messages_snake] {
            messages.extend(named.uuids.0.iter().filter_map(|uuid| message(uuid.0.as_ref()?)));
            anchor = anchor.or_else(|| text(&named.anchor, &named.anchor_snake));
        }
        let mut seen = BTreeSet::new();
        messages.retain(|&index| seen.insert(index));
        Preserved { messages, before_summary: boundary.is_some() && anchor.as_deref() == boundary }
    }

    fn microcompact(&mut self, line: &FullLine<'a>, conversation: usize) -> Place {
        let raw = &line.microcompact;
        let cause = Cause::Microcompacted {
            tokens_before: raw.tokens_before.0.or(raw.tokens_before_snake.0),
            tokens_saved: raw.tokens_saved.0.or(raw.tokens_saved_snake.0),
        };
        let results = raw.tool_ids.0.iter().chain(&raw.tool_ids_snake.0);
        let results = results.filter_map(|id| id.as_str().map(str::to_owned)).collect();
        let attachments = raw.attachments.0.iter().filter_map(|uuid| {
            let node = self.nodes.get(uuid.0.as_ref()?).filter(|node| node.conversation == conversation)?;
            let index = node.place.message?;
            let message = &self.conversations[conversation].transcript.messages[index];
            // A cleared line that made no message of its own names another's place.
            (message.uuid.as_deref() == uuid.as_str()).then_some(index)
        });
        let attachments = attachments.collect();
        self.conversations[conversation].microcompact(cause, results, &attachments)
    }

    fn finish(mut self, mut account: Account) -> Reading {
        if self.has_late_parent {
            let cycles = self.cycles();
            if cycles > 0 {
                account.oddities.insert(Oddity::CycleAmongParents, cycles);
            }
        }
        let forks_left: u64 = self.conversations.iter().map(|conversation| conversation.forks_left).sum();
        if forks_left > 0 {
            account.oddities.insert(Oddity::ForkNotFollowed, forks_left);
        }
        let mut transcripts: Vec<_> =
            self.conversations.drain(..).map(|conversation| conversation.transcript).collect();
        if transcripts.len() > 1 && transcripts[MAIN].messages.is_empty() {
            // A subagent's own file: its conversation is the main one.
            let lines = transcripts.remove(MAIN).session;
            let session = &mut transcripts[MAIN].session;
            session.started_at = earlier(session.started_at, lines.started_at);
        }
        let titles = self.title;
        transcripts[MAIN].session.first_prompt = titles.typed.clone();
        let typed = titles.typed.or_else(|| {
            let mut messages =
                transcripts[MAIN].messages.iter().filter(|message| message.origin == Origin::Typed);
            messages.find_map(|message| texts(&message.blocks).find_map(title_of))
        });
        transcripts[MAIN].session.title = titles.custom.or(titles.generated).or(titles.summary).or(typed);
        Reading { transcripts, account }
    }

    /// Cycles among the parents named in the file, found by following each line's parents once.
    fn cycles(&self) -> u64 {
        let mut walks: HashMap<&str, u64> = HashMap::with_capacity(self.nodes.len());
        let (mut cycles, mut walk) = (0, 0);
        for start in self.nodes.keys() {
            walk += 1;
            let mut at = start.as_ref();
            loop {
                match walks.get(at) {
                    Some(&known) => {
                        cycles += u64::from(known == walk);
                        break;
                    }
                    None => walks.insert(at, walk),
                };
                let Some(parent) = self.nodes.get(at).and_then(|node| node.parent.as_deref()) else { break };
                at = parent;
            }
        }
        cycles
    }
}

fn saw(session: &mut Session, at: Option<Timestamp>) {
    if at.is_some() {
        session.started_at = session.started_at.or(at);
        session.ended_at = at;
    }
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// Notes the calls that a response's blocks from `first` on open.
fn open_calls(conversation: &mut Conversation, response: MessageIndex, first: usize) {
    let message = &conversation.transcript.messages[response];
    let ids: Vec<String> = message.blocks[first..]
        .iter()
        .filter_map(|block| match &block.kind {
            BlockKind::ToolUse { id, server: false, .. } => Some(id.clone()),
            _ => None,
        })
        .collect();
    for id in ids {
        conversation.open_call(&id, response);
    }
}

fn texts(blocks: &[Block]) -> impl Iterator<Item = &str> {
    blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Text { text } => Some(text.as_str()),
        _ => None,
    })
}

fn user_origin(line: &FullLine<'_>, blocks: &[Block], has_results: bool) -> Origin {
    if line.is_summary.0 {
        return Origin::Summary;
    }
    if has_results {
        return Origin::ToolResults;
    }
    let has_media = blocks.iter().any(|block| matches!(block.kind, BlockKind::Media(_)));
    // Hidden lines are hidden from the person; the model is sent them.
    if line.is_meta.0 || line.is_hidden.0 || (!has_media && texts(blocks).all(is_client_text)) {
        return Origin::Client;
    }
    Origin::Typed
}
