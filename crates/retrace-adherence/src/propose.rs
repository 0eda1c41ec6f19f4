//! Sentences of memories, instruction files and sessions that look like rules.

use crate::Rules;
use crate::list::{answered, fields};
use retrace_engine::Engine;
use retrace_log::Reader;
use retrace_rules::{Rule, What, propose};
use retrace_sources::instructions;
use retrace_wire::{ApiError, Code, ProposeRulesReq, ProposedRules};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Largest file that is read for proposals, in bytes.
const LARGEST: u64 = 4 << 20;

/// Kinds that are not proposed: on public sessions less than 90 % of their breaks were breaks (`docs/PRESENCE.md`). Whether the
/// person had asked for an act in other words, such as for a pull request before a push, no pattern tells. A person can still
/// add such a rule.
const NOT_PROPOSED: [&str; 1] = ["ask_first"];

/// Openings of what a person says to correct a model.
const CORRECTIONS: [&str; 9] =
    ["no,", "no ", "don't", "do not", "never", "always", "stop ", "please don't", "we use"];

/// Sentences that look like rules, with kind and pattern filled in.
///
/// # Errors
/// `not_found` for an unknown store and a file that is not there, `invalid` for a path that is not absolute.
pub fn propose_rules(inner: &Arc<Rules>, request: ProposeRulesReq) -> Result<ProposedRules, ApiError> {
    let mut found: Vec<Rule> = Vec::new();
    if let Some(file) = &request.file {
        let path = Path::new(file);
        if !path.is_absolute() {
            return Err(ApiError::invalid(say::file_must_be_absolute(), file));
        }
        let is_small = std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= LARGEST);
        let text = std::fs::read(path).ok().filter(|_| is_small);
        let text = text.ok_or_else(|| ApiError::new(Code::NotFound, say::no_such_file(), file))?;
        add(&mut found, &String::from_utf8_lossy(&text), |line| format!("{file}:{line}"));
    } else {
        inner.read(|reader| of_stores(inner, reader, request.store.as_deref(), &mut found))?;
        if request.store.is_none() {
            of_instructions(inner, &mut found);
        }
    }
    if request.sessions {
        of_sessions(inner, &mut found)?;
    }
    let known: BTreeSet<String> = answered(inner)?.iter().map(pattern_and_source).collect();
    found.retain(|rule| {
        !NOT_PROPOSED.contains(&rule.pattern.kind()) && !known.contains(&pattern_and_source(rule))
    });
    Ok(ProposedRules { rules: found.iter().filter_map(fields).collect() })
}

fn of_stores(
    inner: &Engine,
    reader: &Reader<'_>,
    named: Option<&str>,
    found: &mut Vec<Rule>,
) -> Result<(), ApiError> {
    let stores = match named {
        Some(named) => vec![inner.store_named(reader, named)?],
        None => reader.stores()?.into_iter().filter(|store| store.removed_at.is_none()).collect(),
    };
    for store in stores {
        for memory in reader.memories_at(store.id, None)? {
            let (Some(path), Some(content)) = (&memory.path, &memory.version.content) else { continue };
            if !content.is_text || content.size > LARGEST {
                continue;
            }
            if let Some(content) = reader.content(&memory.version)? {
                let text = String::from_utf8_lossy(&content.bytes);
                add(found, &text, |line| format!("{}:{path}:{line}", store.name));
            }
        }
    }
    Ok(())
}

/// Instruction files of this user, and of every project that a session ran in.
fn of_instructions(inner: &Arc<Rules>, found: &mut Vec<Rule>) {
    inner.lab.index().update(&inner.lab);
    let snapshot = inner.lab.index().snapshot();
    let projects = snapshot.sessions().iter().filter_map(|session| session.main.as_ref()?.project());
    let mut directories: BTreeSet<Option<&Path>> = projects.map(|project| Some(Path::new(project))).collect();
    directories.insert(None);
    let mut seen = BTreeSet::new();
    for directory in directories.into_iter().filter(|directory| directory.is_none_or(Path::is_dir)) {
        for file in instructions(&inner.options.surroundings, directory).files {
            let path = retrace_wire::show(&file.path);
            if let Some(text) = file.text.filter(|_| seen.insert(path.clone())) {
                add(found, &text, |line| format!("{path}:{line}"));
            }
        }
    }
}

/// What people said to correct a model.
fn of_sessions(inner: &Arc<Rules>, found: &mut Vec<Rule>) -> Result<(), ApiError> {
    inner.lab.index().update(&inner.lab);
    let snapshot = inner.lab.index().snapshot();
    let mains: Vec<_> = snapshot.sessions().iter().filter_map(|session| session.main.clone()).collect();
    let mut seen = BTreeSet::new();
    for deeds in inner.deeds.of_all(inner, &mains)?.into_iter().flatten() {
        for deed in &deeds.all {
            let What::Said(text) = &deed.what else { continue };
            let lower = text.trim_start().to_lowercase();
            if CORRECTIONS.iter().any(|opening| lower.starts_with(opening)) && seen.insert(lower) {
                add(found, text, |_| String::new());
            }
        }
    }
    Ok(())
}

/// What makes a proposal the same as a rule: its pattern and its source without the line, which moves with other lines.
fn pattern_and_source(rule: &Rule) -> String {
    let source = rule.source.as_deref().unwrap_or_default();
    let file = source
        .rsplit_once(':')
        .filter(|(_, line)| line.parse::<u64>().is_ok())
        .map_or(source, |(file, _)| file);
    let plain =
        Rule { pattern: rule.pattern.clone(), sentence: String::new(), source: Some(file.to_owned()) };
    plain.to_json().to_string()
}

fn add(found: &mut Vec<Rule>, text: &str, source: impl Fn(u64) -> String) {
    for proposal in propose(text) {
        let source = source(proposal.line);
        found.push(Rule {
            pattern: proposal.pattern,
            sentence: proposal.sentence,
            source: (!source.is_empty()).then_some(source),
        });
    }
}

retrace_message::messages! {
    /// Messages about proposals of rules.
    mod say in "proposed_rules";
    file_must_be_absolute() => "The file must be named by its whole path.",
    no_such_file() => "There is no such file, or it is too large to be read.",
}
