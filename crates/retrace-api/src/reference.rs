//! docs/API.md, made from the table of commands and the wire types.

use crate::bindings::{Declared, declarations, type_of};
use crate::wire::{Code, Event, Tag};
use crate::{ANY_COMMAND, COMMANDS, CommandInfo};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const HEAD: &str = "\
# Commands

Made by `make bindings` from the table of commands (`crates/retrace-api/src/commands/table.rs`) and the wire types. Do not edit.

Every command is `POST /api/v1/NAME` at the address that `retrace serve` prints, with the request as JSON, the header
`content-type: application/json`, and the token as `Authorization: Bearer TOKEN`. The window calls the same commands without
HTTP. A field that may be null may be left out. `GET /api/v1/commands` lists the commands; `GET /api/v1/events` sends events
as server-sent events.

A refusal is `{\"error\": {code, message, hint, subject}}`. Clients branch on `code`; the other texts are for people.

";

/// The whole text of `docs/API.md`. Written and compared with the tree as the TypeScript is.
#[must_use]
pub fn markdown() -> String {
    let types = declarations();
    let reference = Reference::of(&types);
    let mut text = HEAD.to_owned();
    codes(&mut text);
    tags(&mut text);
    text.push_str("## The commands\n\n| command | |\n| --- | --- |\n");
    for command in COMMANDS {
        let _ = writeln!(text, "| [`{0}`](#{0}) | {1} |", command.name, cell(command.about.trim()));
    }
    for command in COMMANDS {
        reference.command(&mut text, command);
    }
    text.push_str("\n## Types\n");
    for declared in types.iter().filter(|declared| !reference.inline.contains(&declared.name)) {
        let _ = writeln!(text, "\n### type {}\n", declared.name);
        if let Some(docs) = &declared.docs {
            let _ = writeln!(text, "{}\n", comment(docs));
        }
        reference.fields(&mut text, declared);
    }
    text
}

fn codes(text: &mut String) {
    let any: Vec<String> = ANY_COMMAND.iter().map(|code| format!("`{}`", name_of(*code))).collect();
    let _ = writeln!(
        text,
        "| code | HTTP | exit code of `retrace` |\n| --- | --- | --- |\n{}\n\nAny command may refuse with {}.\n",
        Code::ALL
            .iter()
            .map(|code| format!("| `{}` | {} | {} |", name_of(*code), code.http_status(), code.exit_code()))
            .collect::<Vec<_>>()
            .join("\n"),
        any.join(", ")
    );
}

fn tags(text: &mut String) {
    text.push_str(
        "## What goes stale\n\nAn answer shows tags; commands and events change tags. Read an answer again when one of \
         its tags changed. An answer with `live: false` is not concerned by `files`.\n\n| event | changes |\n| --- | --- |\n",
    );
    for event in Event::examples() {
        let _ = writeln!(text, "| `{}` | {} |", type_of(&event), tag_list(event.tags()));
    }
    text.push('\n');
}

/// State of the reference while it is written.
struct Reference<'t> {
    types: BTreeMap<&'t str, &'t Declared>,
    /// Types that stand with the only command that has them.
    inline: BTreeSet<String>,
}

impl<'t> Reference<'t> {
    fn of(types: &'t [Declared]) -> Self {
        let by_name: BTreeMap<&str, &Declared> =
            types.iter().map(|declared| (declared.name.as_str(), declared)).collect();
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for command in COMMANDS {
            for name in [command.request, command.response] {
                *uses.entry(name).or_default() += 1;
            }
        }
        for declared in types {
            let (_, body) = declared.declaration.split_once('=').unwrap_or_default();
            for word in words(body).filter(|word| by_name.contains_key(word)) {
                *uses.entry(word).or_default() += 1;
            }
        }
        let named =
            |name: &str| COMMANDS.iter().any(|command| [command.request, command.response].contains(&name));
        let inline = uses.into_iter().filter(|(name, uses)| *uses == 1 && named(name));
        let inline = inline.map(|(name, _)| name.to_owned()).collect();
        Self { types: by_name, inline }
    }

    fn command(&self, text: &mut String, command: &CommandInfo) {
        let _ = writeln!(text, "\n### {}\n\n{}\n", command.name, command.about.trim());
        if command.writes {
            let _ = writeln!(text, "Changes: {}.\n", tag_list(command.invalidates));
        }
        if !command.provides.is_empty() {
            let of = if command.writes { "Its preview shows" } else { "Shows" };
            let _ = writeln!(text, "{of}: {}.\n", tag_list(command.provides));
        }
        if !command.errors.is_empty() {
            let codes: Vec<String> =
                command.errors.iter().map(|code| format!("`{}`", name_of(*code))).collect();
            let _ = writeln!(text, "Refuses with: {}.\n", codes.join(", "));
        }
        self.side(text, "Request", command.request);
        self.side(text, "Response", command.response);
    }

    fn side(&self, text: &mut String, side: &str, name: &str) {
        if name == "Nothing" {
            let _ = writeln!(text, "{side}: `{{}}`\n");
        } else if self.inline.contains(name) {
            let _ = writeln!(text, "{side}:\n");
            if let Some(declared) = self.types.get(name) {
                self.fields(text, declared);
            }
            text.push('\n');
        } else {
            let _ = writeln!(text, "{side}: [{name}](#type-{})\n", name.to_lowercase());
        }
    }

    /// The fields of a type as a table; the declaration itself where it is no plain object.
    fn fields(&self, text: &mut String, declared: &Declared) {
        let body = declared.declaration.split_once('=').map_or("", |(_, body)| body);
        let body = body.trim().trim_end_matches(';');
        let Some(fields) = fields_of(body) else {
            let body: Vec<&str> = body.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let _ = writeln!(text, "```ts\n{}\n```", body.join("\n"));
            return;
        };
        text.push_str("| field | type | |\n| --- | --- | --- |\n");
        for Field { name, of, docs } in fields {
            let _ = writeln!(text, "| `{name}` | {} | {} |", self.linked(&of), cell(&docs));
        }
    }

    /// A type with links to the types it names.
    fn linked(&self, of: &str) -> String {
        let mut text = String::new();
        let mut rest = of;
        while let Some(letter) = rest.chars().next() {
            let length = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let word = &rest[..length.max(letter.len_utf8())];
            match word {
                _ if self.types.contains_key(word) && !self.inline.contains(word) => {
                    let _ = write!(text, "[{word}](#type-{})", word.to_lowercase());
                }
                "<" => text.push_str("&lt;"),
                ">" => text.push_str("&gt;"),
                "|" => text.push_str("\\|"),
                _ => text.push_str(word),
            }
            rest = &rest[word.len()..];
        }
        text
    }
}

/// One field of an object type.
#[derive(Debug, PartialEq, Eq)]
struct Field {
    name: String,
    of: String,
    docs: String,
}

/// The fields of `{ … }`; `None` for anything else.
fn fields_of(body: &str) -> Option<Vec<Field>> {
    let mut rest = body.strip_prefix('{')?.trim_start();
    let mut fields = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return after.trim().is_empty().then_some(fields);
        }
        let mut docs = String::new();
        if rest.starts_with("/**") {
            let end = rest.find("*/")? + 2;
            docs = comment(&rest[..end]);
            rest = rest[end..].trim_start();
        }
        let (name, after) = rest.split_once(':')?;
        let end = end_of_type(after)?;
        fields.push(Field {
            name: name.trim().trim_matches('"').to_owned(),
            of: after[..end].trim().to_owned(),
            docs,
        });
        rest = after[end..].trim_start_matches(',').trim_start();
    }
}

/// Where a type ends: at a comma or a closing brace that is not inside of it.
fn end_of_type(text: &str) -> Option<usize> {
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' | '(' | '<' => depth += 1,
            ',' | '}' if depth == 0 => return Some(at),
            '}' | ']' | ')' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The text of a comment, on one line.
fn comment(docs: &str) -> String {
    let lines = docs.lines().map(|line| line.trim().trim_start_matches("/**").trim_end_matches("*/"));
    let lines = lines.map(|line| line.trim().trim_start_matches('*').trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A text that ends no cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

fn name_of(code: Code) -> String {
    serde_json::to_value(code).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn tag_list(tags: &[Tag]) -> String {
    let names = tags.iter().filter_map(|tag| serde_json::to_value(tag).ok());
    let names: Vec<String> = names.filter_map(|name| name.as_str().map(|name| format!("`{name}`"))).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_type_is_a_list_of_fields() {
        let body = "{ \n/**\n * The store.\n * Never a path.\n */\nstore: string | null, spans: Array<[number, number]>, }";
        let field = |name: &str, of: &str, docs: &str| Field {
            name: name.to_owned(),
            of: of.to_owned(),
            docs: docs.to_owned(),
        };
        let wanted = vec![
            field("store", "string | null", "The store. Never a path."),
            field("spans", "Array<[number, number]>", ""),
        ];
        assert_eq!(fields_of(body), Some(wanted));
        assert_eq!(fields_of("{ \"a\": 1 } | { \"b\": 2 }"), None);
        assert_eq!(fields_of("\"x\" | \"y\""), None);
    }

    #[test]
    fn every_type_and_command_stands_in_the_reference_once() {
        let text = markdown();
        for command in COMMANDS {
            let heading = format!("\n### {}\n", command.name);
            assert_eq!(text.matches(&heading).count(), 1, "{}", command.name);
        }
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
        let anchors: BTreeSet<String> =
            headings.iter().map(|heading| heading.to_lowercase().replace(' ', "-")).collect();
        for link in text.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(anchors.contains(link), "#{link} leads nowhere");
        }
    }
}
