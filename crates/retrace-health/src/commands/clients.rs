//! The agents of this machine: their versions, and what of them is read.

use super::instructions::agent_word;
use crate::Checks;
use crate::wire::{ApiError, Client, ClientPart, ClientReading, Clients, Nothing, show};
use retrace_message::Message;
use retrace_sources::{AgentProgram, InstructionAgent, agent_programs, session_says};
use std::sync::Arc;

/// The agents whose program or files are on this machine. No program is run.
///
/// # Errors
/// None; the list may be empty.
pub fn clients(inner: &Arc<Checks>, _: Nothing) -> Result<Clients, ApiError> {
    let programs = agent_programs(&inner.options.surroundings).into_iter().map(with_version);
    let clients = programs.map(|program| client(&program)).collect();
    Ok(Clients { clients })
}

/// The same with the version that the newest session in a database says, where nothing else does.
fn with_version(mut program: AgentProgram) -> AgentProgram {
    if program.agent == InstructionAgent::Opencode
        && program.version.is_none()
        && let Some((version, session)) =
            program.places.iter().find_map(|place| retrace_sessions::opencode_version(place))
    {
        (program.version, program.version_from) = (Some(version), Some(session_says(&session)));
    }
    program
}

fn client(program: &AgentProgram) -> Client {
    let agent = program.agent;
    Client {
        agent: agent_word(agent),
        title: agent.title().to_owned(),
        version: program.version.clone(),
        version_from: program.version_from.clone(),
        seen_with: agent.seen_with().to_owned(),
        program: program.program.as_deref().map(show),
        places: program.places.iter().map(|place| show(place)).collect(),
        parts: parts(agent)
            .into_iter()
            .map(|(part, since, note)| ClientReading {
                part,
                exact: since
                    .zip(program.version.as_deref())
                    .and_then(|(since, version)| at_least(version, since)),
                since: since.map(str::to_owned),
                note,
            })
            .collect(),
    }
}

/// The parts of an agent that are read, each with the first version for which it is exact.
fn parts(agent: InstructionAgent) -> Vec<(ClientPart, Option<&'static str>, Message)> {
    let seen = agent.seen_with();
    let instructions = (ClientPart::Instructions, Some(seen), say::instructions_as(seen));
    let sessions = |note| (ClientPart::Sessions, None, note);
    let estimated = (ClientPart::Requests, None, say::requests_counted());
    match agent {
        InstructionAgent::ClaudeCode => vec![
            sessions(say::sessions()),
            (ClientPart::Requests, Some("2.1.300"), say::requests_proved("2.1.300")),
            instructions,
            (ClientPart::Memory, None, say::memory("projects/PROJECT/memory, agent-memory")),
        ],
        InstructionAgent::Codex => vec![
            sessions(say::sessions()),
            estimated,
            instructions,
            (ClientPart::Memory, None, say::memory("memories, memories_v2")),
        ],
        InstructionAgent::Gemini => vec![
            sessions(say::sessions()),
            estimated,
            instructions,
            (ClientPart::Memory, None, say::memory("GEMINI.md, tmp/PROJECT/memory")),
        ],
        InstructionAgent::Opencode => {
            vec![
                sessions(say::sessions()),
                estimated,
                instructions,
                (ClientPart::Memory, None, say::no_memory()),
            ]
        }
    }
}

/// True if a version is another one or later; none where one of them is no version.
fn at_least(version: &str, since: &str) -> Option<bool> {
    let numbers = |text: &str| -> Option<Vec<u64>> {
        let core = text.split(['-', '+']).next()?;
        core.split('.').map(|part| part.parse().ok()).collect()
    };
    Some(numbers(version)? >= numbers(since)?)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "clients";
    sessions() => "Sessions with their prompts, tool calls, written files and the usage that the provider reported.",
    requests_proved(since) => "Each request of a session that {since} or later wrote is rebuilt and proved by its digest.",
    requests_counted() => "The client does not record its requests; their parts are counted offline.",
    instructions_as(version) => "Instruction files as {version} loads them; the list was compared with the program in random layouts.",
    memory(names) => "Memory files, recorded by a store: {names}.",
    no_memory() => "It keeps no memory.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_their_numbers() {
        assert_eq!(at_least("2.1.1000", "2.1.300"), Some(true));
        assert_eq!(at_least("2.1.300-beta.1", "2.1.300"), Some(true));
        assert_eq!(at_least("0.99.0", "0.169.0"), Some(false));
        assert_eq!(at_least("latest", "0.169.0"), None);
    }
}
