//! A hook in the text of an agent's settings. Everything else of the text stays as it is, formatting and comments included. No I/O.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// Why settings cannot be edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// They are no JSON object.
    NoObject,
    /// Their hooks are of another form than the agent reads.
    OtherForm,
    /// They have the hooks twice, of which the agent reads the last.
    Twice,
}

/// Settings with a hook put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edited {
    pub(crate) text: String,
    /// The one stretch of the text that is new.
    pub(crate) inserted: String,
}

/// Seconds after which the agent does without an answer.
const TIMEOUT: u64 = 10;

/// Puts a hook in that runs a command before the calls of tools. Nothing is put in where the command is run already.
pub(crate) fn with_hook(text: &str, tools: &str, command: &str) -> Result<Edited, Refusal> {
    if has_twice(text) {
        return Err(Refusal::Twice);
    }
    if holds(text, command) {
        return Ok(Edited { text: text.to_owned(), inserted: String::new() });
    }
    let entry = serde_json::json!({ "matcher": tools, "hooks": [hook_of(command)] });
    if without_mark(text).trim().is_empty() {
        let made = laid_out("{}\n", &entry)?;
        return Ok(Edited { text: format!("{text}{made}"), inserted: made });
    }
    let edited = format!("{}{}", mark(text), laid_out(text, &entry)?);
    let inserted = stretch(text, &edited).to_owned();
    if !inserted.is_empty() {
        return Ok(Edited { text: edited, inserted });
    }
    // An object that stands on one line was laid out anew: put in as it is, the hook changes nothing else.
    let (at, inserted) = in_place(text, &entry.to_string()).ok_or(Refusal::NoObject)?;
    let (before, after) = text.split_at(at);
    Ok(Edited { text: format!("{before}{inserted}{after}"), inserted })
}

/// True if a name on the way to the hooks before calls stands there twice: what is put behind the first one is read by nobody.
fn has_twice(text: &str) -> bool {
    let Ok(read) = parse_to_ast(without_mark(text), &CollectOptions::default(), &lenient()) else {
        return false;
    };
    let Some(Value::Object(settings)) = read.value else { return false };
    let count = |object: &Object<'_>, name: &str| {
        object.properties.iter().filter(|property| property.name.as_str() == name).count()
    };
    let of_calls = settings.get_object("hooks").map_or(0, |hooks| count(hooks, "PreToolUse"));
    count(&settings, "hooks") > 1 || of_calls > 1
}

fn hook_of(command: &str) -> serde_json::Value {
    serde_json::json!({ "type": "command", "command": command, "timeout": TIMEOUT })
}

/// True if the hook that runs a command is there as it was put in: nobody gave it another time, or other tools.
pub(crate) fn is_as_made(text: &str, tools: &str, command: &str, inserted: &str) -> bool {
    if !holds(text, command) {
        return false;
    }
    if !inserted.is_empty() && text.contains(inserted) {
        return true;
    }
    let value = parsed(text).ok().and_then(|root| root.to_serde_value()).unwrap_or_default();
    let made = hook_of(command);
    let entries = value["hooks"]["PreToolUse"].as_array().into_iter().flatten();
    entries.into_iter().all(|entry| {
        let mut hooks = entry["hooks"].as_array().into_iter().flatten();
        hooks.all(|hook| hook["command"] != command || (*hook == made && entry["matcher"] == tools))
    })
}

/// The settings with an entry for calls, laid out as they are.
fn laid_out(text: &str, entry: &serde_json::Value) -> Result<String, Refusal> {
    let root = parsed(text)?;
    let object = root.object_value().ok_or(Refusal::NoObject)?;
    let hooks = object.object_value_or_create("hooks").ok_or(Refusal::OtherForm)?;
    let calls = hooks.array_value_or_create("PreToolUse").ok_or(Refusal::OtherForm)?;
    calls.append(as_input(entry));
    Ok(root.to_string())
}

fn as_input(value: &serde_json::Value) -> CstInputValue {
    match value {
        serde_json::Value::Null => CstInputValue::Null,
        serde_json::Value::Bool(truth) => CstInputValue::Bool(*truth),
        serde_json::Value::Number(number) => CstInputValue::Number(number.to_string()),
        serde_json::Value::String(text) => CstInputValue::String(text.clone()),
        serde_json::Value::Array(items) => CstInputValue::Array(items.iter().map(as_input).collect()),
        serde_json::Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(name, value)| (name.clone(), as_input(value))).collect(),
        ),
    }
}

/// Where an entry for calls goes without a change of anything else, and what is put there.
fn in_place(text: &str, entry: &str) -> Option<(usize, String)> {
    let read = parse_to_ast(without_mark(text), &CollectOptions::default(), &lenient()).ok()?;
    let Some(Value::Object(settings)) = read.value else { return None };
    let behind = mark(text).len();
    let end_of = |object: &Object<'_>, what: String| match object.properties.last() {
        Some(last) => (last.range.end + behind, format!(", {what}")),
        None => (object.range.start + 1 + behind, what),
    };
    let Some(hooks) = settings.get_object("hooks") else {
        return Some(end_of(&settings, format!("\"hooks\": {{\"PreToolUse\": [{entry}]}}")));
    };
    let Some(calls) = hooks.get_array("PreToolUse") else {
        return Some(end_of(hooks, format!("\"PreToolUse\": [{entry}]")));
    };
    Some(match calls.elements.last() {
        Some(last) => (last.range().end + behind, format!(", {entry}")),
        None => (calls.range.start + 1 + behind, entry.to_owned()),
    })
}

/// The mark of UTF-8 that some editors put before a text, or nothing.
fn mark(text: &str) -> &str {
    &text[..text.len() - without_mark(text).len()]
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Takes a hook out again: the stretch that was put in where it still stands there alone, and else the hook by its command, with
/// what is empty without it. `None` where the settings do not run the command.
pub(crate) fn without_hook(text: &str, command: &str, inserted: &str) -> Result<Option<String>, Refusal> {
    if !holds(text, command) {
        return Ok(None);
    }
    let mut places = text.match_indices(inserted).filter(|_| !inserted.is_empty());
    if let (Some((at, _)), None) = (places.next(), places.next()) {
        let cut = format!("{}{}", &text[..at], &text[at + inserted.len()..]);
        let whole = without_mark(&cut).trim().is_empty()
            || parsed(&cut).is_ok_and(|root| root.object_value().is_some());
        if whole && !holds(&cut, command) && same_without(text, &cut, command) {
            return Ok(Some(cut));
        }
    }
    let root = parsed(text)?;
    let object = root.object_value().ok_or(Refusal::NoObject)?;
    remove(&object, command);
    Ok(Some(format!("{}{root}", mark(text))))
}

/// True if a hook before calls runs the command.
pub(crate) fn holds(text: &str, command: &str) -> bool {
    let Ok(root) = parsed(text) else { return false };
    let entries = root.object_value().as_ref().and_then(entries);
    entries.is_some_and(|entries| entries.elements().iter().any(|entry| !runs(entry, command).is_empty()))
}

/// Removes a hook and what is empty without it.
fn remove(object: &CstObject, command: &str) {
    let Some(entries) = entries(object) else { return };
    for entry in entries.elements() {
        let found = runs(&entry, command);
        let all = list_of(&entry).map_or(0, |hooks| hooks.elements().len());
        if !found.is_empty() && found.len() == all {
            entry.remove();
        } else {
            found.into_iter().for_each(CstNode::remove);
        }
    }
    let Some(hooks) = object.get("hooks") else { return };
    if entries.elements().is_empty()
        && let Some(calls) = hooks.object_value().and_then(|hooks| hooks.get("PreToolUse"))
    {
        calls.remove();
    }
    if hooks.object_value().is_some_and(|hooks| hooks.properties().is_empty()) {
        hooks.remove();
    }
}

/// True if two texts say the same but for the hook that runs a command.
fn same_without(text: &str, other: &str, command: &str) -> bool {
    let value = |text: &str| {
        let root = parsed(if without_mark(text).trim().is_empty() { "{}" } else { text }).ok()?;
        remove(&root.object_value()?, command);
        root.to_serde_value()
    };
    // An empty list that the cut left is one that was there before the hook.
    let plain = |value: Option<serde_json::Value>| {
        let mut value = value?;
        let object = value.as_object_mut()?;
        if let Some(hooks) = object.get_mut("hooks").and_then(serde_json::Value::as_object_mut) {
            if hooks.get("PreToolUse").is_some_and(|list| list.as_array().is_some_and(Vec::is_empty)) {
                hooks.remove("PreToolUse");
            }
            if hooks.is_empty() {
                object.remove("hooks");
            }
        }
        Some(value)
    };
    plain(value(text)).is_some_and(|one| Some(one) == plain(value(other)))
}

fn parsed(text: &str) -> Result<CstRootNode, Refusal> {
    CstRootNode::parse(without_mark(text), &lenient()).map_err(|_| Refusal::NoObject)
}

/// What the agent reads is JSON; comments are let be. Whatever is more lenient than that is refused.
const fn lenient() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn entries(object: &CstObject) -> Option<CstArray> {
    object.object_value("hooks")?.array_value("PreToolUse")
}

fn list_of(entry: &CstNode) -> Option<CstArray> {
    entry.as_object()?.array_value("hooks")
}

/// The hooks of an entry that run the command.
fn runs(entry: &CstNode, command: &str) -> Vec<CstNode> {
    let hooks = list_of(entry).map(|hooks| hooks.elements()).unwrap_or_default();
    let is = |hook: &CstNode| {
        let value = hook.as_object().and_then(|hook| hook.get("command")?.value()?.as_string_lit());
        value.is_some_and(|text| text.decoded_value().is_ok_and(|text| text == command))
    };
    hooks.into_iter().filter(is).collect()
}

/// What stands in a text and not in an earlier one, from the first difference to the last.
fn stretch<'t>(before: &str, after: &'t str) -> &'t str {
    let start: usize = before
        .chars()
        .zip(after.chars())
        .take_while(|(one, other)| one == other)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let end: usize = before[start..]
        .chars()
        .rev()
        .zip(after[start..].chars().rev())
        .take_while(|(one, other)| one == other)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    // Where something else gave way, cutting the stretch out would not bring it back.
    if start + end == before.len() { &after[start..after.len() - end] } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "'/opt/retrace' rule check --rule rule_3";

    /// Settings as people have them.
    const TEXTS: [&str; 20] = [
        "",
        "\n\n",
        "   {  }   ",
        "{ \"model\": \"opus\" , }",
        "{\"model\":\"opus\" /* mine */}\n",
        "{\"hooks\":{\"Stop\":[]},\"x\":\"ä\"}",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"A\",\"hooks\":[]}, ]}}",
        "\u{feff}{\"model\":\"opus\"}\r\n",
        "{}",
        "{}\n",
        "{\n}\n",
        "{\n  \"model\": \"opus\"\n}\n",
        "{\r\n\t\"model\": \"opus\",\r\n\t\"env\": {\"A\": \"b\"}\r\n}",
        "{\"model\":\"opus\"}",
        "{\"hooks\": {}}",
        "{\n  // mine\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
        "{\n    \"hooks\": {\n        \"Stop\": [{\"hooks\": []}]\n    },\n    \"x\": [1, 2]\n}\n",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]}]}, \"z\": 1}",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"x\"}\n        ]\n      }\n    ],\n    \"Stop\": []\n  }\n}\n",
        "{ \"permissions\": { \"allow\": [\"Bash(ls:*)\"] } , \"hooks\" : { \"PreToolUse\" : [ ] } }",
    ];

    #[test]
    fn a_hook_put_in_and_taken_out_leaves_every_byte() {
        for text in TEXTS {
            let edited = with_hook(text, "Bash", COMMAND).expect("an object");
            assert!(holds(&edited.text, COMMAND), "{}", edited.text);
            assert!(same_without(&edited.text, text, COMMAND), "{text}\n{}", edited.text);
            let again = with_hook(&edited.text, "Bash", COMMAND).expect("an object");
            assert_eq!((again.text.as_str(), again.inserted.as_str()), (edited.text.as_str(), ""));
            let back = without_hook(&edited.text, COMMAND, &edited.inserted).expect("an object");
            assert_eq!(back.as_deref(), Some(text), "{}", edited.text);
        }
    }

    #[test]
    fn a_hook_is_taken_out_of_settings_that_changed_meanwhile() {
        for text in TEXTS {
            let edited = with_hook(text, "Bash", COMMAND).expect("an object").text;
            let other = with_hook(&edited, "Edit|Write", "another").expect("an object");
            let back = without_hook(&other.text, COMMAND, "no such stretch").expect("an object");
            let back = back.expect("it was there");
            assert!(!holds(&back, COMMAND) && holds(&back, "another"), "{back}");
            let plain = without_hook(&back, "another", "").expect("an object").expect("it was there");
            assert!(same_without(&plain, text, COMMAND), "{text}\n{plain}");
        }
    }

    #[test]
    fn a_hook_that_somebody_changed_is_not_as_it_was_made() {
        for text in TEXTS {
            let edited = with_hook(text, "Bash", COMMAND).expect("an object");
            assert!(is_as_made(&edited.text, "Bash", COMMAND, &edited.inserted), "{}", edited.text);
            // Whatever else changed, and however it is laid out.
            let other = with_hook(&edited.text, "Edit|Write", "another").expect("an object").text;
            assert!(is_as_made(&other, "Bash", COMMAND, "no such stretch"), "{other}");
            for (from, to) in [("10", "20"), ("\"Bash\"", "\"Bash|Edit\""), ("rule_3", "rule_4")] {
                let changed = edited.text.replace(from, to);
                assert!(!is_as_made(&changed, "Bash", COMMAND, &edited.inserted), "{changed}");
            }
        }
    }

    #[test]
    fn hooks_that_stand_there_twice_are_refused() {
        for text in [
            "{\"hooks\":{},\"hooks\":{\"PreToolUse\":[]}}",
            "{\"hooks\":{\"PreToolUse\":[],\"PreToolUse\":[]}}",
        ] {
            assert_eq!(with_hook(text, "Bash", COMMAND), Err(Refusal::Twice), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["[]", "1", "{", "{a: 1}", "{} {}", "{'a': 1}"] {
            assert_eq!(with_hook(text, "Bash", COMMAND), Err(Refusal::NoObject), "{text}");
        }
        for text in ["{\"hooks\": []}", "{\"hooks\": {\"PreToolUse\": {}}}"] {
            assert_eq!(with_hook(text, "Bash", COMMAND), Err(Refusal::OtherForm), "{text}");
        }
        let made = with_hook("", "Bash", COMMAND).expect("made");
        assert!(holds(&made.text, COMMAND) && made.text.ends_with('\n'), "{}", made.text);
        assert_eq!(without_hook("{}", COMMAND, "x"), Ok(None));
    }
}
