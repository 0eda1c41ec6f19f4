//! Claude Code lines for an index.

use super::state::{How, State, TitleRank};
use super::{Tokens, id_hash, memory_write};
use crate::account::{count, json_reason};
use crate::claude_code::line::{
    LightBlock, LightContent, LightMessage, Line, SYNTHETIC_MODEL, WITHOUT_CONTEXT, output_is_final,
    progress, request_record, title_of,
};
use crate::lenient::{Link, Text};
use crate::model::FAST;
use crate::writer::MEMORY_SAVED;
use retrace_model::Timestamp;
use serde::de::IgnoredAny;

type LightLine<'a> = Line<'a, LightMessage<'a>, Skipped>;

/// A value that an index skips.
#[derive(Debug, Default)]
struct Skipped;

impl<'de> serde::Deserialize<'de> for Skipped {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

/// Takes in one line; the reason when it cannot be read.
pub(super) fn line(state: &mut State, bytes: &[u8]) -> Result<(), retrace_message::Message> {
    if let Some(progress) = progress(bytes) {
        count(&mut state.account.without_context, "progress");
        state.saw(progress.timestamp.and_then(|at| Timestamp::parse(at).ok()));
        return Ok(());
    }
    if let Some(kind) = request_record(bytes) {
        count(&mut state.account.without_context, kind);
        return Ok(());
    }
    let line: LightLine<'_> = serde_json::from_slice(bytes).map_err(|error| json_reason(&error))?;
    let at = line.timestamp.as_str().and_then(|at| Timestamp::parse(at).ok());
    state.saw(at);
    session(state, &line);
    match line.kind.or_empty() {
        "assistant" => assistant(state, &line, at),
        "user" => user(state, &line),
        "system" => system(state, &line, at),
        "attachment" => {}
        kind if WITHOUT_CONTEXT.contains(&kind) => {
            count(&mut state.account.without_context, kind);
            titles(state, &line);
        }
        kind => count(&mut state.account.unknown, kind),
    }
    Ok(())
}

/// Takes the session's facts from the lines: its id is that of the last line, since a resumed session begins with
/// copies.
fn session(state: &mut State, line: &LightLine<'_>) {
    fn first(known: &mut Option<String>, text: &Text<'_>) {
        if known.is_none() {
            *known = text.as_str().map(str::to_owned);
        }
    }
    let session = &mut state.session;
    if let Some(id) = line.session_id.as_str()
        && session.id.as_deref() != Some(id)
    {
        session.id = Some(id.to_owned());
    }
    first(&mut session.project, &line.cwd);
    first(&mut session.branch, &line.branch);
    if let Some(version) = line.version.as_str()
        && session.client_version.as_deref() != Some(version)
    {
        session.client_version = Some(version.to_owned());
    }
    let is_message = matches!(line.kind.or_empty(), "user" | "assistant" | "attachment");
    if !is_message {
        return;
    }
    if line.is_sidechain.0 {
        state.sidechain(line.agent_id.as_str(), line.uuid.as_str(), line.parent == Link::Null);
    } else if !state.has_main {
        state.has_main = true;
        if state.title_rank == TitleRank::SidechainTyped {
            (state.session.title, state.title_rank) = (None, TitleRank::None);
        }
    }
}

fn titles(state: &mut State, line: &LightLine<'_>) {
    for (rank, text) in [
        (TitleRank::Summary, &line.summary),
        (TitleRank::Generated, &line.generated_title),
        (TitleRank::Custom, &line.custom_title),
    ] {
        if let Some(text) = text.as_str() {
            state.title(rank, text);
        }
    }
}

fn user(state: &mut State, line: &LightLine<'_>) {
    let sidechain = line.is_sidechain.0;
    let rank = if sidechain { TitleRank::SidechainTyped } else { TitleRank::FirstTyped };
    let is_known = if sidechain { state.title_rank >= rank } else { state.session.first_prompt.is_some() };
    if line.is_meta.0 || line.is_hidden.0 || line.is_summary.0 || (sidechain && state.has_main) || is_known {
        return;
    }
    let title = match &line.message.content {
        LightContent::Text(text) => title_of(text),
        LightContent::Blocks(blocks) => blocks
            .iter()
            .filter(|block| block.kind.as_str() == Some("text"))
            .find_map(|block| title_of(block.text.or_empty())),
        LightContent::Absent => None,
    };
    if let Some(title) = title {
        if !sidechain {
            state.session.first_prompt = Some(title.clone());
        }
        state.title(rank, &title);
    }
}

fn system(state: &mut State, line: &LightLine<'_>, at: Option<Timestamp>) {
    match line.subtype.or_empty() {
        "compact_boundary" if !line.is_sidechain.0 => state.compactions += 1,
        "compact_boundary" | "microcompact_boundary" => {}
        subtype => {
            if subtype == MEMORY_SAVED {
                let paths = line.written_paths.0.iter().filter_map(Text::as_str);
                paths.filter(|path| !path.is_empty()).for_each(|path| state.memory_write(path, subtype, at));
            }
            count(&mut state.account.without_context, &format!("system/{subtype}"));
        }
    }
}

fn assistant(state: &mut State, line: &LightLine<'_>, at: Option<Timestamp>) {
    let message = &line.message;
    let model = message.model.or_empty();
    if model == SYNTHETIC_MODEL || line.is_api_error.0 {
        return;
    }
    if let LightContent::Blocks(blocks) = &message.content {
        for block in blocks {
            tool_use(state, block, at);
        }
    }
    let id = message.id.as_str().or(line.request_id.as_str()).or(line.uuid.as_str());
    let id = id.map_or_else(|| id_hash(&format!("line {}", state.line)), id_hash);
    let tokens = tokens(message);
    let is_final = output_is_final(line.version.as_str(), message.stop_reason.as_str());
    let fast = message.usage.speed.as_str() == Some(FAST);
    let asked_by = line.asked_by.as_str();
    let copied = line.is_forked.0 || asked_by.is_some_and(|by| line.session_id.as_str() != Some(by));
    let sidechain = line.is_sidechain.0;
    state.used(id, model, &tokens, How { output_is_final: is_final, sidechain, fast, copied });
}

fn tokens(message: &LightMessage<'_>) -> Tokens {
    let usage = &message.usage;
    Tokens {
        input: usage.input.or_zero(),
        cache_creation: usage.cache_creation(),
        cache_creation_1h: usage.split.one_hour.or_zero().min(usage.cache_creation()),
        cache_read: usage.cache_read.or_zero(),
        output: usage.output.or_zero(),
        web_searches: usage.server_tools.web_searches.or_zero(),
    }
}

fn tool_use(state: &mut State, block: &LightBlock<'_>, at: Option<Timestamp>) {
    if block.kind.as_str() != Some("tool_use") {
        return;
    }
    let input = &block.input;
    let paths = [
        input.file_path.as_str(),
        input.notebook_path.as_str(),
        input.path.as_str(),
        input.new_path.as_str(),
    ];
    let tool = block.name.or_empty();
    if let Some(path) = memory_write::written(tool, input.command.as_str(), &paths) {
        state.memory_write(path, tool, at);
    }
}
