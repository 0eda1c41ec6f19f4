//! Prints one request as it was sent.

use super::table::{grouped, nth};
use super::{Style, count, visible};
use retrace_api::wire::RequestBody;
use serde_json::Value;
use std::io::{Result, Write};

/// Characters of a text that are shown; `--json` and `--raw` have all of it.
const CHARACTERS: usize = 400;

/// Whether it is proved, its parameters, and its parts in order.
pub fn show(out: &mut (impl Write + ?Sized), shown: &RequestBody, style: Style) -> Result<()> {
    // Requests are counted from 1 where a person reads them, and named from 0.
    let index =
        shown.index.map_or_else(String::new, |index| format!("request {} (--at {index}) ", nth(index)));
    let source =
        shown.source.as_deref().map(|source| format!(", {}", visible::line(source))).unwrap_or_default();
    let state = match shown.proved {
        Some(true) => style.paint.green("proved by its digest"),
        Some(false) => style.paint.yellow("not proved"),
        None => style.paint.yellow("not recorded"),
    };
    writeln!(out, "{} {}{source}, {state}", style.paint.bold(index.trim_end()), visible::line(&shown.id))?;
    if let Some(reason) = &shown.reason {
        writeln!(out, "{}", style.paint.dim(&visible::line(reason)))?;
    }
    let Value::Object(body) = &shown.body else { return Ok(()) };
    for (name, value) in
        body.iter().filter(|(name, _)| !matches!(name.as_str(), "system" | "tools" | "messages"))
    {
        writeln!(out, "{}: {}", style.paint.dim(&visible::line(name)), visible::line(&value.to_string()))?;
    }
    if let Some(system) = body.get("system") {
        writeln!(out, "\n{}", style.paint.bold("system"))?;
        content(out, system)?;
    }
    let list = |name: &str| body.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let tools = list("tools");
    if !tools.is_empty() {
        let number = count(tools.len() as u64, "tool", "tools");
        writeln!(out, "\n{}", style.paint.bold(&number))?;
        for tool in tools {
            let name = tool["name"].as_str().unwrap_or("?");
            let bytes = grouped(tool.to_string().len() as u64);
            writeln!(out, "  {} {}", visible::line(name), style.paint.dim(&format!("({bytes} bytes)")))?;
        }
    }
    for (number, message) in list("messages").iter().enumerate() {
        let role = message["role"].as_str().unwrap_or("?");
        writeln!(
            out,
            "\n{} {}",
            style.paint.dim(&format!("[{number}]")),
            style.paint.bold(&visible::line(role))
        )?;
        content(out, &message["content"])?;
    }
    Ok(())
}

fn content(out: &mut (impl Write + ?Sized), content: &Value) -> Result<()> {
    match content {
        Value::String(words) => text(out, "", words),
        Value::Array(blocks) => blocks.iter().try_for_each(|one| block(out, one)),
        other => text(out, "", &other.to_string()),
    }
}

fn block(out: &mut (impl Write + ?Sized), block: &Value) -> Result<()> {
    let mark = if block.get("cache_control").is_some() { " (cache mark)" } else { "" };
    let field = |name: &str| block.get(name).and_then(Value::as_str);
    match field("type").unwrap_or("?") {
        "text" => text(out, mark, field("text").unwrap_or_default()),
        "thinking" => text(out, &format!(" thinking{mark}"), field("thinking").unwrap_or_default()),
        "tool_use" => {
            let name = field("name").unwrap_or("?");
            text(out, &format!(" calls {name}{mark}"), &block["input"].to_string())
        }
        "tool_result" => {
            let result = match &block["content"] {
                Value::String(words) => words.clone(),
                other => other.to_string(),
            };
            text(out, &format!(" result{mark}"), &result)
        }
        kind => text(out, &format!(" {kind}{mark}"), &block.to_string()),
    }
}

fn text(out: &mut (impl Write + ?Sized), label: &str, words: &str) -> Result<()> {
    if !label.is_empty() {
        writeln!(out, " {}", visible::line(label.trim()))?;
    }
    let shown: String = words.chars().take(CHARACTERS).collect();
    for line in shown.lines() {
        writeln!(out, "    {}", visible::line(line))?;
    }
    if shown.len() < words.len() {
        writeln!(out, "    … {} bytes", grouped(words.len() as u64))?;
    }
    Ok(())
}
