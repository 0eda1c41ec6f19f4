//! From what sessions did to files and saw of them to lines of versions. Pure.
//!
//! A content is only told where it is known to the byte: a whole write, an edit applied to a content that is known, what the
//! client said was there before an edit, a copy it kept. What follows an edit that cannot be told is a gap, until the content
//! is known again; nothing is guessed across it. A file shown by a read tells its content as well; where it does not say
//! whether the last line ends with a line feed, one is assumed, and the version's note says so.

use retrace_log::{PastLine, PastLines, PastVersion};
use retrace_message::Message;
use retrace_model::{Actor, Evidence, RelPath, Timestamp};
use retrace_origin::{Effect, Role, Write, apply};
use std::collections::{BTreeSet, HashMap};

/// One thing that a session did to a file or saw of it.
#[derive(Debug)]
pub(crate) struct Happening {
    pub at: Timestamp,
    pub session: Option<String>,
    /// The file, in its store.
    pub path: RelPath,
    pub what: What,
}

/// Event in the past of a file.
#[derive(Debug)]
pub(crate) enum What {
    /// A call wrote it; `to` is where it went, when that is in the store as well; `from` where a copy came from.
    Wrote { write: Box<Write>, to: Option<RelPath>, from: Option<RelPath> },
    /// All of it was shown.
    Shown { text: String, end_is_known: bool },
    /// The client kept a copy; `None` when there was no file.
    Kept(Option<Vec<u8>>),
}

/// Past of a store.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Gathered {
    pub lines: Vec<PastLine>,
    /// Versions by what tells of them.
    pub written: u64,
    pub shown: u64,
    pub kept: u64,
    /// Calls that wrote something that cannot be told.
    pub gaps: u64,
}

/// Known state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// Nothing.
    Unknown,
    Absent,
    Content(Vec<u8>),
}

/// Follows files through what happened.
#[derive(Default)]
struct Following {
    gathered: Gathered,
    states: HashMap<RelPath, State>,
    /// Files that a background extraction wrote last.
    extracted: BTreeSet<RelPath>,
    /// The line of a file, by its path now.
    line_of: HashMap<RelPath, usize>,
}

/// Tells the versions that happenings make, each call once.
pub(crate) fn gather(mut happenings: Vec<Happening>) -> Gathered {
    happenings.sort_by_key(|happening| happening.at);
    let mut following = Following::default();
    let mut calls = BTreeSet::new();
    for happening in happenings {
        if let What::Wrote { write, .. } = &happening.what
            && let Some(id) = &write.tool_use_id
            // A session that goes on from another one begins with its lines.
            && !calls.insert((id.clone(), write.part))
        {
            continue;
        }
        following.follow(happening);
    }
    following.gathered.lines.retain(|line| !line.versions.is_empty());
    following.gathered
}

impl Following {
    fn follow(&mut self, happening: Happening) {
        let Happening { at, session, path, what } = happening;
        let provenance = |note: Message| Provenance { at, session: session.clone(), note };
        match what {
            What::Kept(content) => {
                let state = content.map_or(State::Absent, State::Content);
                if self.is_new(&path, &state) {
                    self.gathered.kept += 1;
                }
                self.found(&path, state, &provenance(say::kept_client_before_edit()));
            }
            What::Shown { text, end_is_known } => {
                let (content, note) = self.shown(&path, text, end_is_known);
                if self.is_new(&path, &content) {
                    self.gathered.shown += 1;
                }
                self.found(&path, content, &provenance(note));
            }
            What::Wrote { write, to, from } => {
                self.wrote(&path, &write, to, from, &provenance(Message::default()));
            }
        }
    }

    fn state(&self, path: &RelPath) -> &State {
        self.states.get(path).unwrap_or(&State::Unknown)
    }

    fn is_new(&self, path: &RelPath, state: &State) -> bool {
        self.state(path) != state && (*state != State::Absent || self.line_of.contains_key(path))
    }

    /// The content that a read tells of.
    fn shown(&self, path: &RelPath, text: String, end_is_known: bool) -> (State, Message) {
        if end_is_known {
            return (State::Content(text.into_bytes()), say::session_read());
        }
        if let State::Content(known) = self.state(path) {
            let as_shown = known.strip_suffix(b"\n").unwrap_or(known);
            if as_shown == text.strip_suffix('\n').unwrap_or(&text).as_bytes() {
                return (State::Content(known.clone()), say::session_read());
            }
        }
        let mut bytes = text.into_bytes();
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        (State::Content(bytes), say::session_read_ends_line_feed())
    }

    /// The file was found in a state that nobody is known to have made.
    fn found(&mut self, path: &RelPath, state: State, provenance: &Provenance) {
        if !self.is_new(path, &state) {
            self.states.insert(path.clone(), state);
            return;
        }
        self.push(path, state, Actor::Unknown, provenance);
    }

    fn wrote(
        &mut self,
        path: &RelPath,
        write: &Write,
        to: Option<RelPath>,
        from: Option<RelPath>,
        provenance: &Provenance,
    ) {
        if write.succeeded == Some(false) {
            return;
        }
        self.before(path, write, provenance);
        if write.is_saying() && self.extracted.contains(path) {
            // The extraction's own transcript told what it wrote.
            return;
        }
        if write.role == Role::Background && !write.is_saying() {
            self.extracted.insert(path.clone());
        } else {
            self.extracted.remove(path);
        }
        if write.conditional {
            // Nobody says whether it ran: what the file holds then is not known, nor what a file it went to holds.
            self.gathered.gaps += 1;
            self.states.insert(path.clone(), State::Unknown);
            if let Some(to) = to {
                self.states.insert(to, State::Unknown);
            }
            return;
        }
        let state = match &write.effect {
            Effect::Delete => {
                let below: Vec<RelPath> = self
                    .line_of
                    .keys()
                    .filter(|file| file.is_within(path) && *file != path)
                    .cloned()
                    .collect();
                for file in below {
                    self.write(&file, State::Absent, provenance, write);
                }
                State::Absent
            }
            Effect::Rename { .. } => {
                self.renamed(path, to, provenance, write);
                return;
            }
            Effect::Copy { .. } => match from.map(|from| self.state(&from).clone()) {
                Some(State::Content(bytes)) => State::Content(bytes),
                _ => State::Unknown,
            },
            Effect::Unparsed => State::Unknown,
            _ => {
                let before = match self.state(path) {
                    State::Content(bytes) => Some(bytes.as_slice()),
                    _ => None,
                };
                let needs_before = !matches!(write.effect, Effect::Whole(_));
                let unknown = needs_before && *self.state(path) == State::Unknown;
                let after = if unknown { None } else { apply(write, before) };
                after.or_else(|| reported_after(write)).map_or(State::Unknown, State::Content)
            }
        };
        if state == State::Unknown {
            self.gathered.gaps += 1;
            self.states.insert(path.clone(), State::Unknown);
            return;
        }
        self.write(path, state, provenance, write);
    }

    /// Content that the client reports was there before the call, where that is another thing than what is known.
    fn before(&mut self, path: &RelPath, write: &Write, provenance: &Provenance) {
        if write.reported.was_absent {
            self.states.insert(path.clone(), State::Absent);
            return;
        }
        let Some(before) = &write.reported.before else { return };
        if let State::Content(known) = self.state(path)
            && without_crlf(known) == before.as_bytes()
        {
            return;
        }
        let provenance = Provenance { note: say::before_edit(), ..provenance.clone() };
        self.found(path, State::Content(before.clone().into_bytes()), &provenance);
    }

    fn renamed(&mut self, path: &RelPath, to: Option<RelPath>, provenance: &Provenance, write: &Write) {
        let state = self.states.remove(path).unwrap_or(State::Unknown);
        let Some(to) = to else {
            self.states.insert(path.clone(), state);
            self.write(path, State::Absent, provenance, write);
            return;
        };
        if let Some(line) = self.line_of.remove(path) {
            self.line_of.insert(to.clone(), line);
        }
        self.states.insert(path.clone(), State::Absent);
        match state {
            State::Content(bytes) => self.write(&to, State::Content(bytes), provenance, write),
            _ => {
                self.gathered.gaps += 1;
                self.states.insert(to, State::Unknown);
            }
        }
    }

    fn write(&mut self, path: &RelPath, state: State, provenance: &Provenance, write: &Write) {
        let stays = self.state(path) == &state && self.ends_at(path);
        if stays || (state == State::Absent && !self.line_of.contains_key(path)) {
            self.states.insert(path.clone(), state);
            return;
        }
        self.gathered.written += 1;
        let actor = match &provenance.session {
            Some(id) => Actor::Session { id: id.clone(), evidence: Evidence::ExactContent },
            None => Actor::Unknown,
        };
        let note = match write.turn {
            Some(turn) => say::turn(&write.tool, turn),
            None => Message::verbatim(write.tool.clone()),
        };
        self.push(path, state, actor, &Provenance { note, ..provenance.clone() });
    }

    /// True if the last version of the line of a file is at its path.
    fn ends_at(&self, path: &RelPath) -> bool {
        let line = self.line_of.get(path).map(|line| &self.gathered.lines[*line]);
        line.and_then(|line| line.versions.last()).is_some_and(|last| last.path == *path)
    }

    fn push(&mut self, path: &RelPath, state: State, actor: Actor, provenance: &Provenance) {
        let line = match self.line_of.get(path) {
            Some(line) => *line,
            None => {
                self.gathered.lines.push(PastLine::default());
                self.gathered.lines.len() - 1
            }
        };
        self.line_of.insert(path.clone(), line);
        let content = match &state {
            State::Content(bytes) => Some(bytes.clone()),
            State::Unknown | State::Absent => None,
        };
        self.states.insert(path.clone(), state);
        self.gathered.lines[line].versions.push(PastVersion {
            path: path.clone(),
            at: provenance.at,
            written_at: None,
            actor,
            note: Some(provenance.note.text().to_owned()),
            content,
            told: PastLines::default(),
        });
    }
}

/// When, in which session, and what a version's note says.
#[derive(Clone)]
struct Provenance {
    at: Timestamp,
    session: Option<String>,
    note: Message,
}

fn reported_after(write: &Write) -> Option<Vec<u8>> {
    write.reported.after.clone().map(String::into_bytes)
}

fn without_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "lines";
    session_read() => "as a session read it",
    kept_client_before_edit() => "kept by the client before an edit",
    before_edit() => "as it was before an edit",
    turn(tool, turn) => "{tool}, turn {turn}",
    session_read_ends_line_feed() => "as a session read it; that it ends with a line feed is assumed",
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_origin::{MEMORY_SAVED, Replacement};
    use retrace_transcript::Format;

    fn path(text: &str) -> RelPath {
        RelPath::parse(text).unwrap()
    }

    fn call(at: i64, file: &str, effect: Effect) -> Happening {
        let write = Write {
            path: format!("/home/ada/notes/{file}"),
            named: file.to_owned(),
            effect,
            reported: retrace_origin::Reported::default(),
            format: Format::ClaudeCode,
            tool: "Edit".to_owned(),
            tool_use_id: Some(format!("call{at}")),
            part: 0,
            line: 1,
            at: Some(Timestamp::from_micros(at)),
            answered_at: None,
            conversation: 0,
            message: 0,
            block: 0,
            turn: Some(3),
            model: None,
            session: Some("s1".to_owned()),
            role: Role::Main,
            agent: None,
            succeeded: Some(true),
            was_run: false,
            prompt: None,
            conditional: false,
        };
        let what = What::Wrote { write: Box::new(write), to: None, from: None };
        Happening { at: Timestamp::from_micros(at), session: Some("s1".to_owned()), path: path(file), what }
    }

    fn whole(text: &str) -> Effect {
        Effect::Whole(text.as_bytes().to_vec())
    }

    fn edit(old: &str, new: &str) -> Effect {
        Effect::Edit(Replacement { old: old.to_owned(), new: new.to_owned(), all: false })
    }

    fn changed(mut happening: Happening, change: impl FnOnce(&mut Write)) -> Happening {
        if let What::Wrote { write, .. } = &mut happening.what {
            change(write);
        }
        happening
    }

    fn shown(at: i64, file: &str, text: &str, end_is_known: bool) -> Happening {
        let what = What::Shown { text: text.to_owned(), end_is_known };
        Happening { at: Timestamp::from_micros(at), session: Some("s2".to_owned()), path: path(file), what }
    }

    /// `path@time content` of each line, `-` for a deletion, `?` before what nobody is known to have written.
    fn lines_of(gathered: &Gathered) -> Vec<Vec<String>> {
        let tell = |version: &PastVersion| {
            let content = version.content.as_ref().map_or("-".into(), |bytes| String::from_utf8_lossy(bytes));
            let unknown = if version.actor == Actor::Unknown { "?" } else { "" };
            format!("{unknown}{}@{} {content}", version.path, version.at.micros())
        };
        gathered.lines.iter().map(|line| line.versions.iter().map(tell).collect()).collect()
    }

    #[test]
    fn edits_are_chained_from_a_known_content_in_the_order_of_time() {
        let gathered = gather(vec![
            call(3, "a.md", edit("two", "three")),
            call(1, "a.md", whole("one two")),
            call(2, "a.md", edit("one", "1")),
            call(2, "a.md", edit("one", "1")),
        ]);
        assert_eq!(lines_of(&gathered), [["a.md@1 one two", "a.md@2 1 two", "a.md@3 1 three"]]);
        assert_eq!((gathered.written, gathered.gaps), (3, 0));
        let version = &gathered.lines[0].versions[0];
        assert_eq!(version.note.as_deref(), Some("Edit, turn 3"));
        assert_eq!(version.actor, Actor::Session { id: "s1".to_owned(), evidence: Evidence::ExactContent });
    }

    #[test]
    fn nothing_is_guessed_across_a_gap() {
        let gathered = gather(vec![
            call(1, "a.md", edit("x", "y")),
            call(2, "a.md", whole("one")),
            call(3, "a.md", Effect::Unparsed),
            call(4, "a.md", edit("one", "two")),
            call(5, "a.md", edit("nowhere", "two")),
            call(6, "a.md", whole("three")),
            changed(call(7, "a.md", whole("refused")), |write| write.succeeded = Some(false)),
        ]);
        assert_eq!(lines_of(&gathered), [["a.md@2 one", "a.md@6 three"]]);
        assert_eq!(gathered.gaps, 4);
    }

    #[test]
    fn what_an_extraction_is_reported_to_have_written_is_a_gap_unless_it_is_shown() {
        let by_extraction = |happening| changed(happening, |write| write.role = Role::Background);
        let stated = |at, file| {
            changed(by_extraction(call(at, file, Effect::Unparsed)), |write| {
                write.tool = MEMORY_SAVED.to_owned();
            })
        };
        let gathered = gather(vec![
            call(1, "told.md", whole("one")),
            by_extraction(call(2, "told.md", whole("two"))),
            stated(3, "told.md"),
            call(4, "told.md", edit("two", "three")),
            call(11, "untold.md", whole("one")),
            stated(12, "untold.md"),
            call(13, "untold.md", edit("one", "three")),
        ]);
        let all = [vec!["told.md@1 one", "told.md@2 two", "told.md@4 three"], vec!["untold.md@11 one"]];
        assert_eq!(lines_of(&gathered), all);
        assert_eq!(gathered.gaps, 2);
    }

    #[test]
    fn what_may_not_have_run_is_a_gap() {
        let maybe = |happening| changed(happening, |write| write.conditional = true);
        let gathered = gather(vec![
            call(1, "a.md", whole("one")),
            maybe(call(2, "a.md", whole("two"))),
            call(3, "a.md", edit("two", "three")),
            call(4, "a.md", whole("four")),
            maybe(call(5, "a.md", Effect::Delete)),
        ]);
        assert_eq!(lines_of(&gathered), [["a.md@1 one", "a.md@4 four"]]);
        assert_eq!(gathered.gaps, 3);
    }

    #[test]
    fn an_edit_of_a_text_that_stands_twice_is_a_gap() {
        let all = Effect::Edit(Replacement { old: "a".to_owned(), new: "b".to_owned(), all: true });
        let gathered = gather(vec![
            call(1, "a.md", whole("a\na\n")),
            call(2, "a.md", edit("a", "b")),
            call(3, "a.md", edit("b", "c")),
            call(4, "a.md", whole("a a")),
            call(5, "a.md", all),
        ]);
        assert_eq!(lines_of(&gathered), [["a.md@1 a\na\n", "a.md@4 a a", "a.md@5 b b"]]);
        assert_eq!(gathered.gaps, 2);
    }

    #[test]
    fn what_the_client_says_was_there_is_reported_as_found() {
        let before = |text: &str| {
            let text = text.to_owned();
            move |write: &mut Write| write.reported.before = Some(text)
        };
        let gathered = gather(vec![
            changed(call(1, "a.md", edit("b", "c")), before("a b\n")),
            changed(call(2, "a.md", edit("c", "d")), before("a c\n")),
            changed(call(3, "a.md", edit("x", "y")), before("by somebody else: x\n")),
            changed(call(4, "new.md", edit("", "fresh")), |write| write.reported.was_absent = true),
        ]);
        let a = [
            "?a.md@1 a b\n",
            "a.md@1 a c\n",
            "a.md@2 a d\n",
            "?a.md@3 by somebody else: x\n",
            "a.md@3 by somebody else: y\n",
        ];
        assert_eq!(lines_of(&gathered), [a.to_vec(), vec!["new.md@4 fresh"]]);
    }

    #[test]
    fn reads_show_contents() {
        let gathered = gather(vec![
            shown(1, "a.md", "one", false),
            call(2, "a.md", edit("one", "two")),
            shown(3, "a.md", "two", false),
            shown(4, "a.md", "by hand", true),
            call(5, "b.md", whole("no line feed")),
            shown(6, "b.md", "no line feed", false),
        ]);
        let a = ["?a.md@1 one\n", "a.md@2 two\n", "?a.md@4 by hand"];
        assert_eq!(lines_of(&gathered), [a.to_vec(), vec!["b.md@5 no line feed"]]);
        assert_eq!((gathered.written, gathered.shown), (2, 2));
        assert!(gathered.lines[0].versions[0].note.as_deref().unwrap().contains("assumed"));
    }

    #[test]
    fn copies_that_the_client_kept_fill_in() {
        let kept = |at, content: Option<&str>| Happening {
            what: What::Kept(content.map(|text| text.as_bytes().to_vec())),
            ..shown(at, "a.md", "", true)
        };
        let gathered = gather(vec![
            kept(1, None),
            kept(2, Some("one")),
            call(3, "a.md", edit("one", "two")),
            kept(4, Some("two")),
        ]);
        assert_eq!(lines_of(&gathered), [["?a.md@2 one", "a.md@3 two"]]);
        assert_eq!(gathered.kept, 1);
    }

    #[test]
    fn a_file_keeps_its_line_through_renames_and_ends_with_a_deletion() {
        let mut rename = call(2, "a.md", Effect::Rename { to: "/home/ada/notes/b.md".to_owned() });
        if let What::Wrote { to, .. } = &mut rename.what {
            *to = Some(path("b.md"));
        }
        let mut copy = call(3, "c.md", Effect::Copy { from: "/home/ada/notes/b.md".to_owned() });
        if let What::Wrote { from, .. } = &mut copy.what {
            *from = Some(path("b.md"));
        }
        let gathered = gather(vec![
            call(1, "a.md", whole("one")),
            rename,
            copy,
            call(4, "b.md", Effect::Append(b" two".to_vec())),
            call(5, "b.md", Effect::Delete),
            call(6, "b.md", Effect::Delete),
            call(7, "never.md", Effect::Delete),
            call(8, "c.md", Effect::Rename { to: "/elsewhere".to_owned() }),
        ]);
        let b = ["a.md@1 one", "b.md@2 one", "b.md@4 one two", "b.md@5 -"];
        assert_eq!(lines_of(&gathered), [b.to_vec(), vec!["c.md@3 one", "c.md@8 -"]]);
    }
}
