//! A program for the Python SDK.

use super::literal::{python as literal, python_string};
use super::{COMPACTION_BETA, Context, Kind, MAX_TOKENS, When, thinking};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) fn write(context: &Context<'_>) -> String {
    let mut text = String::new();
    for line in &context.comment {
        let _ = writeln!(text, "# {line}");
    }
    let model = python_string(context.model);
    match &context.kind {
        Kind::None => text.push_str(&single(&model, "", "")),
        Kind::Edits { edits, betas, thinks } => {
            let setting = literal(&json!({"edits": edits}), 0);
            let constant = format!("CONTEXT_MANAGEMENT = {setting}\n\n");
            let mut parameters = format!("    betas={},\n", Value::from(betas.clone()));
            parameters.push_str("    context_management=CONTEXT_MANAGEMENT,\n");
            if *thinks {
                let _ = writeln!(parameters, "    thinking={},", literal(&thinking(context.model), 4));
            }
            text.push_str(&single(&model, &constant, &parameters));
            text.push_str("print(response.context_management)  # what was cleared\n");
        }
        Kind::OnDemand { compaction, when } => text.push_str(&on_demand(&model, compaction, when)),
        Kind::Runner { threshold, compaction, model: summariser, max_iterations } => {
            text.push_str(&remarks(summariser.as_deref()));
            text.push_str(&runner(&model, *threshold, compaction, *max_iterations));
        }
    }
    text
}

fn single(model: &str, constant: &str, parameters: &str) -> String {
    format!(
        r#"import anthropic

client = anthropic.Anthropic()  # reads ANTHROPIC_API_KEY

{constant}response = client.beta.messages.create(
    model={model},
    max_tokens={MAX_TOKENS},
{parameters}    messages=[{{"role": "user", "content": "Hello"}}],
)
print(response.content)
"#
    )
}

fn on_demand(model: &str, compaction: &Value, when: &When) -> String {
    let compaction = literal(compaction, 0);
    let (constant, condition) = match when {
        When::At(turns) => {
            let turns: Vec<String> = turns.iter().map(u64::to_string).collect();
            (format!("COMPACT_BEFORE = [{}]  # turns, from 0", turns.join(", ")), "turn in COMPACT_BEFORE")
        }
        When::ContextReaches(tokens) => {
            (format!("CONTEXT_REACHES = {tokens}  # tokens"), "context >= CONTEXT_REACHES")
        }
    };
    format!(
        r#"import anthropic

client = anthropic.Anthropic()  # reads ANTHROPIC_API_KEY

COMPACTION = {compaction}
{constant}
PROMPTS = ["Hello"]  # one a turn


def send(messages, **parameters):
    return client.beta.messages.create(
        model={model},
        max_tokens={MAX_TOKENS},
        betas=["{COMPACTION_BETA}"],
        messages=messages,
        **parameters,
    )


messages = []
context = 0
for turn, prompt in enumerate(PROMPTS):
    if messages and {condition}:
        compacted = send(messages, compaction=COMPACTION)
        # A summary that failed has no content: then the history stays.
        if any(block.type == "compaction" and block.content for block in compacted.content):
            messages = [{{"role": "assistant", "content": compacted.content}}]
    messages.append({{"role": "user", "content": prompt}})
    response = send(messages)
    messages.append({{"role": "assistant", "content": response.content}})
    usage = response.usage
    context = (
        usage.input_tokens
        + (usage.cache_creation_input_tokens or 0)
        + (usage.cache_read_input_tokens or 0)
    )
    print(response.content)
"#
    )
}

/// Differences from `compaction_control`.
fn remarks(summariser: Option<&str>) -> String {
    let mut text = String::from(
        "# compaction_control is gone from the current SDKs; this asks their tool runner to compact at the same threshold.\n\
         # Other than there, the answer that reached the threshold is kept.\n",
    );
    if let Some(model) = summariser {
        let model = super::visible(model);
        let _ = writeln!(
            text,
            "# The summary is made by the run's own model; {model} cannot be chosen for it any more."
        );
    }
    text
}

fn runner(model: &str, threshold: u64, compaction: &Value, max_iterations: Option<u64>) -> String {
    let compaction = literal(compaction, 0);
    let limit = max_iterations.map(|limit| format!("    max_iterations={limit},\n")).unwrap_or_default();
    format!(
        r#"import anthropic
from anthropic import beta_tool

client = anthropic.Anthropic()  # reads ANTHROPIC_API_KEY

CONTEXT_TOKEN_THRESHOLD = {threshold}
COMPACTION = {compaction}


@beta_tool
def echo(text: str) -> str:
    """Answers the text it is given.

    Args:
        text: The text.
    """
    return text


runner = client.beta.messages.tool_runner(
    model={model},
    max_tokens={MAX_TOKENS},
    betas=["{COMPACTION_BETA}"],
    tools=[echo],
{limit}    messages=[{{"role": "user", "content": "Hello"}}],
)
for message in runner:
    usage = message.usage
    used = (
        usage.input_tokens
        + (usage.cache_creation_input_tokens or 0)
        + (usage.cache_read_input_tokens or 0)
        + usage.output_tokens
    )
    if used >= CONTEXT_TOKEN_THRESHOLD and message.stop_reason == "tool_use":
        runner.compact_before_next_turn(COMPACTION)
    print(message.content)
"#
    )
}
