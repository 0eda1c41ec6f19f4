//! The TypeScript that the window is written against, made from the wire types, the list of commands, the rules and the
//! sentences.

use crate::commands::CommandInfo;
use crate::wire::{self, Event, Tag};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use ts_rs::{Config, TS, TypeVisitor};

/// The whole text of `ui/src/bindings/index.ts`. `cargo run -p retrace-api --example bindings` writes it; a test fails
/// when the file in the tree differs.
#[must_use]
pub fn typescript() -> String {
    let mut text = String::from(
        "// Made by `cargo run -p retrace-api --example bindings` from crates/retrace-wire/src. Do not edit.\n",
    );
    for Declared { docs, declaration, .. } in declarations() {
        text.push('\n');
        if let Some(docs) = docs {
            let _ = writeln!(text, "{}", docs.trim_end());
        }
        let _ = writeln!(text, "export {declaration}");
    }
    text.push_str("\n/** Every command: what it takes and what it gives. */\nexport type Commands = {\n");
    for command in crate::COMMANDS {
        let _ = writeln!(
            text,
            "  {}: {{ request: {}; response: {}; writes: {} }};",
            command.name, command.request, command.response, command.writes
        );
    }
    text.push_str("};\n");
    let commands = |text: &mut String, about: &str, name: &str, tags: fn(&CommandInfo) -> &'static [Tag]| {
        let kind = "{ readonly [Name in keyof Commands]: readonly Tag[] }";
        let _ = writeln!(text, "\n/** {about} */\nexport const {name}: {kind} = {{");
        for command in crate::COMMANDS {
            let _ = writeln!(text, "  {}: {},", command.name, list(tags(command)));
        }
        text.push_str("};\n");
    };
    let about = "What the answer of a command shows; of a command that writes, the answer of its preview.";
    commands(&mut text, about, "PROVIDES", |command| command.provides);
    commands(&mut text, "What a command changes when it is no preview.", "INVALIDATES", |command| {
        command.invalidates
    });
    text.push_str(
        "\n/** What changed when an event arrives. */\n\
         export const EVENT_TAGS: Readonly<Record<Event[\"type\"], readonly Tag[]>> = {\n",
    );
    for event in Event::examples() {
        let _ = writeln!(text, "  {}: {},", type_of(&event), list(event.tags()));
    }
    text.push_str("};\n");
    text
}

/// The `type` of an event.
pub(crate) fn type_of(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap_or_default();
    value["type"].as_str().unwrap_or_default().to_owned()
}

/// Tags as the wire writes them.
fn list(tags: &[Tag]) -> String {
    serde_json::to_string(tags).unwrap_or_default().replace(',', ", ")
}

/// One wire type in TypeScript.
pub(crate) struct Declared {
    /// Its name.
    pub(crate) name: String,
    /// Documentation, as a comment.
    pub(crate) docs: Option<String>,
    /// `type NAME = …;`
    pub(crate) declaration: String,
}

/// The wire types that clients meet, by name: those of the commands, of events and of the desktop, and all they are made of.
pub(crate) fn declarations() -> Vec<Declared> {
    let mut found = Declarations { config: Config::new().with_large_int("number"), types: BTreeMap::new() };
    crate::commands::visit_types(&mut found);
    found.visit::<wire::ErrorForm>();
    found.visit::<wire::Argument>();
    found.visit::<Event>();
    found.visit::<Tag>();
    found.visit::<wire::DesktopSettings>();
    found.visit::<wire::DesktopState>();
    found.types.into_values().collect()
}

struct Declarations {
    config: Config,
    types: BTreeMap<String, Declared>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Types of the language have no file of their own.
        if T::output_path().is_none() || self.types.contains_key(&T::name(&self.config)) {
            return;
        }
        let (name, docs) = (T::name(&self.config), T::docs());
        let declaration = T::decl(&self.config);
        self.types.insert(name.clone(), Declared { name, docs, declaration });
        T::visit_dependencies(self);
    }
}

/// The whole text of `ui/src/bindings/words.ts`: what the program says of rules, each sentence marked as one that other
/// languages say anew. Written and compared with the tree as [`typescript`] is.
#[must_use]
pub fn words() -> String {
    let mut text = String::from(
        "// Made by `cargo run -p retrace-api --example bindings` from crates/retrace-findings. Do not edit.\n\
         import type { MessageDescriptor } from \"@lingui/core\";\n\
         import { msg } from \"@lingui/core/macro\";\n\n\
         /** What people are told about a rule. */\n\
         export type RuleWords = {\n\
         /** What it is called. */\n\
         name: MessageDescriptor;\n\
         /** What it checks; null for the kinds of secrets, which are explained by their names. */\n\
         explanation: MessageDescriptor | null;\n\
         /** What to do about a finding. */\n\
         remedy: MessageDescriptor;\n};\n\n\
         /** Every rule by its id. */\n\
         export const RULES: Readonly<Record<string, RuleWords>> = {\n",
    );
    for rule in retrace_findings::rules() {
        let explanation =
            if rule.group() == "secret" { "null".to_owned() } else { message(&rule.explanation) };
        let _ = writeln!(
            text,
            "  {:?}: {{\n    name: msg({{ context: \"rule\", message: {:?} }}),\n    explanation: {explanation},\n    \
             remedy: {},\n  }},",
            rule.id,
            rule.name,
            message(&rule.remedy)
        );
    }
    text.push_str("};\n");
    text
}

/// The whole text of `ui/src/bindings/messages.ts`: the ids of all messages with the names of their arguments. Written and
/// compared with the tree as [`typescript`] is.
#[must_use]
pub fn messages() -> String {
    let mut text = String::from(
        "// Made by `cargo run -p retrace-api --example bindings` from the messages that the crates declare. Do not edit.\n\n\
         /** Every message of the program: its id, and the names of its arguments. */\n\
         export interface MessageArguments {\n",
    );
    for declaration in retrace_message::declarations() {
        let names: Vec<String> = declaration.arguments.iter().map(|name| format!("{name:?}")).collect();
        let names = if names.is_empty() { "never".to_owned() } else { names.join(" | ") };
        let _ = writeln!(text, "  {:?}: {names};", declaration.id);
    }
    text.push_str("}\n\n/** Id of a message. */\nexport type MessageId = keyof MessageArguments;\n");
    text
}

/// The whole text of `ui/src/bindings/sentences.ts`: every message as Lingui extracts it for the catalogues of other
/// languages. Nothing imports it: English texts come with the messages. Written and compared with the tree as [`typescript`] is.
#[must_use]
pub fn sentences() -> String {
    let mut text = String::from(
        "// Made by `cargo run -p retrace-api --example bindings` from the messages that the crates declare. Do not edit.\n\
         import { msg } from \"@lingui/core/macro\";\n\n\
         /** Every message of the program, for the catalogues. */\n\
         export const SENTENCES = [\n",
    );
    for declaration in retrace_message::declarations() {
        let _ = writeln!(text, "  {},", declared(declaration));
    }
    text.push_str("] as const;\n");
    text
}

/// A message as one to be said in other languages, by its id.
fn declared(declaration: &retrace_message::Declaration) -> String {
    format!("msg({{ id: {:?}, message: {:?} }})", declaration.id, catalogued(declaration))
}

/// The English text of a message as the catalogues write it.
fn catalogued(declaration: &retrace_message::Declaration) -> String {
    let names = declaration.places();
    let mut text = escaped(&positional(declaration));
    for (at, name) in names.iter().enumerate().rev() {
        text = text.replacen(&format!("{{{at}}}"), &format!("{{{name}}}"), 1);
    }
    text
}

/// The English text of a message with numbered places, and braces of its own as they are shown.
fn positional(declaration: &retrace_message::Declaration) -> String {
    let mut text = declaration.english.to_owned();
    for (at, name) in declaration.places().iter().enumerate() {
        text = text.replacen(&format!("{{{name}}}"), &format!("{{{at}}}"), 1);
    }
    text.replace("{{", "{").replace("}}", "}")
}

/// The whole text of `ui/src/bindings/hidden.ts`: which characters the program calls hidden, by kind, for texts that come to the
/// window without marks. Written and compared with the tree as [`typescript`] is.
#[must_use]
pub fn hidden() -> String {
    let mut ranges: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    for letter in '\0'..=char::MAX {
        let mut buffer = [0; 4];
        let found = retrace_diff::hidden(letter.encode_utf8(&mut buffer));
        let Some(found) = found.first() else { continue };
        let code = u32::from(letter);
        let ranges = ranges.entry(found.kind.as_str()).or_default();
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => ranges.push((code, code)),
        }
    }
    let mut text = String::from(
        "// Made by `cargo run -p retrace-api --example bindings` from crates/retrace-diff. Do not edit.\n\n\
         /** Kinds of hidden characters, each with its characters as ranges of code points. */\n\
         export const HIDDEN: Readonly<Record<string, readonly (readonly [number, number])[]>> = {\n",
    );
    for (kind, ranges) in ranges {
        let ranges: Vec<String> =
            ranges.iter().map(|(first, last)| format!("[0x{first:x}, 0x{last:x}]")).collect();
        let _ = writeln!(text, "  {kind}: [{}],", ranges.join(", "));
    }
    text.push_str("};\n");
    text
}

/// A sentence as one to be said in other languages. Rust writes a text with the escapes that TypeScript knows, as long as it
/// holds what people type.
fn message(english: &str) -> String {
    format!("msg({{ message: {:?} }})", escaped(english))
}

/// A sentence as the catalogues write it: braces that are no place stand in apostrophes with what is between them, and an
/// apostrophe beside a place is written twice.
fn escaped(english: &str) -> String {
    let mut text = String::new();
    let mut rest = english;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '{' if starts_with_place(rest) => PLACE,
            '{' | '}' => {
                let length = own_braces(rest);
                text.extend(["'", &rest[..length], "'"]);
                rest = &rest[length..];
                continue;
            }
            _ => letter.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        let doubled = letter == '\'' && (starts_with_place(after) || text.ends_with('}'));
        text.push_str(if doubled { "''" } else { piece });
        rest = after;
    }
    text
}

/// The length of a place.
const PLACE: usize = "{0}".len();

fn starts_with_place(text: &str) -> bool {
    matches!(text.as_bytes(), [b'{', b'0'..=b'9', b'}', ..])
}

/// Length of a text that begins with a brace of its own, up to the last such brace before a place.
fn own_braces(text: &str) -> usize {
    let place = text.char_indices().map(|(at, _)| at).find(|at| starts_with_place(&text[*at..]));
    let before = &text[..place.unwrap_or(text.len())];
    before.rfind(['{', '}']).map_or(1, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_message::{Declaration, Message, declarations};

    /// A declared message with something in each place.
    fn filled(declaration: &Declaration) -> String {
        let mut text = positional(declaration);
        for at in 0..declaration.places().len() {
            text = text.replacen(&format!("{{{at}}}"), &format!("x{at}.md"), 1);
        }
        text
    }

    #[test]
    fn declared_messages_are_without_fault() {
        assert_eq!(retrace_message::problems(declarations()), Vec::<String>::new());
    }

    #[test]
    fn a_saved_text_is_read_as_the_message_that_made_it() {
        let saved = || declarations().into_iter().filter(|declaration| declaration.saved);
        let mut known = 0;
        for declaration in saved() {
            let text = filled(declaration);
            let read = Message::of_saved(&text);
            assert_eq!(read.text(), text);
            if read.id() == retrace_message::VERBATIM {
                continue;
            }
            known += 1;
            let other = saved().find(|other| other.id == read.id());
            let english = other.map(|other| positional(other).to_lowercase());
            assert_eq!(
                english,
                Some(positional(declaration).to_lowercase()),
                "{text:?} is taken for {}",
                read.id()
            );
        }
        assert!(
            known * 10 > saved().count() * 9,
            "{known} of {} saved messages are known again",
            saved().count()
        );
    }

    #[test]
    fn braces_and_apostrophes_are_written_as_catalogues_read_them() {
        assert_eq!(escaped("There is no \"{0}\"."), "There is no \"{0}\".");
        assert_eq!(escaped("a store's name {0}"), "a store's name {0}");
        assert_eq!(escaped("Give one; {} is none."), "Give one; '{}' is none.");
        assert_eq!(escaped("As {\"a\":[{}]}, or {} for {0}."), "As '{\"a\":[{}]}, or {}' for {0}.");
        assert_eq!(escaped("tag '{0}' of '{1}'"), "tag ''{0}'' of ''{1}''");
    }
}
