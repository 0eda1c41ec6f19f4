//! What a session did, in order: commands, edits, what the person said, questions of the model.

use crate::added::{Written, written_by};
use crate::paths::is_known;
use crate::shell::{Calls, FileWrite, calls};
use retrace_model::Timestamp;
use retrace_origin::{
    Effect, Found, command_of, commands_of, directory_of, is_below, only_named, paths_of, resolve,
};
use retrace_transcript::{
    BlockKind, DoneWhat, Format, Message, MessageIndex, Origin, Reading, ResultPart, Transcript, answer_ids,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Tools by which a model asks the person something and gets the answer as its result.
const QUESTIONS: [&str; 5] =
    ["AskUserQuestion", "ExitPlanMode", "ask_user", "request_user_input", "question"];

/// Longest text of a person that is kept, in characters: half of it from the beginning, half from the end.
const LONGEST_SAID: usize = 32_000;

/// The same, of the model. It asks at the end.
const LONGEST_TOLD: usize = 4_000;

/// One thing that happened in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deed {
    /// Conversation of the file: 0 is the main one, others are inside it (sidechains).
    pub conversation: usize,
    /// Request whose answer it is part of, as an index of the conversation's requests.
    pub request: Option<usize>,
    /// The turn: requests of the conversation up to and with [`Self::request`].
    pub turn: Option<u64>,
    /// Tells the answer that it is part of from every other one, also where a fork repeats it: its id as
    /// [`retrace_transcript::answer_ids`] gives it.
    pub answer: Option<u64>,
    /// True if it was done in another session, which this one repeats as forks do: it tells what was done before, and counts there.
    pub copied: bool,
    /// Line in the transcript, from 1; 0 where a file is not made of lines.
    pub line: u32,
    /// When it was written.
    #[serde(with = "instant")]
    pub at: Option<Timestamp>,
    /// Id of the call.
    pub tool_use_id: Option<String>,
    /// True if the call's answer says that it failed.
    pub failed: bool,
    /// True if it was never carried out: a hook or the person refused it, or the client did not take it.
    pub refused: bool,
    /// True if the call did not fail, and what it put out says that git did: `git push | tail`.
    pub in_doubt: bool,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// A shell command.
    Command {
        /// The command as the model wrote it.
        text: String,
        /// The programs it calls.
        calls: Calls,
    },
    /// A file was written, or was to be written.
    Edit {
        /// Its path, resolved.
        path: String,
        /// The text that it brought; `None` where the call does not tell, or it is too long to keep.
        written: Option<Written>,
        /// Of a file that a shell command writes, the calls of that command which write it, as a range of [`Calls::calls`]: it was
        /// written when these were done.
        by: Option<(usize, usize)>,
        /// True if a shell command changed all below it as well: it removed or moved it, or put something at its place.
        with_all_below: bool,
        /// True if a shell command wrote this file only where a directory is that nobody knows of.
        perhaps: bool,
    },
    /// The person said something.
    Said(String),
    /// A tool asked the person something: its questions, a line each.
    Asked(String),
    /// The person answered a question that a tool asked.
    Answered,
    /// The model said something to the person.
    Told(String),
}

/// What a session did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deeds {
    /// The directory the session ran in.
    pub directory: Option<String>,
    /// All that happened, in the order of the file.
    pub all: Vec<Deed>,
}

impl Deeds {
    /// Every text of the transcript that is in it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        // What a call holds is a part of its command.
        self.all.iter().flat_map(|deed| deed.what.texts()).flatten().chain(self.directory.as_deref())
    }
}

impl What {
    fn texts(&self) -> [Option<&str>; 2] {
        match self {
            Self::Command { text, .. } | Self::Said(text) | Self::Told(text) | Self::Asked(text) => {
                [Some(text), None]
            }
            Self::Edit { path, written, .. } => {
                [Some(path), written.as_ref().map(|written| written.text.as_str())]
            }
            Self::Answered => [None, None],
        }
    }
}

/// An instant as microseconds since 1970.
mod instant {
    use retrace_model::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<S: Serializer>(at: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
        at.map(Timestamp::micros).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
        Ok(Option::<i64>::deserialize(from)?.map(Timestamp::from_micros))
    }
}

/// What a transcript says was done; `found` are its writes as `retrace_origin::of_reading` gives them.
#[must_use]
pub fn deeds(reading: &Reading, found: &Found) -> Deeds {
    let directory = reading.transcripts.first().and_then(|transcript| transcript.session.project.clone());
    let all = placed(reading, found, &|_| Vec::new()).into_iter().map(|placed| placed.deed);
    let mut all: Vec<Deed> = all.collect();
    note_copies(&mut all, begun(reading));
    Deeds { directory, all }
}

/// When the session of a transcript began that may repeat another's: what was done before, was done there.
pub(crate) fn begun(reading: &Reading) -> Option<Timestamp> {
    let main = reading.transcripts.first()?;
    main.session.started_at.filter(|_| matches!(main.format, Format::ClaudeCode | Format::Opencode))
}

/// Marks what was done before a session began.
pub(crate) fn note_copies(deeds: &mut [Deed], begun: Option<Timestamp>) {
    /// Lines of one moment are not written in the order of their times.
    const ONE_MOMENT: i64 = 1_000_000;
    let Some(begun) = begun else { return };
    for deed in deeds {
        deed.copied = deed.at.is_some_and(|at| at.micros() < begun.micros().saturating_sub(ONE_MOMENT));
    }
}

/// A deed with its message.
pub(crate) struct Placed {
    pub(crate) deed: Deed,
    pub(crate) message: MessageIndex,
}

/// As [`deeds`], each with its message. `asked` gives for a conversation the calls before that asked the person something.
pub(crate) fn placed(reading: &Reading, found: &Found, asked: &dyn Fn(usize) -> Vec<String>) -> Vec<Placed> {
    let mut edits = Edits::new();
    let mut named: HashMap<(usize, MessageIndex, usize), HashSet<String>> = HashMap::new();
    for write in found.writes.iter().filter(|write| !write.is_saying()) {
        let place = (write.conversation, write.message, write.block);
        let by_shell = || command_of(&write.tool, &Value::Null).is_some();
        if write.effect == Effect::Unparsed && by_shell() {
            let named = named.entry(place).or_insert_with(|| named_by(reading, place));
            if named.contains(&write.named) {
                continue;
            }
        }
        let of_call = edits.entry(place).or_default();
        of_call.push((&write.path, written_by(write)));
        match &write.effect {
            Effect::Rename { to } => of_call.push((to, None)),
            Effect::Patch(patch) => of_call.extend(patch.moved_to.iter().map(|to| (to.as_str(), None))),
            _ => {}
        }
    }
    let mut all = Vec::new();
    for (conversation, transcript) in reading.transcripts.iter().enumerate() {
        let before = asked(conversation);
        let questions = before.iter().map(String::as_str).collect();
        Conversation::of(conversation, transcript, &edits).add_to(&mut all, questions);
    }
    all
}

/// The files that a command names without it being known whether it writes them.
fn named_by(reading: &Reading, place: (usize, MessageIndex, usize)) -> HashSet<String> {
    let (conversation, message, block) = place;
    let message =
        reading.transcripts.get(conversation).and_then(|transcript| transcript.messages.get(message));
    match message.and_then(|message| message.blocks.get(block)).map(|block| &block.kind) {
        Some(BlockKind::ToolUse { name, input, .. }) => only_named(name, input).into_iter().collect(),
        _ => HashSet::new(),
    }
}

/// True for a tool by which a model asks the person something.
pub(crate) fn is_question(tool: &str) -> bool {
    QUESTIONS.contains(&tool)
}

/// Files that a block writes, each with the lines that it brings.
type Edits<'r> = HashMap<(usize, MessageIndex, usize), Vec<(&'r str, Option<Written>)>>;

struct Conversation<'r> {
    number: usize,
    transcript: &'r Transcript,
    edits: &'r Edits<'r>,
    requests: HashMap<MessageIndex, usize>,
    answers: Vec<u64>,
    failed: HashMap<&'r str, Failure>,
    /// By call, the commands that the client says it carried out, and whether each failed.
    ended: HashMap<&'r str, Vec<(&'r str, bool)>>,
}

/// What an answer says of its call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) failed: bool,
    pub(crate) refused: bool,
    pub(crate) in_doubt: bool,
}

/// Lines by which git says that it failed. A pipeline does not fail with it.
const OF_GIT: [&str; 4] =
    ["! [rejected]", "! [remote rejected]", "error: failed to push some refs", "fatal: "];

/// How the answers of Claude Code, opencode and Gemini CLI to calls begin that were never carried out. Claude Code says so in a field
/// too (2.1.330); older versions and the others have no other sign of it.
const REFUSALS: [&str; 8] = [
    "<tool_use_error>",
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission to use ",
    "Claude requested permissions to",
    "The user rejected permission to use this specific tool call",
    "The user has specified a rule which prevents you from using this specific tool call",
    "Tool execution denied by policy",
];

/// The words of Gemini CLI where it names the tool between.
const BY_POLICY: (&str, &str) = ("Tool execution for ", " denied by policy");

/// What Claude Code says of a call that was stopped while it ran, in a text that begins as a refusal does.
const STOPPED: &str = "this call was stopped while running";

/// Answers of Codex to calls that were never carried out: how they begin, and what the same line says then. What a command prints
/// stands behind words of the client's own. Source: texts of the client, 0.169.0, for all but the first, which was not seen there.
const OF_CODEX: [(&str, &str); 8] = [
    ("exec_command failed for ", "Rejected("),
    ("exec command rejected by user", ""),
    ("patch rejected by user", ""),
    ("approval policy is ", "reject command"),
    // Also where a shell was asked for the patch.
    ("apply_patch verification failed", ""),
    ("unsupported call: ", ""),
    ("unsupported custom tool call: ", ""),
    ("failed to parse function arguments", ""),
];

impl Failure {
    /// What the answer of a call says.
    pub(crate) fn of(format: Format, failed: bool, denied: bool, content: &[ResultPart]) -> Self {
        let text = content.iter().find_map(|part| match part {
            ResultPart::Text(text) => Some(text.trim_start()),
            _ => None,
        });
        let Some(text) = text.filter(|_| !denied) else {
            return Self { failed: failed || denied, refused: denied, in_doubt: false };
        };
        let line = text.lines().next().unwrap_or_default();
        let says =
            |(begin, then): &(&str, &str)| line.strip_prefix(begin).is_some_and(|rest| rest.contains(then));
        // Elsewhere an answer that did not fail is what a command printed, which may be anything.
        if format == Format::CodexRollout && OF_CODEX.iter().any(says) {
            return Self { failed: true, refused: true, in_doubt: false };
        }
        let by_hook = line.strip_prefix("PreToolUse:").is_some_and(|rest| rest.contains(" hook error: "));
        let begins = REFUSALS.iter().any(|begin| text.starts_with(begin)) && !text.contains(STOPPED);
        let mut lines = text.lines().map(str::trim_start);
        let in_doubt = !failed && lines.any(|line| OF_GIT.iter().any(|sign| line.starts_with(sign)));
        Self { failed, in_doubt, refused: failed && (by_hook || begins || says(&BY_POLICY)) }
    }
}

impl<'r> Conversation<'r> {
    fn of(number: usize, transcript: &'r Transcript, edits: &'r Edits<'r>) -> Self {
        let answered = transcript.requests.iter().enumerate();
        let requests = answered.filter_map(|(index, request)| Some((request.response?, index))).collect();
        let results = transcript.messages.iter().flat_map(|message| &message.blocks);
        let failed = results.filter_map(|block| match &block.kind {
            BlockKind::ToolResult { tool_use_id, is_error, denied, content, .. } => {
                Some((tool_use_id.as_str(), Failure::of(transcript.format, *is_error, *denied, content)))
            }
            _ => None,
        });
        let mut ended: HashMap<&str, Vec<(&str, bool)>> = HashMap::new();
        for done in &transcript.done {
            if let (DoneWhat::Command { command, .. }, Some(succeeded)) = (&done.what, done.succeeded)
                && let Some(text) = command.last()
            {
                ended.entry(&done.call).or_default().push((text, !succeeded));
            }
        }
        let answers = answer_ids(transcript);
        Self { number, transcript, edits, requests, answers, failed: failed.collect(), ended }
    }

    fn add_to<'q>(&'q self, all: &mut Vec<Placed>, mut questions: Vec<&'q str>) {
        for (index, message) in self.transcript.messages.iter().enumerate() {
            for (block_index, block) in message.blocks.iter().enumerate() {
                let place = (self.number, index, block_index);
                match &block.kind {
                    BlockKind::Text { text }
                        if message.origin == Origin::Typed || self.was_typed(message) =>
                    {
                        all.push(self.deed(index, message, block.line, What::Said(cut(text, LONGEST_SAID))));
                    }
                    BlockKind::Text { text } if message.origin == Origin::Model => {
                        all.push(self.deed(index, message, block.line, What::Told(cut(text, LONGEST_TOLD))));
                    }
                    BlockKind::ToolUse { id, name, input, .. } => {
                        if is_question(name) {
                            questions.push(id);
                            let asked = What::Asked(cut(&asked_by(input).join("\n"), LONGEST_TOLD));
                            all.push(self.called(index, message, block.line, id, asked));
                        }
                        let given = self.edits.get(&place).into_iter().flatten();
                        let given = given.map(|(path, written)| ((*path).to_owned(), written.clone()));
                        let project = self.transcript.session.project.as_deref();
                        for (what, failed) in of_call(name, input, given.collect(), project, self.ended(id)) {
                            let mut placed = self.called(index, message, block.line, id, what);
                            placed.deed.failed = failed.unwrap_or(placed.deed.failed);
                            all.push(placed);
                        }
                    }
                    BlockKind::ToolResult { tool_use_id, content, is_error, .. }
                        if questions.contains(&tool_use_id.as_str()) && !is_error && !content.is_empty() =>
                    {
                        let said = content.iter().filter_map(|part| match part {
                            ResultPart::Text(text) => Some(text.as_str()),
                            _ => None,
                        });
                        let said = cut(&said.collect::<Vec<_>>().join("\n"), LONGEST_SAID);
                        all.push(self.deed(index, message, block.line, What::Answered));
                        all.push(self.deed(index, message, block.line, What::Said(said)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// The commands that a call carried out, each with whether it failed, where the client says so.
    fn ended(&self, call: &str) -> &[(&'r str, bool)] {
        self.ended.get(call).map_or(&[], Vec::as_slice)
    }

    /// True for a user's text of a recorded request, which does not say who typed it.
    fn was_typed(&self, message: &Message) -> bool {
        message.origin == Origin::Unsaid && message.role == retrace_transcript::Role::User
    }

    fn deed(&self, index: MessageIndex, message: &Message, line: u32, what: What) -> Placed {
        let request = self.requests.get(&index).copied();
        let deed = Deed {
            conversation: self.number,
            request,
            turn: request.map(|request| request as u64 + 1),
            answer: request.and_then(|request| self.answers.get(request).copied()),
            copied: false,
            line,
            at: message.at,
            tool_use_id: None,
            failed: false,
            refused: false,
            in_doubt: false,
            what,
        };
        Placed { deed, message: index }
    }

    fn called(&self, index: MessageIndex, message: &Message, line: u32, id: &str, what: What) -> Placed {
        let mut placed = self.deed(index, message, line, what);
        let failure = self.failed.get(id).copied().unwrap_or_default();
        (placed.deed.failed, placed.deed.refused) = (failure.failed, failure.refused);
        placed.deed.in_doubt = failure.in_doubt;
        placed.deed.tool_use_id = Some(id.to_owned()).filter(|id| !id.is_empty());
        placed
    }
}

/// A text without its middle, where it is long. The last question there stays.
fn cut(text: &str, longest: usize) -> String {
    /// Longest question that is kept, in characters.
    const LONGEST_QUESTION: usize = 400;
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if ends.len() <= longest {
        return text.to_owned();
    }
    let (begin, end) = (ends[longest / 2], ends[ends.len() - longest / 2]);
    let middle = &text[begin..end];
    let question = middle.rfind(['?', '？']).map_or("", |at| {
        let asked = &middle[..at];
        let from = asked.rfind(['.', '!', '?', '\n', '。', '！', '？']);
        let from = from.map_or(0, |from| from + asked[from..].chars().next().map_or(1, char::len_utf8));
        let letters = asked[from..].char_indices().rev();
        let from = from + letters.take(LONGEST_QUESTION).last().map_or(0, |(at, _)| at);
        let mark = middle[at..].chars().next().map_or(1, char::len_utf8);
        middle[from..at + mark].trim()
    });
    format!("{}\n…{question}\n{}", &text[..begin], &text[end..])
}

/// What a call of such a tool asks: its questions or the plan, without the answers to choose from.
fn asked_by(input: &Value) -> Vec<&str> {
    /// Fields with what can be answered, and with words of the client about the question.
    const NOT_ASKED: [&str; 5] = ["options", "choices", "header", "id", "type"];
    match input {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().flat_map(asked_by).collect(),
        Value::Object(fields) => {
            let asked = fields.iter().filter(|(name, _)| !NOT_ASKED.contains(&name.as_str()));
            asked.flat_map(|(_, value)| asked_by(value)).collect()
        }
        _ => Vec::new(),
    }
}

/// A file that a call writes, with the text that it brings.
type Given = (String, Option<Written>);

/// What a call does: its command, and the files it writes. `given` are those that its transcript or its input tells. Of a call that is
/// code, each command that failed stands apart from those that did not, as far as `ended` tells: with whether it failed.
fn of_call(
    tool: &str,
    input: &Value,
    given: Vec<Given>,
    directory: Option<&str>,
    ended: &[(&str, bool)],
) -> Vec<(What, Option<bool>)> {
    let commands = commands_of(tool, input);
    if commands.is_empty() {
        let edit =
            |(path, written)| What::Edit { path, written, by: None, with_all_below: false, perhaps: false };
        return given.into_iter().map(|given| (edit(given), None)).collect();
    }
    let directory = directory_of(input, directory);
    let mut parts: Vec<(String, Option<bool>)> = Vec::new();
    for command in commands {
        let of_it = ended.iter().find(|(text, _)| *text == command);
        let failed = of_it.map(|(_, failed)| *failed);
        match parts.last_mut() {
            Some((text, before)) if *before == failed => {
                text.push('\n');
                text.push_str(&command);
            }
            _ => parts.push((command, failed)),
        }
    }
    let mut given: Vec<Option<Given>> = given.into_iter().map(Some).collect();
    let last = parts.len() - 1;
    let mut all = Vec::new();
    for (at, (text, failed)) in parts.into_iter().enumerate() {
        // There a backslash stands between the parts of a path.
        let calls = if tool.eq_ignore_ascii_case("powershell") {
            calls(&text.replace('\\', "/"))
        } else {
            calls(&text)
        };
        let mut edits = edits_of(&calls, &mut given, directory.as_deref());
        if at == last {
            edits.extend(others_of(&calls, std::mem::take(&mut given), &edits));
        }
        all.push((What::Command { text, calls }, failed));
        all.extend(edits.into_iter().map(|edit| (edit, failed)));
    }
    all
}

/// The files that a command writes, in order, with what is given of them.
fn edits_of(calls: &Calls, given: &mut [Option<Given>], directory: Option<&str>) -> Vec<What> {
    let mut all = Vec::with_capacity(calls.writes.len());
    for write in &calls.writes {
        let path = path_of(write, given, directory);
        let is_it = |one: &&mut Option<Given>| one.as_ref().is_some_and(|(given, _)| *given == path);
        let written = given.iter_mut().find(is_it).and_then(Option::take).and_then(|(_, written)| written);
        let (with_all_below, perhaps) = (write.with_all_below, write.perhaps);
        all.push(What::Edit { path, written, by: Some(write.by), with_all_below, perhaps });
    }
    all
}

/// The given files that are not found among the calls of a command.
fn others_of(calls: &Calls, given: Vec<Option<Given>>, edits: &[What]) -> Vec<What> {
    let by = Some((0, calls.calls.len()));
    // What is not known of them, or lies below what a call changes as a whole, is known better from the calls.
    let is_covered = |path: &str| {
        let covers = |what: &What| matches!(what, What::Edit { path: place, with_all_below: true, .. } if is_below(path, place));
        edits.iter().any(covers) || calls.unparsed.is_empty() && !is_known(path)
    };
    let rest = given.into_iter().flatten().filter(|(path, _)| !is_covered(path));
    let edit = |(path, written)| What::Edit { path, written, by, with_all_below: false, perhaps: false };
    rest.map(edit).collect()
}

/// The whole path of a file that a command writes. Where the command began, the given paths know best.
fn path_of(write: &FileWrite, given: &[Option<Given>], directory: Option<&str>) -> String {
    // What only the shell knows may begin with the root.
    if write.path.starts_with(['/', '~', '$', '`']) || write.path.starts_with("{}") {
        return write.path.clone();
    }
    let path = if write.from_start { resolve(&write.path, directory) } else { write.path.clone() };
    let paths = || given.iter().flatten().map(|(path, _)| path);
    if paths().any(|given| *given == path) {
        return path;
    }
    let ends_so =
        |given: &&String| given.strip_suffix(write.path.as_str()).is_some_and(|before| before.ends_with('/'));
    paths().find(ends_so).cloned().unwrap_or(path)
}

/// One call that is about to be made, as all that a session did. Only what its input says is known.
#[must_use]
pub fn proposed_call(tool: &str, input: &Value, directory: Option<&str>) -> Deeds {
    let deed = |what| Deed {
        conversation: 0,
        request: None,
        turn: None,
        answer: None,
        copied: false,
        line: 0,
        at: None,
        tool_use_id: None,
        failed: false,
        refused: false,
        in_doubt: false,
        what,
    };
    let given = paths_of(tool, input, directory).into_iter().map(|path| (path, None)).collect();
    let all = of_call(tool, input, given, directory, &[]).into_iter().map(|(what, _)| deed(what)).collect();
    Deeds { directory: directory.map(str::to_owned), all }
}

#[cfg(test)]
mod tests;
