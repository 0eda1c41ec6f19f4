//! Time of one answer to a slider: `context_simulate` of one setting over a transcript that was asked about before,
//! the JSON of request and answer included. `cargo run --release -p retrace-api --example slider -- TRANSCRIPT`

#![allow(clippy::print_stdout, reason = "a measurement says what it found")]

use retrace_api::{App, AppOptions};
use serde_json::json;
use std::time::Instant;

/// Settings tried.
const TIMES: u32 = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let transcript = std::env::args().nth(1).ok_or("name a transcript")?;
    let app = App::open(AppOptions::for_this_machine(None)?)?;
    let ask = |trigger: u32| {
        let edit = json!({"type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": trigger}, "clear_at_least": {"type": "input_tokens", "value": 5_000}});
        let variant = json!({"name": "one", "config": {"edits": [edit]}});
        let answer =
            app.call("context_simulate", json!({"transcript": transcript, "variants": [variant]}))?;
        Ok::<_, retrace_api::wire::ApiError>(answer.to_string().len())
    };
    let begun = Instant::now();
    let bytes = ask(50_000)?;
    println!("first call {:?}, {bytes} bytes of JSON", begun.elapsed());
    let begun = Instant::now();
    for step in 0..TIMES {
        ask(30_000 + step * 500)?;
    }
    println!("later calls {:?} each", begun.elapsed() / TIMES);
    Ok(())
}
