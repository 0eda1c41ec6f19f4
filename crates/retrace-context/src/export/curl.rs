//! A shell command.

use super::{COMPACTION_BETA, Context, ExportError, Kind, MAX_TOKENS, pretty, thinking};
use serde_json::json;
use std::fmt::Write as _;

pub(super) fn write(context: &Context<'_>) -> Result<String, ExportError> {
    let mut body = json!({
        "model": context.model,
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": "Hello"}],
    });
    let betas = match &context.kind {
        Kind::None => Vec::new(),
        Kind::Edits { edits, betas, thinks } => {
            body["context_management"] = json!({"edits": edits});
            if *thinks {
                body["thinking"] = thinking(context.model);
            }
            betas.clone()
        }
        Kind::OnDemand { compaction, .. } => {
            body["compaction"] = compaction.clone();
            vec![COMPACTION_BETA]
        }
        Kind::Runner { .. } => return Err(ExportError::OnlyInAnSdk),
    };
    let mut text = String::from("#!/bin/sh\n");
    let mut comment = context.comment.clone();
    if matches!(context.kind, Kind::OnDemand { .. }) {
        comment.push("This call compacts. Put the block it answers first in later requests, in place of these messages.".into());
    }
    for line in comment {
        let _ = writeln!(text, "# {line}");
    }
    text.push_str("curl \"${ANTHROPIC_BASE_URL:-https://api.anthropic.com}/v1/messages\" \\\n");
    text.push_str("  --header \"x-api-key: $ANTHROPIC_API_KEY\" \\\n");
    text.push_str("  --header \"anthropic-version: 2023-06-01\" \\\n");
    if !betas.is_empty() {
        let _ = writeln!(text, "  --header \"anthropic-beta: {}\" \\", betas.join(","));
    }
    text.push_str("  --header \"content-type: application/json\" \\\n");
    // Quoted, so that the shell changes nothing in it; a line of JSON is never the bare word.
    text.push_str("  --data-binary @- <<'REQUEST'\n");
    text.push_str(&pretty(&body));
    text.push_str("REQUEST\n");
    Ok(text)
}
