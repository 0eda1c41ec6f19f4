//! Presence against real Claude Code: each line of each file is present exactly where its text is in what was sent.

use super::{MODELS, Rig, asks_agent, rig, runs, says};
use retrace_api::commands;
use retrace_api::wire::{
    AddStore, ChangeReachReq, LoadReason, LogReq, Presence, PresenceCause, PresenceGrade, PresenceReq,
    PresenceSource, ReachReq, ScanReq, SessionRef, ShowReq,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A project with a memory of a cut index and two topics, recorded as a store.
fn with_memory(index: &str) -> Option<(Rig, PathBuf)> {
    let rig = rig()?;
    let memory = add_memory(&rig, index);
    Some((rig, memory))
}

/// The memory of the rig's project; answers its directory.
pub(super) fn add_memory(rig: &Rig, index: &str) -> PathBuf {
    let project = rig.project();
    let slug = retrace_sources::slug(&project.display().to_string());
    let memory = rig.world.path("agent/.claude/projects").join(slug).join("memory");
    let topic: String = (1..=60).map(|line| format!("topic line {line} of sixty\n")).collect();
    let files = [
        (memory.join("MEMORY.md"), index.to_owned()),
        (memory.join("topic.md"), topic),
        (memory.join("other.md"), "another memory, never opened\n".to_owned()),
        (memory.join("shown.md"), "a memory that a command prints\n".to_owned()),
        (
            project.join("CLAUDE.md"),
            "# Rules of the project\nUse tabs. @more.md\n\nThe last rule.\n".to_owned(),
        ),
        (project.join("sub/CLAUDE.md"), "Nested: spaces in here.\nNested second.\n".to_owned()),
        (
            project.join(".claude/rules/rs.md"),
            "---\npaths: \"**/*.rs\"\n---\nNo unwrap in Rust.\n".to_owned(),
        ),
    ];
    for (path, content) in files {
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }
    let root = memory.display().to_string();
    let store = AddStore { root, kind: Some("claude-auto".to_owned()), name: Some("memory".to_owned()) };
    commands::add_store(&rig.world.app, store).expect("the store is added");
    memory
}

pub(super) fn index_of(lines: u32) -> String {
    let facts = (3..=lines).map(|line| format!("- fact number {line} of the index\n"));
    format!("# Index of the memory\n\n{}", facts.collect::<String>())
}

pub(super) fn reads(path: &Path, part: Option<(u32, u32)>) -> Value {
    let mut input = json!({"file_path": path});
    if let Some((offset, limit)) = part {
        input["offset"] = offset.into();
        input["limit"] = limit.into();
    }
    json!({"type": "tool_use", "name": "Read", "input": input})
}

impl Rig {
    fn presence(&self, transcript: &Path, at: u64) -> Presence {
        let request = PresenceReq { session: transcript.display().to_string(), at: Some(at), spans: true };
        commands::presence(&self.world.app, request).expect("an answer")
    }

    /// Every line of every source at every request of every transcript, held against what was sent.
    fn every_line_is_where_it_was_sent(&self, unheard_of: &[&Path]) -> u64 {
        let (bodies, usage) = {
            let log = self.api.log();
            (log.bodies.clone(), log.usage.clone())
        };
        let mut checked = 0;
        for transcript in self.transcripts() {
            let shown = self.show(&transcript);
            for row in &shown.requests {
                let place = usage.iter().position(|(id, _)| *id == row.id).expect("it was answered");
                let sent = lines_in(&bodies[place]);
                let told = self.presence(&transcript, row.index);
                let which = format!("{} at {}", transcript.display(), row.index);
                for source in &told.sources {
                    let lines = self.lines_of(source);
                    assert_eq!(lines.len(), source.total_lines as usize, "{which}: {}", source.file);
                    for (line, text) in (1_u32..).zip(&lines).filter(|(_, text)| tells(text)) {
                        let is_present = source.lines.iter().any(|(from, to)| (*from..=*to).contains(&line));
                        let cause =
                            source.absent.iter().find(|one| (one.lines.0..=one.lines.1).contains(&line));
                        assert_eq!(
                            is_present,
                            sent.contains(text.trim_end()),
                            "{which}: {}:{line} {cause:?}",
                            source.file
                        );
                        assert_eq!(is_present, cause.is_none(), "{which}: {}:{line}", source.file);
                        checked += 1;
                    }
                    let span = source.spans.iter().find(|span| (span.from..=span.to).contains(&row.index));
                    let present: u32 = source.lines.iter().map(|(from, to)| to - from + 1).sum();
                    assert_eq!(span.map(|span| span.lines), Some(present), "{which}: {}", source.file);
                    assert_eq!(source.grade, PresenceGrade::Proved, "{which}: {}", source.file);
                }
                for path in unheard_of {
                    let content = std::fs::read_to_string(path).expect("a file");
                    let is_sent = content.lines().any(|line| tells(line) && sent.contains(line.trim_end()));
                    let file = path.display().to_string();
                    let is_told =
                        told.sources.iter().any(|source| source.file == file && !source.lines.is_empty());
                    assert_eq!(is_told, is_sent, "{which}: {file}");
                }
            }
        }
        checked
    }

    /// The lines of the version that a source tells.
    fn lines_of(&self, source: &PresenceSource) -> Vec<String> {
        let text = match &source.version_id {
            Some(version) => {
                let request = ShowReq { version: version.clone(), content: true };
                let shown = commands::show(&self.world.app, request).expect("a version");
                shown.content.expect("its text")
            }
            None => std::fs::read_to_string(&source.file).expect("the file"),
        };
        text.lines().map(str::to_owned).collect()
    }
}

/// Ids of the versions of a memory, newest first.
fn versions_of(rig: &Rig, path: &str) -> Vec<String> {
    let request =
        LogReq { store: Some("memory".to_owned()), path: Some(path.to_owned()), ..LogReq::default() };
    let log = commands::log(&rig.world.app, request).expect("the log");
    log.versions.into_iter().map(|version| version.id).collect()
}

/// False for a line that may stand in any text.
pub(super) fn tells(line: &str) -> bool {
    line.trim().len() > 3
}

/// Every line of every text in a body, also without the number before it.
pub(super) fn lines_in(body: &Value) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let mut values = vec![&body["messages"], &body["system"]];
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) => {
                for line in text.lines() {
                    lines.insert(line.trim_end().to_owned());
                    let digits = line.trim_start().bytes().take_while(u8::is_ascii_digit).count();
                    if let Some(rest) = line.trim_start()[digits..].strip_prefix('\t').filter(|_| digits > 0)
                    {
                        lines.insert(rest.trim_end().to_owned());
                    }
                }
            }
            Value::Array(items) => values.extend(items),
            Value::Object(fields) => values.extend(fields.values()),
            _ => {}
        }
    }
    lines
}

fn source<'p>(presence: &'p Presence, name: &str) -> &'p PresenceSource {
    let found = presence.sources.iter().find(|source| source.file.ends_with(name));
    found.unwrap_or_else(|| panic!("{name} is no source: {:?}", presence.sources))
}

/// Other models than the newest get a file that comes with a reading in the text of the result.
#[test]
fn files_that_come_with_a_reading_are_known_however_they_are_sent() {
    let Some((rig, _)) = with_memory(&index_of(20)) else { return };
    let project = rig.project();
    for (number, model) in MODELS.into_iter().enumerate() {
        let id = format!("00000000-0000-4000-8000-00000000021{number}");
        rig.api.play(vec![vec![reads(&project.join("sub/a.rs"), None)], vec![says("Done.")]]);
        rig.run(&["-p", "Look", "--session-id", &id, "--model", model]);
        let told = rig.presence(&rig.session(&id), 1);
        for (name, lines) in [("sub/CLAUDE.md", (1, 2)), ("rs.md", (4, 4))] {
            let found = source(&told, name);
            assert_eq!(
                (found.lines.as_slice(), found.grade),
                (&[lines][..], PresenceGrade::Proved),
                "{model} {name}"
            );
        }
        let session = commands::session(&rig.world.app, SessionRef { session: id }).expect("the session");
        let reasons = |name: &str| {
            let file = session.files.iter().find(|file| file.path.ends_with(name)).expect("the file");
            (file.requests.clone(), file.loads.iter().map(|load| load.reason).collect::<Vec<_>>())
        };
        assert_eq!(reasons("sub/CLAUDE.md"), (vec![(1, 1)], vec![LoadReason::NestedTraversal]), "{model}");
        assert_eq!(reasons("rs.md"), (vec![(1, 1)], vec![LoadReason::PathGlobMatch]), "{model}");
    }
}

#[test]
fn every_line_is_present_where_claude_code_sent_it() {
    let Some((rig, memory)) = with_memory(&index_of(260)) else { return };
    let project = rig.project();
    let id = "00000000-0000-4000-8000-000000000201";
    let model = ["--model", MODELS[0]];
    rig.api.play(vec![
        vec![reads(&memory.join("topic.md"), Some((10, 5)))],
        vec![reads(&project.join("sub/a.rs"), None)],
        vec![runs(&format!("cat {}", memory.join("shown.md").display()))],
        vec![asks_agent("Look around here")],
        vec![says("It runs.")],
        vec![says("Done.")],
    ]);
    rig.api
        .play_to("Look around here", vec![vec![reads(&memory.join("topic.md"), None)], vec![says("Inner.")]]);
    rig.run(&[&["-p", "Look", "--session-id", id], &model[..]].concat());
    // A resumed session has the index as it was changed meanwhile.
    std::fs::write(
        memory.join("MEMORY.md"),
        index_of(260).replace("fact number 7 of", "fact number SEVEN of"),
    )
    .expect("a file");
    commands::scan(&rig.world.app, ScanReq::default()).expect("a scan");
    rig.api.play(vec![vec![runs("echo on")], vec![says("Done.")]]);
    rig.run(&[&["-p", "Go on", "--resume", id], &model[..]].concat());
    let known = [
        memory.join("MEMORY.md"),
        memory.join("topic.md"),
        memory.join("other.md"),
        memory.join("shown.md"),
        project.join("CLAUDE.md"),
        project.join("more.md"),
        project.join("sub/CLAUDE.md"),
        project.join(".claude/rules/rs.md"),
    ];
    let known: Vec<&Path> = known.iter().map(PathBuf::as_path).collect();
    let checked = rig.every_line_is_where_it_was_sent(&known[1..]);
    assert!(checked > 2_000, "{checked}");

    let session = rig.session(id);
    let first = rig.presence(&session, 0);
    let index = source(&first, "MEMORY.md");
    assert_eq!((index.path.as_str(), index.lines.as_slice()), ("MEMORY.md", &[(1, 200)][..]));
    assert_eq!(
        index.absent.iter().map(|one| (one.lines, one.cause)).collect::<Vec<_>>(),
        [((201, 260), PresenceCause::Cut)]
    );
    assert!(index.tokens > 1_000 && index.store_id.is_some());
    let topic = source(&first, "topic.md");
    assert_eq!(
        topic.absent.iter().map(|one| (one.lines, one.cause)).collect::<Vec<_>>(),
        [((1, 60), PresenceCause::NotOpened)]
    );
    let second = rig.presence(&session, 1);
    assert_eq!(source(&second, "topic.md").lines, [(10, 14)]);
    assert_eq!(source(&rig.presence(&session, 2), "sub/CLAUDE.md").lines, [(1, 2)]);
    let rule = source(&rig.presence(&session, 2), "rs.md").clone();
    assert_eq!((rule.store_id, rule.version_id, rule.lines), (None, None, vec![(4, 4)]));
    assert_eq!(rule.absent[0].cause, PresenceCause::Stripped);
    // The resumed requests have the newer version.
    let last = rig.presence(&session, first.requests - 1);
    assert_ne!(source(&last, "MEMORY.md").version_id, index.version_id);

    let reach = |target: &str, line: Option<u32>| {
        let request = ReachReq { target: target.to_owned(), from: line, ..ReachReq::default() };
        commands::reach(&rig.world.app, request).expect("an answer")
    };
    let cut = reach("memory:MEMORY.md", Some(214));
    assert_eq!((cut.sessions, cut.present, cut.subagents), (2, 0, 1), "{cut:?}");
    assert_eq!(
        (cut.absent[0].cause, cut.absent[0].sessions, cut.absent[0].cut_after),
        (PresenceCause::Cut, 2, Some(200))
    );
    let changed = reach("memory:MEMORY.md", Some(7));
    assert_eq!(changed.present, 1);
    let row = changed.rows.iter().find(|row| row.agent.is_none()).expect("the session");
    let spans: Vec<(bool, Option<PresenceCause>)> =
        row.spans.iter().map(|span| (span.present, span.cause)).collect();
    assert_eq!(spans, [(false, Some(PresenceCause::OtherVersion)), (true, None)]);
    assert_eq!((changed.lines[2], changed.lines[6], changed.lines[200]), (2, 1, 0));
    // The change was read in the session that was resumed, and in no other since.
    let versions = versions_of(&rig, "MEMORY.md");
    let asked = ChangeReachReq { version: versions[0].clone(), base: Some(versions[1].clone()) };
    let read = commands::change_reach(&rig.world.app, asked).expect("an answer");
    assert_eq!((read.lines, read.sessions, read.read, read.inferred), (1, 2, 1, 0));
    // What was kept for the next process is what was found.
    let again = reach("memory:MEMORY.md", Some(7));
    assert_eq!(changed, again);
}

#[test]
fn what_a_compaction_takes_and_brings_back_is_known() {
    let Some((rig, memory)) = with_memory(&index_of(30)) else { return };
    let id = "00000000-0000-4000-8000-000000000202";
    let project = rig.project();
    let big = json!({"input_tokens": 190_000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9});
    rig.api.play(vec![
        vec![reads(&project.join("sub/a.rs"), None)],
        vec![reads(&memory.join("topic.md"), None)],
        vec![
            runs(&format!("cat {}", memory.join("shown.md").display())),
            json!({"type": "usage", "usage": big}),
        ],
        vec![says("<summary>The summary of it.</summary>")],
        vec![runs("echo after")],
        vec![says("Done.")],
    ]);
    rig.run(&["-p", "Look", "--session-id", id, "--model", MODELS[0], "--autocompact", "100000"]);
    let session = rig.session(id);
    let checked = rig.every_line_is_where_it_was_sent(&[
        &memory.join("topic.md"),
        &memory.join("shown.md"),
        &project.join("CLAUDE.md"),
    ]);
    assert!(checked > 400, "{checked}");
    let last = rig.presence(&session, rig.show(&session).requests.len() as u64 - 1);
    assert_eq!(last.compactions.len(), 1, "it was compacted");
    assert_eq!(source(&last, "MEMORY.md").lines, [(1, 30)]);
    let causes: BTreeMap<&str, Vec<PresenceCause>> = last
        .sources
        .iter()
        .map(|source| (source.path.as_str(), source.absent.iter().map(|one| one.cause).collect()))
        .collect();
    assert_eq!(causes["other.md"], [PresenceCause::NotOpened]);
    // A file that is read lately comes back as an attachment, what a command printed does not.
    let is_back = |name: &str| !source(&last, name).lines.is_empty();
    assert!(is_back("topic.md") || causes["topic.md"] == [PresenceCause::Compacted]);
    assert!(is_back("shown.md") || causes["shown.md"] == [PresenceCause::Compacted]);
}

/// For some models the client puts what it attaches after a compaction into a result.
#[test]
fn what_comes_back_after_a_compaction_is_known_however_it_is_sent() {
    for (number, model) in MODELS.into_iter().enumerate() {
        let Some((rig, memory)) = with_memory(&index_of(30)) else { return };
        let id = format!("00000000-0000-4000-8000-00000000022{number}");
        let big = json!({"input_tokens": 190_000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9});
        rig.api.play(vec![
            vec![reads(&memory.join("topic.md"), None)],
            vec![runs("true"), json!({"type": "usage", "usage": big})],
            vec![says("<summary>The summary of it.</summary>")],
            vec![runs("echo after")],
            vec![says("Done.")],
        ]);
        rig.run(&["-p", "Look", "--session-id", &id, "--model", model, "--autocompact", "100000"]);
        assert!(rig.every_line_is_where_it_was_sent(&[&memory.join("topic.md")]) > 200, "{model}");
        let session = rig.session(&id);
        let last = rig.presence(&session, rig.show(&session).requests.len() as u64 - 1);
        assert_eq!(last.compactions.len(), 1, "{model}: it was compacted");
        assert_eq!(source(&last, "topic.md").lines, [(1, 60)], "{model}");
    }
}

/// However a command names a memory, or whether it does: what it prints of it is present, and that is proved.
#[test]
fn what_any_command_prints_of_a_memory_is_present() {
    let Some((rig, memory)) = with_memory(&index_of(20)) else { return };
    std::fs::copy(memory.join("shown.md"), memory.join("sp ace.md")).expect("a copy");
    std::fs::write(memory.join("sp ace.md"), "a memory with a space in its name\n").expect("a file");
    commands::scan(&rig.world.app, ScanReq::default()).expect("a scan");
    let ways = [
        ("cd M && cat shown.md", "shown.md", (1, 1)),
        ("cd M; head -5 topic.md", "topic.md", (1, 5)),
        ("pushd M; tail -n +58 topic.md", "topic.md", (58, 60)),
        ("cd M && grep -n 'line 7 ' topic.md", "topic.md", (7, 7)),
        ("cd M && grep -rn 'line 7 ' .", "topic.md", (7, 7)),
        ("grep -rhn 'line 8 ' M", "topic.md", (8, 8)),
        ("cat 'M/sp ace.md'", "sp ace.md", (1, 1)),
        ("cat M/sp\\ ace.md", "sp ace.md", (1, 1)),
        ("cat \"M\"/topic.md", "topic.md", (1, 60)),
        ("cat M//topic.md", "topic.md", (1, 60)),
        ("cat M/*.md", "topic.md", (1, 60)),
        ("cat M/{topic,shown}.md", "shown.md", (1, 1)),
        ("for f in M/*.md; do cat \"$f\"; done", "topic.md", (1, 60)),
        ("find M -name '*.md' -exec cat {} +", "topic.md", (1, 60)),
        ("ls M/*.md | xargs -d '\\n' cat", "topic.md", (1, 60)),
        ("D=M; cat $D/topic.md", "topic.md", (1, 60)),
        ("cat -A M/topic.md | head -2", "topic.md", (1, 2)),
        ("tac M/topic.md | head -4", "topic.md", (57, 60)),
        ("diff M/topic.md /dev/null", "topic.md", (1, 60)),
        ("git diff --no-index /dev/null M/topic.md", "topic.md", (1, 60)),
        ("X=$(echo M | tr a-z a-z); cat $X/t*c.md", "topic.md", (1, 60)),
    ];
    for (number, (command, name, lines)) in ways.into_iter().enumerate() {
        let id = format!("00000000-0000-4000-8000-000000000{:03}", 300 + number);
        let command = command.replace('M', &memory.display().to_string());
        rig.api.play(vec![vec![runs(&command)], vec![says("Done.")]]);
        rig.run(&["-p", "Look", "--session-id", &id, "--model", MODELS[0]]);
        let told = rig.presence(&rig.session(&id), 1);
        let found = source(&told, name);
        assert_eq!(
            (found.lines.as_slice(), found.grade),
            (&[lines][..], PresenceGrade::Proved),
            "{command}: {:?}",
            found.absent
        );
    }
}

/// The client takes comments out of an imported file, too, and empty lines before its first.
#[test]
fn the_lines_of_an_imported_file_have_its_numbers() {
    let Some((rig, _)) = with_memory(&index_of(20)) else { return };
    let content = "\nfirst of the imported\n<!-- a note -->\nsecond of the imported\n";
    std::fs::write(rig.project().join("more.md"), content).expect("a file");
    let id = "00000000-0000-4000-8000-000000000230";
    rig.api.play(vec![vec![says("Done.")]]);
    rig.run(&["-p", "Look", "--session-id", id, "--model", MODELS[0]]);
    let told = rig.presence(&rig.session(id), 0);
    let more = source(&told, "more.md");
    assert_eq!((more.lines.as_slice(), more.total_lines), (&[(2, 2), (4, 4)][..], 4));
    assert!(more.absent.iter().all(|one| one.cause == PresenceCause::Stripped), "{:?}", more.absent);
}

#[test]
fn an_index_above_the_limit_of_bytes_is_cut_there() {
    let lines: String = (1..=120).map(|line| format!("- fact {line} {}\n", "x".repeat(300))).collect();
    let Some((rig, _)) = with_memory(&lines) else { return };
    let id = "00000000-0000-4000-8000-000000000203";
    rig.api.play(vec![vec![says("Done.")]]);
    rig.run(&["-p", "Look", "--session-id", id, "--model", MODELS[1]]);
    assert!(rig.every_line_is_where_it_was_sent(&[]) > 120);
    let told = rig.presence(&rig.session(id), 0);
    let index = source(&told, "MEMORY.md");
    let &[(1, last)] = index.lines.as_slice() else { panic!("{index:?}") };
    assert!((70..90).contains(&last), "{last}");
    assert_eq!(index.absent[0].lines, (last + 1, 120));
    assert_eq!(index.absent[0].cause, PresenceCause::Cut);
}
