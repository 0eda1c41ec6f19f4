//! Gemini CLI chats (0.61): JSON lines with a header, messages, and `$set`, which changes the record. One JSON document with a
//! list of messages is read as such a file with one `$set`.
//!
//! A message of the model is written again under its id once its tools ran. `$set` with messages replaces the list: at the
//! beginning and on a resume, where the same messages come again, and where the client compressed the history: then a summary and a
//! thank-you that no model wrote stand for what was there. `$rewindTo` takes a message and those behind it. System instruction, tools, global and private memory are not recorded.

mod imports;
mod parts;

pub use imports::without_imports;

use crate::account::{count, json_reason, odd};
use crate::documents::each_document;
use crate::lenient::{Count, List, Raw, Text, lenient_object};
use crate::{
    Account, Block, BlockKind, Cause, Compaction, Format, Message, MessageIndex, Oddity, Origin, Reading,
    Request, Role, Segment, Session, Transcript, Usage,
};
use parts::{Parts, RawCall};
use retrace_model::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

lenient_object! {
    /// The fields of every line together.
    struct RawLine<'a> {
        set: Option<Raw<'a>> = "$set",
        rewind: Text<'a> = "$rewindTo",
        session_id: Text<'a> = "sessionId",
        session_kind: Text<'a> = "kind",
        started: Text<'a> = "startTime",
        directories: List<Text<'a>> = "directories",
        summary: Text<'a> = "summary",
        messages: Option<List<Raw<'a>>> = "messages",
        id: Text<'a> = "id",
        timestamp: Text<'a> = "timestamp",
        kind: Text<'a> = "type",
        content: Raw<'a> = "content",
        thoughts: List<Raw<'a>> = "thoughts",
        tokens: Option<RawTokens<'a>> = "tokens",
        model: Text<'a> = "model",
        calls: List<Raw<'a>> = "toolCalls",
    }
}

lenient_object! {
    struct RawTokens<'a> {
        input: Count = "input",
        output: Count = "output",
        cached: Count = "cached",
        thoughts: Count = "thoughts",
        tool: Count = "tool",
    }
}

impl RawTokens<'_> {
    /// Input is all of the prompt, what the cache gave included; thinking is billed as output and is not in `output`.
    fn to_usage(&self) -> Usage {
        let prompt = self.input.or_zero().saturating_add(self.tool.or_zero());
        let cached = self.cached.or_zero().min(prompt);
        Usage {
            input: prompt - cached,
            cache_read: cached,
            output: self.output.or_zero().saturating_add(self.thoughts.or_zero()),
            reasoning: self.thoughts.0,
            ..Usage::default()
        }
    }
}

/// Types of messages that the model does not see.
const WITHOUT_CONTEXT: [&str; 3] = ["info", "warning", "error"];

struct Reader {
    transcript: Transcript,
    /// The message that an id of a role stands for now: a resume gives the results of an answer's calls the id of the answer.
    messages: HashMap<(Role, String), MessageIndex>,
    requests: HashMap<String, usize>,
    /// Ids of requests, which are unique.
    taken: HashSet<String>,
    /// Calls whose execution is known.
    done: HashSet<String>,
    failed: HashSet<String>,
    /// The messages of the last segment.
    live: HashSet<MessageIndex>,
    copies: usize,
    /// True between the header that a resume writes again and the whole list of messages behind it.
    resumes: bool,
}

/// Message indices that lists may copy together; a file that asks for more is not followed there.
const COPIES: usize = 4 << 20;

pub(crate) fn read(bytes: &[u8]) -> Reading {
    let mut account = Account::default();
    let mut reader = Reader {
        transcript: Transcript {
            format: Format::GeminiChat,
            session: Session::default(),
            preambles: Vec::new(),
            messages: Vec::new(),
            segments: vec![segment(Cause::Start, Vec::new())],
            requests: Vec::new(),
            done: Vec::new(),
            folded: Vec::new(),
        },
        messages: HashMap::new(),
        requests: HashMap::new(),
        taken: HashSet::new(),
        done: HashSet::new(),
        failed: HashSet::new(),
        live: HashSet::new(),
        copies: 0,
        resumes: false,
    };
    each_document(bytes, &mut account, |number, document, account| {
        if let Err(reason) = reader.line(number, document, account) {
            crate::account::malformed(account, u64::from(number), reason);
        }
    });
    let mut transcript = reader.transcript;
    let first_prompt = crate::title(&transcript.messages);
    transcript.session.title = transcript.session.title.take().or_else(|| first_prompt.clone());
    transcript.session.first_prompt = first_prompt;
    Reading { transcripts: vec![transcript], account }
}

/// Messages of a list before a place that are not known: they are pushed first.
fn unknown_before(known: &[Option<MessageIndex>], place: usize) -> usize {
    known[..place].iter().filter(|known| known.is_none()).count()
}

fn segment(cause: Cause, messages: Vec<MessageIndex>) -> Segment {
    Segment { messages, cause, dropped_results: Arc::default() }
}

/// What the client has the model say behind the summary of a history that it compressed.
const THANKS: &str = "Got it. Thanks for the additional context!";

/// A message as it will stand in the transcript.
struct Told {
    id: String,
    /// True for an answer that a call gave.
    is_call: bool,
    /// True for what the client has the model say.
    is_thanks: bool,
    message: Message,
    model: Option<String>,
    usage: Option<Usage>,
    project: Option<String>,
}

impl Reader {
    fn line(
        &mut self,
        number: u32,
        json: &RawValue,
        account: &mut Account,
    ) -> Result<(), retrace_message::Message> {
        let raw: RawLine<'_> = serde_json::from_str(json.get()).map_err(|error| json_reason(&error))?;
        if let Some(set) = raw.set {
            let set: RawLine<'_> =
                set.0.and_then(|set| serde_json::from_str(set.get()).ok()).unwrap_or_default();
            self.set(number, set, account);
        } else if let Some(id) = raw.rewind.as_str() {
            count(&mut account.without_context, "$rewindTo");
            self.rewind(id, account);
        } else if raw.session_id.as_str().is_some() {
            count(&mut account.without_context, "header");
            self.header(number, raw, account);
        } else if raw.id.as_str().is_some() && raw.kind.as_str().is_some() {
            if let Some(told) = self.told(number, raw, account) {
                self.seen(told.message.at);
                self.take(told);
            }
        } else {
            count(&mut account.unknown, raw.kind.or_empty());
        }
        Ok(())
    }

    fn seen(&mut self, at: Option<Timestamp>) {
        let session = &mut self.transcript.session;
        session.started_at = session.started_at.or(at);
        session.ended_at = session.ended_at.max(at);
    }

    fn header(&mut self, number: u32, raw: RawLine<'_>, account: &mut Account) {
        self.resumes = !self.live().is_empty();
        let session = &mut self.transcript.session;
        if session.id.is_none() {
            session.started_at = Timestamp::parse(raw.started.or_empty()).ok();
            session.id = raw.session_id.into_string();
            if raw.session_kind.or_empty() == "subagent" {
                session.agent.clone_from(&session.id);
            }
            let directory = raw.directories.0.into_iter().find_map(Text::into_string);
            session.project = directory.or(session.project.take());
        }
        if let Some(messages) = raw.messages {
            self.replace(number, &messages, true, account);
        }
    }

    fn set(&mut self, number: u32, raw: RawLine<'_>, account: &mut Account) {
        // That of a subagent is its answer.
        let is_main = self.transcript.session.agent.is_none();
        let summary = raw.summary.as_str().filter(|_| is_main);
        if let Some(summary) = summary.and_then(crate::claude_code::line::title_of) {
            self.transcript.session.title = Some(summary);
        }
        match raw.messages {
            Some(messages) => self.replace(number, &messages, false, account),
            None => count(&mut account.without_context, "$set"),
        }
    }

    /// A person went back to before a message. One that is not there takes all of them, as the client reads it.
    fn rewind(&mut self, id: &str, account: &mut Account) {
        let of = [Role::User, Role::Assistant].map(|role| self.messages.get(&(role, id.to_owned())));
        let place = self.live().iter().position(|live| of.contains(&Some(live)));
        let kept = self.live()[..place.unwrap_or(0)].to_vec();
        if kept.len() == self.live().len() {
            return;
        }
        self.copies = self.copies.saturating_add(kept.len());
        if self.copies > COPIES {
            return odd(account, Oddity::ListOfMessagesNotFollowed);
        }
        self.live = kept.iter().copied().collect();
        self.transcript.segments.push(segment(Cause::Rewound, kept));
    }

    /// The list of messages becomes another one. A history that the client rewrites has answers under new ids and without
    /// tokens: they tell of no call, unless the list is all there is (`is_whole`).
    fn replace(&mut self, number: u32, messages: &List<Raw<'_>>, is_whole: bool, account: &mut Account) {
        let live = self.live().len();
        let mut told = Vec::new();
        for json in messages.0.iter().filter_map(|json| json.0) {
            let raw: RawLine<'_> = serde_json::from_str(json.get()).unwrap_or_default();
            told.extend(self.told(number, raw, account));
        }
        let known: Vec<Option<MessageIndex>> = told.iter().map(|told| self.equal(told)).collect();
        let goes_on =
            known.len() >= live && known.iter().zip(self.live()).all(|(known, &index)| *known == Some(index));
        if !goes_on {
            self.copies = self.copies.saturating_add(known.len());
            if self.copies > COPIES {
                odd(account, Oddity::ListOfMessagesNotFollowed);
                return;
            }
            let all_known: Option<Vec<MessageIndex>> = known.iter().copied().collect();
            let is_beginning = all_known.is_some_and(|known| self.live().starts_with(&known));
            let summary =
                told.iter().position(|told| told.is_thanks).and_then(|thanks| thanks.checked_sub(1));
            // One that is known was compressed before, and comes again.
            let summary = summary.filter(|summary| known.get(*summary).is_some_and(Option::is_none));
            let cause = match summary {
                Some(summary) => {
                    told[summary].message.origin = Origin::Summary;
                    let summary = Some(self.transcript.messages.len() + unknown_before(&known, summary));
                    let at = told.last().and_then(|told| told.message.at);
                    Cause::Compacted(Compaction { line: number, at, summary, ..Compaction::default() })
                }
                // Who resumes a session begins its record anew, and then writes all of it.
                None if is_beginning && !self.resumes => Cause::Rewound,
                None => Cause::Replaced,
            };
            if live > 0 {
                self.live.clear();
                self.transcript.segments.push(segment(cause, Vec::new()));
            }
        }
        self.resumes &= !goes_on;
        let from = if goes_on { live } else { 0 };
        for (mut told, known) in told.into_iter().zip(known).skip(from) {
            self.seen(told.message.at);
            told.is_call &= is_whole || told.usage.is_some();
            match known.filter(|index| !self.live.contains(index)) {
                Some(index) => self.append(index),
                None => self.push(told),
            }
        }
    }

    fn live(&self) -> &[MessageIndex] {
        self.transcript.segments.last().map_or(&[], |segment| &segment.messages)
    }

    fn append(&mut self, index: MessageIndex) {
        self.live.insert(index);
        if let Some(segment) = self.transcript.segments.last_mut() {
            segment.messages.push(index);
        }
    }

    /// The message of this id, if it still says the same.
    fn equal(&self, told: &Told) -> Option<MessageIndex> {
        let index = *self.messages.get(&(told.message.role, told.id.clone()))?;
        let known = self.transcript.messages.get(index)?;
        let same = known.blocks.iter().map(|block| &block.kind);
        let same = same.eq(told.message.blocks.iter().map(|block| &block.kind));
        (known.role == told.message.role && same).then_some(index)
    }

    /// A line of a message: a new one, or one that is told again.
    fn take(&mut self, told: Told) {
        let again = self.messages.get(&(told.message.role, told.id.clone())).copied();
        let again = again.filter(|index| self.live.contains(index));
        let Some(index) = again else { return self.push(told) };
        if let Some(&request) = self.requests.get(&told.id)
            && let Some(request) = self.transcript.requests.get_mut(request)
        {
            request.output_is_final |= told.usage.is_some();
            request.usage = told.usage.or(request.usage.take());
        }
        self.transcript.messages[index].blocks = told.message.blocks;
        self.transcript.session.project = self.transcript.session.project.take().or(told.project);
    }

    fn push(&mut self, told: Told) {
        let index = self.transcript.messages.len();
        if told.is_call && !self.requests.contains_key(&told.id) {
            self.requests.insert(told.id.clone(), self.transcript.requests.len());
            let segment = self.transcript.segments.len() - 1;
            let number = self.transcript.requests.len();
            let mut id = if told.id.is_empty() { format!("request-{number}") } else { told.id.clone() };
            while !self.taken.insert(id.clone()) {
                id.push('\'');
            }
            self.transcript.requests.push(Request {
                id,
                request_id: None,
                at: told.message.at,
                model: told.model,
                segment,
                upto: self.live().len(),
                response: Some(index),
                preamble: None,
                output_is_final: told.usage.is_some(),
                usage: told.usage,
                stop_reason: None,
                applied_edits: None,
                parameters: Value::Null,
            });
        }
        self.messages.insert((told.message.role, told.id), index);
        self.transcript.messages.push(told.message);
        self.append(index);
        self.transcript.session.project = self.transcript.session.project.take().or(told.project);
    }

    /// `None` for what the model does not see.
    fn told(&mut self, number: u32, raw: RawLine<'_>, account: &mut Account) -> Option<Told> {
        let at = Timestamp::parse(raw.timestamp.or_empty()).ok();
        let kind = raw.kind.or_empty();
        let is_answer = kind == "gemini";
        if !is_answer && kind != "user" {
            let known = WITHOUT_CONTEXT.contains(&kind);
            let tally = if known { &mut account.without_context } else { &mut account.unknown };
            count(tally, &format!("message/{kind}"));
            return None;
        }
        let calls: Vec<RawCall<'_>> =
            raw.calls.0.iter().filter_map(|call| serde_json::from_str(call.0?.get()).ok()).collect();
        for call in &calls {
            if call.has_failed() {
                self.failed.insert(call.id.or_empty().to_owned());
            }
            if let Some(done) = call.done(number)
                && self.done.insert(done.call.clone())
            {
                self.transcript.done.push(done);
            }
        }
        let mut parts = Parts::default();
        if is_answer {
            parts.thoughts(&raw.thoughts);
        }
        parts.content(raw.content.0, &self.failed, account);
        parts.calls(&calls);
        let usage = raw.tokens.filter(|tokens| tokens.input.0.is_some()).map(|tokens| tokens.to_usage());
        let is_thanks = is_answer
            && usage.is_none()
            && matches!(parts.blocks.as_slice(), [BlockKind::Text { text }] if text == THANKS);
        let origin = match is_answer {
            true if is_thanks => Origin::Client,
            true => Origin::Model,
            false => parts.origin(),
        };
        let id = raw.id.into_string().unwrap_or_default();
        let message = Message {
            role: if is_answer { Role::Assistant } else { Role::User },
            origin,
            blocks: parts.blocks.into_iter().map(|kind| Block { kind, line: number }).collect(),
            uuid: Some(id.clone()),
            api_id: Some(id.clone()).filter(|_| is_answer && !is_thanks),
            at,
            line: number,
        };
        Some(Told {
            id,
            is_call: is_answer && !is_thanks,
            is_thanks,
            message,
            model: raw.model.into_string(),
            usage,
            project: parts.project,
        })
    }
}
