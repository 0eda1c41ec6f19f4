//! A program for the TypeScript SDK: a module, for its top-level `await`.

use super::literal::json as literal;
use super::{COMPACTION_BETA, Context, Kind, MAX_TOKENS, When, thinking};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) fn write(context: &Context<'_>) -> String {
    let mut text = String::new();
    for line in &context.comment {
        let _ = writeln!(text, "// {line}");
    }
    let model = literal(&context.model.into(), 0);
    match &context.kind {
        Kind::None => text.push_str(&single(&model, "", "")),
        Kind::Edits { edits, betas, thinks } => {
            let setting = literal(&json!({"edits": edits}), 0);
            let constant = format!(
                "const contextManagement: Anthropic.Beta.BetaContextManagementConfig = {setting};\n\n"
            );
            let mut parameters = format!("  betas: {},\n", Value::from(betas.clone()));
            parameters.push_str("  context_management: contextManagement,\n");
            if *thinks {
                let _ = writeln!(parameters, "  thinking: {},", literal(&thinking(context.model), 2));
            }
            text.push_str(&single(&model, &constant, &parameters));
            text.push_str("console.log(response.context_management); // what was cleared\n");
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
        r#"import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic(); // reads ANTHROPIC_API_KEY

{constant}const response = await client.beta.messages.create({{
  model: {model},
  max_tokens: {MAX_TOKENS},
{parameters}  messages: [{{ role: "user", content: "Hello" }}],
}});
console.log(response.content);
"#
    )
}

fn on_demand(model: &str, compaction: &Value, when: &When) -> String {
    let compaction = literal(compaction, 0);
    let (constant, condition) = match when {
        When::At(turns) => {
            let turns: Vec<String> = turns.iter().map(u64::to_string).collect();
            let constant =
                format!("const compactBefore: number[] = [{}]; // turns, from 0", turns.join(", "));
            (constant, "compactBefore.includes(turn)")
        }
        When::ContextReaches(tokens) => {
            (format!("const contextReaches = {tokens}; // tokens"), "context >= contextReaches")
        }
    };
    format!(
        r#"import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic(); // reads ANTHROPIC_API_KEY

const compaction: Anthropic.Beta.BetaCompactionConfig = {compaction};
{constant}
const prompts = ["Hello"]; // one a turn

function send(messages: Anthropic.Beta.BetaMessageParam[], more: {{ compaction?: typeof compaction }} = {{}}) {{
  return client.beta.messages.create({{
    model: {model},
    max_tokens: {MAX_TOKENS},
    betas: ["{COMPACTION_BETA}"],
    messages,
    ...more,
  }});
}}

let messages: Anthropic.Beta.BetaMessageParam[] = [];
let context = 0;
for (const [turn, prompt] of prompts.entries()) {{
  if (messages.length > 0 && {condition}) {{
    const compacted = await send(messages, {{ compaction }});
    // A summary that failed has no content: then the history stays.
    if (compacted.content.some((block) => block.type === "compaction" && block.content)) {{
      messages = [{{ role: "assistant", content: compacted.content }}];
    }}
  }}
  messages.push({{ role: "user", content: prompt }});
  const response = await send(messages);
  messages.push({{ role: "assistant", content: response.content }});
  const usage = response.usage;
  context = usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
  console.log(turn, response.content);
}}
"#
    )
}

/// Differences from `compactionControl`.
fn remarks(summariser: Option<&str>) -> String {
    let mut text = String::from(
        "// compactionControl is gone from the current SDKs; this asks their tool runner to compact at the same threshold.\n\
         // Other than there, the answer that reached the threshold is kept.\n",
    );
    if let Some(model) = summariser {
        let model = super::visible(model);
        let _ = writeln!(
            text,
            "// The summary is made by the run's own model; {model} cannot be chosen for it any more."
        );
    }
    text
}

fn runner(model: &str, threshold: u64, compaction: &Value, max_iterations: Option<u64>) -> String {
    let compaction = literal(compaction, 0);
    let limit = max_iterations.map(|limit| format!("  max_iterations: {limit},\n")).unwrap_or_default();
    format!(
        r#"import Anthropic from "@anthropic-ai/sdk";
import {{ betaTool }} from "@anthropic-ai/sdk/helpers/beta/json-schema";

const client = new Anthropic(); // reads ANTHROPIC_API_KEY

const contextTokenThreshold = {threshold};
const compaction: Anthropic.Beta.BetaCompactionConfig = {compaction};

const echo = betaTool({{
  name: "echo",
  description: "Answers the text it is given.",
  inputSchema: {{ type: "object", properties: {{ text: {{ type: "string" }} }}, required: ["text"] }},
  run: ({{ text }}) => text,
}});

const runner = client.beta.messages.toolRunner({{
  model: {model},
  max_tokens: {MAX_TOKENS},
  betas: ["{COMPACTION_BETA}"],
  tools: [echo],
{limit}  messages: [{{ role: "user", content: "Hello" }}],
}});
for await (const message of runner) {{
  const usage = message.usage;
  const used =
    usage.input_tokens +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0) +
    usage.output_tokens;
  if (used >= contextTokenThreshold && message.stop_reason === "tool_use") {{
    runner.compactBeforeNextTurn(compaction);
  }}
  console.log(message.content);
}}
"#
    )
}
