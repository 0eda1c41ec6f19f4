//! One transcript's writes, and what it shows of files.

use crate::apply;
use crate::done;
use crate::path::resolve;
use crate::reported;
use crate::tools::{self, Change};
use crate::write::{MEMORY_SAVED, Prompt, Reported, Role, Shown, Write};
use retrace_model::Timestamp;
use retrace_transcript::{
    BackgroundSave, BlockKind, Done, Format, MessageIndex, Origin, ReadError, Reading, ResultPart,
    Transcript, WriterRole, background_saves, exit_code, is_background_agent, writer_role,
};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Writes and reads of files in a transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Writes, in the order of the file.
    pub writes: Vec<Write>,
    /// Shown parts of files, in the order of the file.
    pub shown: Vec<Shown>,
}

/// Every write of a transcript, and what it shows of files.
///
/// # Errors
/// Those of [`retrace_transcript::read`].
pub fn read(bytes: &[u8]) -> Result<Found, ReadError> {
    read_where(bytes, |_| true)
}

/// Every write of a transcript.
///
/// # Errors
/// Those of [`retrace_transcript::read`].
pub fn writes(bytes: &[u8]) -> Result<Vec<Write>, ReadError> {
    read(bytes).map(|found| found.writes)
}

/// As [`read`], of the files alone whose resolved path is wanted. A write that renames is wanted for either of its paths.
///
/// # Errors
/// Those of [`retrace_transcript::read`].
pub fn read_where(bytes: &[u8], is_wanted: impl Fn(&str) -> bool) -> Result<Found, ReadError> {
    Ok(of_reading(&retrace_transcript::read(bytes)?, bytes, is_wanted))
}

/// As [`read_where`], of a transcript that was read already from `bytes`.
#[must_use]
pub fn of_reading(reading: &Reading, bytes: &[u8], is_wanted: impl Fn(&str) -> bool) -> Found {
    let mut calls = Vec::new();
    let carried_out: Vec<HashMap<&str, Vec<&Done>>> = reading.transcripts.iter().map(carried_out).collect();
    for (conversation, transcript) in reading.transcripts.iter().enumerate() {
        find_calls(conversation, transcript, &carried_out[conversation], &mut calls);
    }
    let answers: Vec<HashMap<&str, Answer<'_>>> = reading.transcripts.iter().map(answers).collect();
    let lines = raw_lines(reading, bytes, &calls, &answers);
    let session = &reading.transcripts[0].session;
    let mut found = Found::default();
    // Where one line holds several calls, their writes are numbered together: place and number name a write.
    let mut numbered: HashMap<(usize, u32), usize> = HashMap::new();
    for call in &calls {
        let transcript = &reading.transcripts[call.conversation];
        let raw = lines.get(&call.line);
        let directory = raw.and_then(|line| line["cwd"].as_str());
        let directory = directory.or(transcript.session.project.as_deref()).or(session.project.as_deref());
        let answer = answers[call.conversation].get(call.id);
        let result = answer.and_then(|answer| lines.get(&answer.line)).map(|line| &line["toolUseResult"]);
        if let Some(named) = tools::shown_path(call.tool, call.input)
            && let Some(shown) = shown(call, named, directory, answer, result)
            && is_wanted(&shown.path)
        {
            let of = About::new(reading, call);
            found.shown.push(Shown { turn: of.turn, session: of.session, ..shown });
        }
        let first = numbered.entry((call.conversation, call.line)).or_default();
        if let Some(dones) = carried_out[call.conversation].get(call.id) {
            let (writes, count) = writes_done(reading, call, dones, directory, answer, &is_wanted);
            found.writes.extend(writes.into_iter().map(|write| Write { part: write.part + *first, ..write }));
            *first += count;
            continue;
        }
        let changes = tools::changes(call.tool, call.input, directory);
        let before = *first;
        *first += changes.len();
        let wanted = |change: &Change| is_wanted(&change.path) || target(change).is_some_and(&is_wanted);
        if !changes.iter().any(wanted) {
            continue;
        }
        let of = About::new(reading, call);
        let alone = changes.len() == 1;
        let kept = changes.into_iter().enumerate().filter(|(_, change)| wanted(change));
        found.writes.extend(
            kept.map(|(part, change)| {
                of.write(call, before + part, change, answer, result.filter(|_| alone))
            }),
        );
    }
    found.writes.extend(writes_of(reading, bytes).into_iter().filter(|write| is_wanted(&write.path)));
    found
}

/// Writes that the client says it carried out for a call.
fn writes_done(
    reading: &Reading,
    call: &Call<'_>,
    dones: &[&Done],
    directory: Option<&str>,
    answer: Option<&Answer<'_>>,
    is_wanted: impl Fn(&str) -> bool,
) -> (Vec<Write>, usize) {
    let mut writes = Vec::new();
    let mut count = 0;
    let mut about = None;
    let changes = dones.iter().flat_map(|one| {
        done::changes(one, directory).into_iter().map(move |(change, reported)| (*one, change, reported))
    });
    for (part, (one, change, reported)) in changes.enumerate() {
        count = part + 1;
        if !is_wanted(&change.path) && !target(&change).is_some_and(&is_wanted) {
            continue;
        }
        let of = about.get_or_insert_with(|| About::new(reading, call));
        let mut write = of.write(call, part, change, answer, None);
        if reported != Reported::default() {
            write.reported = reported;
        }
        write.answered_at = one.at.or(write.answered_at);
        write.succeeded = one.succeeded.or(write.succeeded);
        // What an answer says is of the last of several commands.
        write.was_run = one.exit_code.is_some_and(|code| code != 0);
        writes.push(write);
    }
    (writes, count)
}

/// What was carried out, by the call it was done for.
fn carried_out(transcript: &Transcript) -> HashMap<&str, Vec<&Done>> {
    let mut done: HashMap<&str, Vec<&Done>> = HashMap::new();
    for one in &transcript.done {
        done.entry(&one.call).or_default().push(one);
    }
    done
}

/// Writes that a session reports of its background extractions.
fn writes_of(reading: &Reading, bytes: &[u8]) -> Vec<Write> {
    let transcript = &reading.transcripts[0];
    if transcript.format != Format::ClaudeCode {
        return Vec::new();
    }
    let of = |save: BackgroundSave| {
        let session = save.session.or_else(|| transcript.session.id.clone());
        save.paths.into_iter().enumerate().map(move |(part, path)| Write {
            path: resolve(&path, None),
            named: path,
            effect: crate::Effect::Unparsed,
            reported: Reported::default(),
            format: Format::ClaudeCode,
            tool: MEMORY_SAVED.to_owned(),
            tool_use_id: None,
            part,
            line: save.line,
            at: None,
            answered_at: save.at,
            conversation: 0,
            message: 0,
            block: 0,
            turn: None,
            model: None,
            session: session.clone(),
            role: Role::Background,
            agent: None,
            succeeded: Some(true),
            was_run: false,
            prompt: None,
            conditional: false,
        })
    };
    background_saves(bytes).into_iter().flat_map(of).collect()
}

fn target(change: &Change) -> Option<&str> {
    match &change.effect {
        crate::Effect::Rename { to } => Some(to),
        crate::Effect::Patch(patch) => patch.moved_to.as_deref(),
        _ => None,
    }
}

/// A call that may be of interest.
struct Call<'r> {
    conversation: usize,
    message: MessageIndex,
    block: usize,
    line: u32,
    id: &'r str,
    tool: &'r str,
    input: &'r Value,
}

/// The answer to a call.
struct Answer<'r> {
    line: u32,
    at: Option<Timestamp>,
    is_error: bool,
    content: &'r [ResultPart],
}

fn find_calls<'r>(
    conversation: usize,
    transcript: &'r Transcript,
    carried_out: &HashMap<&str, Vec<&Done>>,
    calls: &mut Vec<Call<'r>>,
) {
    for (index, message) in transcript.messages.iter().enumerate() {
        for (at, block) in message.blocks.iter().enumerate() {
            if let BlockKind::ToolUse { id, name, input, .. } = &block.kind
                && (tools::may_write(name)
                    || tools::shows_files(name)
                    || carried_out.contains_key(id.as_str()))
            {
                let line = if block.line == 0 { message.line } else { block.line };
                calls.push(Call { conversation, message: index, block: at, line, id, tool: name, input });
            }
        }
    }
}

fn answers(transcript: &Transcript) -> HashMap<&str, Answer<'_>> {
    let mut answers = HashMap::new();
    for message in &transcript.messages {
        for block in &message.blocks {
            if let BlockKind::ToolResult { tool_use_id, content, is_error, .. } = &block.kind {
                let line = if block.line == 0 { message.line } else { block.line };
                let answer = Answer { line, at: message.at, is_error: *is_error, content };
                answers.entry(tool_use_id.as_str()).or_insert(answer);
            }
        }
    }
    answers
}

/// Lines of a Claude Code session that tell more than the conversation.
fn raw_lines(
    reading: &Reading,
    bytes: &[u8],
    calls: &[Call<'_>],
    answers: &[HashMap<&str, Answer<'_>>],
) -> HashMap<u32, Value> {
    if reading.transcripts[0].format != Format::ClaudeCode {
        return HashMap::new();
    }
    let mut wanted = BTreeSet::new();
    for call in calls {
        // Where a shell was is told by the line of the call alone; other tools name whole paths.
        let named = call.input["file_path"].as_str().or(call.input["path"].as_str());
        if named.is_none_or(|path| !path.starts_with('/')) {
            wanted.insert(call.line);
        }
        if named.is_some() {
            wanted.extend(answers[call.conversation].get(call.id).map(|answer| answer.line));
        }
    }
    reported::lines(bytes, &wanted)
}

/// Facts shared by all writes of a call.
struct About<'r> {
    transcript: &'r Transcript,
    turn: Option<u64>,
    model: Option<String>,
    session: Option<String>,
    role: Role,
    prompt: Option<Prompt>,
}

impl<'r> About<'r> {
    fn new(reading: &'r Reading, call: &Call<'_>) -> Self {
        let transcript = &reading.transcripts[call.conversation];
        let request = transcript.requests.iter().position(|request| request.response == Some(call.message));
        let session = transcript.session.id.clone().or_else(|| reading.transcripts[0].session.id.clone());
        Self {
            transcript,
            turn: request.map(|request| request as u64 + 1),
            model: request.and_then(|request| transcript.requests[request].model.clone()),
            session,
            role: match writer_role(transcript) {
                WriterRole::Background => Role::Background,
                WriterRole::Subagent => Role::Subagent,
                WriterRole::Main if call.conversation > 0 => Role::Subagent,
                WriterRole::Main => Role::Main,
            },
            prompt: prompt_before(transcript, request, call.message),
        }
    }

    fn write(
        &self,
        call: &Call<'_>,
        part: usize,
        change: Change,
        answer: Option<&Answer<'_>>,
        result: Option<&Value>,
    ) -> Write {
        let Change { named, path, mut effect, conditional, mentioned: _ } = change;
        let reported = result.map_or_else(Reported::default, |result| reported::take(result, &mut effect));
        let mut write = Write {
            path,
            named,
            effect,
            reported,
            format: self.transcript.format,
            tool: call.tool.to_owned(),
            tool_use_id: Some(call.id.to_owned()).filter(|id| !id.is_empty()),
            part,
            line: call.line,
            at: self.transcript.messages[call.message].at,
            answered_at: answer.and_then(|answer| answer.at),
            conversation: call.conversation,
            message: call.message,
            block: call.block,
            turn: self.turn,
            model: self.model.clone(),
            session: self.session.clone(),
            role: self.role,
            agent: self.transcript.session.agent.clone(),
            succeeded: answer
                .and_then(|answer| succeeded(self.transcript.format, answer.is_error, answer.content)),
            was_run: answer.and_then(|answer| exit_code(answer.content)).is_some_and(|code| code != 0),
            prompt: self.prompt.clone(),
            conditional,
        };
        if write.reported.before.is_some()
            || write.reported.was_absent
            || matches!(write.effect, crate::Effect::Whole(_))
        {
            let patched = write.reported.after.take();
            let made = apply(&write, write.reported.before.as_deref().map(str::as_bytes));
            let made = made.and_then(|made| String::from_utf8(made).ok());
            // A patch without marks does not say whether a line feed ends the file.
            write.reported.after = patched
                .filter(|patched| {
                    made.as_deref()
                        .is_none_or(|made| made.trim_end_matches('\n') != patched.trim_end_matches('\n'))
                })
                .or(made);
        }
        write
    }
}

/// Who an agent is, by its id.
#[must_use]
pub fn role_of_agent(agent: &str) -> Role {
    if is_background_agent(agent) { Role::Background } else { Role::Subagent }
}

/// The last message before a call in which somebody asked for something: what was typed, else what a request holds as the
/// user's own text.
fn prompt_before(transcript: &Transcript, request: Option<usize>, call: MessageIndex) -> Option<Prompt> {
    let request = request.and_then(|request| transcript.requests.get(request));
    let sent: &[MessageIndex] = request.map_or(&[], |request| {
        let messages = transcript.segments.get(request.segment).map_or(&[][..], |segment| &segment.messages);
        &messages[..request.upto.min(messages.len())]
    });
    let asks = |index: MessageIndex| -> Option<Prompt> {
        let message = transcript.messages.get(index)?;
        let asked = matches!(message.origin, Origin::Typed | Origin::Unsaid);
        if !asked || message.role != retrace_transcript::Role::User {
            return None;
        }
        let texts: Vec<&str> = message
            .blocks
            .iter()
            .filter_map(|block| match &block.kind {
                BlockKind::Text { text } if !text.trim().is_empty() => Some(text.as_str()),
                _ => None,
            })
            .collect();
        (!texts.is_empty()).then(|| Prompt { message: index, text: Arc::from(texts.join("\n")) })
    };
    // What was typed while the agent worked stands apart, behind the message of the same line that brought it.
    let brought = |index: MessageIndex| {
        let line = transcript.messages.get(index)?.line;
        let apart = transcript.messages.get(index + 1)?;
        (line > 0 && apart.line == line).then(|| asks(index + 1)).flatten()
    };
    // A prompt that a compaction took away is still the prompt.
    sent.iter()
        .rev()
        .find_map(|index| asks(*index).or_else(|| brought(*index)))
        .or_else(|| (0..call).rev().find_map(asks))
}

/// Success of a call by its answer; `None` if unknown. Codex says so in the text of its answer.
#[must_use]
pub fn succeeded(format: Format, is_error: bool, content: &[ResultPart]) -> Option<bool> {
    if is_error {
        return Some(false);
    }
    if format != Format::CodexRollout {
        return Some(true);
    }
    exit_code(content).map(|code| code == 0)
}

/// Part of a file that an answer shows. Turn and session are put in by the caller.
fn shown(
    call: &Call<'_>,
    named: &str,
    directory: Option<&str>,
    answer: Option<&Answer<'_>>,
    result: Option<&Value>,
) -> Option<Shown> {
    let answer = answer.filter(|answer| !answer.is_error)?;
    let shown = |text: String, first_line: u64, is_whole: bool, end_is_known: bool| Shown {
        path: crate::path::resolve(named, directory),
        text,
        is_whole,
        end_is_known,
        first_line,
        tool: call.tool.to_owned(),
        tool_use_id: Some(call.id.to_owned()).filter(|id| !id.is_empty()),
        line: answer.line,
        at: answer.at,
        conversation: call.conversation,
        turn: None,
        session: None,
    };
    if let Some((_, text, first, is_whole)) = result.and_then(reported::shown) {
        return Some(shown(text.to_owned(), first, is_whole, true));
    }
    let text = answer.content.iter().find_map(|part| match part {
        ResultPart::Text(text) => Some(text.as_str()),
        _ => None,
    })?;
    let (text, first) = without_numbers(text)?;
    let asked_for_part = ["offset", "limit", "view_range"].iter().any(|key| !call.input[key].is_null());
    Some(shown(text, first, first <= 1 && !asked_for_part, false))
}

/// The text of numbered lines, and the first number. Lines before the first numbered one are the tool's own; what comes
/// after the last is, too. `None` where the numbers do not follow each other.
fn without_numbers(text: &str) -> Option<(String, u64)> {
    let numbered = |line: &str| -> Option<(u64, usize)> {
        let start = line.len() - line.trim_start_matches(' ').len();
        let digits = line[start..].bytes().take_while(u8::is_ascii_digit).count();
        let number = line[start..start + digits].parse().ok()?;
        let rest = &line[start + digits..];
        let mark = ['\t', '→'].into_iter().find(|mark| rest.starts_with(*mark))?;
        Some((number, start + digits + mark.len_utf8()))
    };
    let mut first = None;
    let mut next = 0;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        match (numbered(line), first) {
            (Some((number, at)), None) => {
                (first, next) = (Some(number), number + 1);
                lines.push(&line[at..]);
            }
            (Some((number, at)), Some(_)) if number == next => {
                next += 1;
                lines.push(&line[at..]);
            }
            (None, None) => {}
            (None, Some(_)) => break,
            (Some(_), Some(_)) => return None,
        }
    }
    first.map(|first| (lines.join("\n"), first))
}

#[cfg(test)]
mod tests;
