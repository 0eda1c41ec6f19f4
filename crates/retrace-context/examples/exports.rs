//! Writes every form of every kind of setting into a folder, to be run against the SDKs by hand:
//!
//! ```text
//! cargo run -p retrace-context --example exports -- FOLDER
//! ```

use retrace_context::export::{Form, export};
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("which folder?")?);
    let tools = json!({"type": "clear_tool_uses_20250919", "keep": {"type": "tool_uses", "value": 4},
        "trigger": {"type": "input_tokens", "value": 60_000}, "exclude_tools": ["memory"],
        "clear_at_least": {"type": "input_tokens", "value": 10_000}, "clear_tool_inputs": ["Write"]});
    let thinking = json!({"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 2}});
    let compact = json!({"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 90_000},
        "pause_after_compaction": false, "instructions": null});
    let settings = [
        ("none", json!({})),
        ("tools", json!({"edits": [tools]})),
        ("all", json!({"edits": [thinking, tools, compact]})),
        ("reaches", json!({"compaction": {"type": "summarize", "instructions": null}, "context_reaches": 5})),
        (
            "at",
            json!({"compaction": {"type": "summarize", "instructions": "Say \"it\" briefly.\n"}, "at": [1]}),
        ),
        (
            "runner",
            json!({"compaction_control": {"enabled": true, "context_token_threshold": 5, "model": "m"}, "max_iterations": 4}),
        ),
    ];
    for (name, setting) in settings {
        for form in [Form::Json, Form::Curl, Form::Python, Form::TypeScript] {
            let Ok(exported) = export(form, name, &setting, "claude-opus-4-8", None) else { continue };
            let folder = folder.join(name);
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join(exported.file_name), exported.text)?;
        }
    }
    Ok(())
}
