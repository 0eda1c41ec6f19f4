//! Grids: a setting in which any value may stand for several.
//!
//! Anywhere in a setting, in place of a value,
//!
//! - `{"grid": [V, …]}` stands for each of the values; each may hold grids again;
//! - `{"from": A, "to": B, "step": S}` stands for A, A+S, A+2S, … up to and including B; `{"from": A, "to": B, "times": M}`
//!   for A, A·M, A·M², … up to and including B. A, B, S and M are integers, S at least 1 and M at least 2.
//!
//! `{"absent": true}` as one of the values of an object's field (or of an entry of a list) leaves the field out. The settings are
//! all combinations: the last place in the document changes fastest, fields in the order of their names. Settings that
//! come out equal are kept once. A list of settings at the top is the settings of each.

use retrace_message::AsMessage;
use serde_json::{Map, Value};
use std::collections::HashSet;
use thiserror::Error;

/// The most settings that a grid may spell.
pub const GRID_LIMIT: usize = 100_000;

/// Greatest nesting of a grid.
const DEPTH_LIMIT: usize = 64;

/// Why a grid cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("grid")]
pub enum GridError {
    /// `grid` holds no list, or an empty one.
    #[error("{path}.grid: must be a list of at least one value")]
    NotAList {
        /// Where.
        path: String,
    },
    /// A range is not one.
    #[error(
        "{path}: a range has integers `from`, `to` and either `step` (1 or more) or `times` (2 or more), with `from` not above `to`"
    )]
    NotARange {
        /// Where.
        path: String,
    },
    /// It spells too many settings.
    #[error("the grid spells more than {limit} settings; make it coarser")]
    TooMany {
        /// [`GRID_LIMIT`].
        limit: usize,
    },
    /// It is nested too deeply.
    #[error("the grid is nested more than {limit} levels deep")]
    TooDeep {
        /// Greatest nesting allowed.
        limit: usize,
    },
}

/// The settings that a grid spells, as JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// In the order of the grid; no two are equal.
    pub settings: Vec<Value>,
    /// For each: what is chosen at the places where the grid offers a choice, such as `trigger.value=50000 keep=3`.
    pub names: Vec<String>,
}

impl Grid {
    /// Reads a grid.
    ///
    /// # Errors
    /// Where a grid or a range is malformed, or when it spells more than [`GRID_LIMIT`] settings.
    pub fn from_json(value: &Value) -> Result<Self, GridError> {
        let chosen = match value {
            Value::Array(several) => {
                let mut all = Vec::new();
                for (index, one) in several.iter().enumerate() {
                    all.extend(spell(one, &index.to_string(), 0)?);
                    check(all.len())?;
                }
                all
            }
            one => spell(one, "", 0)?,
        };
        let mut seen = HashSet::new();
        let mut grid = Self { settings: Vec::new(), names: Vec::new() };
        for choice in chosen {
            let setting = choice.value.unwrap_or_else(|| Value::Object(Map::new()));
            if seen.insert(setting.to_string()) {
                grid.settings.push(setting);
                grid.names.push(choice.names.join(" "));
            }
        }
        Ok(grid)
    }
}

/// One of the values that a place stands for.
#[derive(Clone)]
struct Choice {
    /// `None` leaves the place out.
    value: Option<Value>,
    names: Vec<String>,
}

fn check(settings: usize) -> Result<(), GridError> {
    if settings > GRID_LIMIT { Err(GridError::TooMany { limit: GRID_LIMIT }) } else { Ok(()) }
}

fn spell(value: &Value, path: &str, depth: usize) -> Result<Vec<Choice>, GridError> {
    if depth > DEPTH_LIMIT {
        return Err(GridError::TooDeep { limit: DEPTH_LIMIT });
    }
    match value {
        Value::Object(fields) => match several(fields, path)? {
            Some(values) => spell_values(&values, path, depth),
            None if fields.len() == 1 && fields.get("absent") == Some(&Value::Bool(true)) => {
                Ok(vec![Choice { value: None, names: Vec::new() }])
            }
            None => spell_fields(fields, path, depth),
        },
        Value::Array(entries) => spell_entries(entries, path, depth),
        plain => Ok(vec![Choice { value: Some(plain.clone()), names: Vec::new() }]),
    }
}

/// The values of a `grid` or a range; `None` for any other object.
fn several(fields: &Map<String, Value>, path: &str) -> Result<Option<Vec<Value>>, GridError> {
    if fields.len() == 1
        && let Some(values) = fields.get("grid")
    {
        return match values {
            Value::Array(values) if !values.is_empty() => Ok(Some(values.clone())),
            _ => Err(GridError::NotAList { path: path.to_owned() }),
        };
    }
    if fields.contains_key("from") && fields.contains_key("to") {
        return range(fields).map_or_else(
            || Err(GridError::NotARange { path: path.to_owned() }),
            |values| {
                check(values.len())?;
                Ok(Some(values))
            },
        );
    }
    Ok(None)
}

fn range(fields: &Map<String, Value>) -> Option<Vec<Value>> {
    let number = |name: &str| fields.get(name).map(|value| value.as_u64().ok_or(()));
    let known = ["from", "to", "step", "times"];
    let (Some(Ok(from)), Some(Ok(to))) = (number("from"), number("to")) else { return None };
    let next: Box<dyn Fn(u64) -> Option<u64>> = match (number("step"), number("times")) {
        (Some(Ok(step)), None) if step >= 1 => Box::new(move |at: u64| at.checked_add(step)),
        (None, Some(Ok(times))) if times >= 2 && from >= 1 => Box::new(move |at: u64| at.checked_mul(times)),
        _ => return None,
    };
    if from > to || fields.keys().any(|name| !known.contains(&name.as_str())) {
        return None;
    }
    // One more than the limit is enough to be refused.
    let values = std::iter::successors(Some(from), |&at| next(at)).take_while(|&at| at <= to);
    Some(values.take(GRID_LIMIT + 1).map(Value::from).collect())
}

fn spell_values(values: &[Value], path: &str, depth: usize) -> Result<Vec<Choice>, GridError> {
    let mut all = Vec::new();
    for value in values {
        for mut choice in spell(value, path, depth + 1)? {
            let stated = choice.value.as_ref().map_or_else(|| "absent".to_owned(), Value::to_string);
            choice.names = vec![format!("{}={stated}", short(path))];
            all.push(choice);
        }
        check(all.len())?;
    }
    Ok(all)
}

/// The last two names of a path, without `value`, which says nothing.
fn short(path: &str) -> &str {
    let path = path.strip_suffix(".value").unwrap_or(path);
    path.rfind('.').map_or(path, |at| &path[at + 1..])
}

fn spell_fields(fields: &Map<String, Value>, path: &str, depth: usize) -> Result<Vec<Choice>, GridError> {
    let mut all = vec![(Map::new(), Vec::new())];
    for (name, value) in fields {
        let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let choices = spell(value, &below, depth + 1)?;
        check(all.len().saturating_mul(choices.len()))?;
        all = combine(&all, &choices, |fields: &mut Map<String, Value>, value| {
            fields.insert(name.clone(), value);
        });
    }
    Ok(all.into_iter().map(|(fields, names)| Choice { value: Some(Value::Object(fields)), names }).collect())
}

fn spell_entries(entries: &[Value], path: &str, depth: usize) -> Result<Vec<Choice>, GridError> {
    let mut all = vec![(Vec::new(), Vec::new())];
    for (index, value) in entries.iter().enumerate() {
        let choices = spell(value, &format!("{path}.{index}"), depth + 1)?;
        check(all.len().saturating_mul(choices.len()))?;
        all = combine(&all, &choices, |entries: &mut Vec<Value>, value| entries.push(value));
    }
    Ok(all.into_iter().map(|(entries, names)| Choice { value: Some(Value::Array(entries)), names }).collect())
}

/// Every beginning with every choice.
fn combine<T: Clone>(
    beginnings: &[(T, Vec<String>)],
    choices: &[Choice],
    add: impl Fn(&mut T, Value),
) -> Vec<(T, Vec<String>)> {
    let mut all = Vec::with_capacity(beginnings.len() * choices.len());
    for (beginning, names) in beginnings {
        for choice in choices {
            let (mut whole, mut names) = (beginning.clone(), names.clone());
            if let Some(value) = &choice.value {
                add(&mut whole, value.clone());
            }
            names.extend(choice.names.iter().cloned());
            all.push((whole, names));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_grid_spells_every_combination_once() {
        let grid = Grid::from_json(&json!({"edits": [{
            "type": "clear_tool_uses_20250919",
            "keep": {"type": "tool_uses", "value": {"grid": [3, 5, 3]}},
            "trigger": {"type": "input_tokens", "value": {"from": 20_000, "to": 60_000, "step": 20_000}},
        }]}))
        .unwrap();
        assert_eq!(grid.settings.len(), 6);
        assert_eq!(grid.names[0], "keep=3 trigger=20000");
        assert_eq!(grid.names[5], "keep=5 trigger=60000");
        assert_eq!(grid.settings[5]["edits"][0]["trigger"], json!({"type": "input_tokens", "value": 60_000}));
    }

    #[test]
    fn a_choice_may_be_a_whole_part_or_nothing() {
        let grid = Grid::from_json(&json!({
            "edits": {"grid": [[], [{"type": "clear_thinking_20251015"}, {"grid": [{"absent": true}, {"type": "x"}]}]]},
        }))
        .unwrap();
        assert_eq!(
            grid.settings,
            [
                json!({"edits": []}),
                json!({"edits": [{"type": "clear_thinking_20251015"}]}),
                json!({"edits": [{"type": "clear_thinking_20251015"}, {"type": "x"}]}),
            ]
        );
        let grid =
            Grid::from_json(&json!({"a": {"grid": [{"absent": true}, {"from": 1, "to": 100, "times": 10}]}}))
                .unwrap();
        assert_eq!(grid.settings, [json!({}), json!({"a": 1}), json!({"a": 10}), json!({"a": 100})]);
        assert_eq!(grid.names[0], "a=absent");
    }

    #[test]
    fn several_settings_stand_in_a_list() {
        let grid = Grid::from_json(&json!([{}, {"a": {"grid": [1, 2]}}, {"a": 2}])).unwrap();
        assert_eq!(grid.settings, [json!({}), json!({"a": 1}), json!({"a": 2})]);
        assert_eq!(Grid::from_json(&json!([])).unwrap().settings.len(), 0);
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_place() {
        let wrong = |grid: &Value| Grid::from_json(grid).unwrap_err();
        assert_eq!(wrong(&json!({"a": [{"grid": []}]})), GridError::NotAList { path: "a.0".into() });
        for range in [
            json!({"from": 1, "to": 2}),
            json!({"from": 2, "to": 1, "step": 1}),
            json!({"from": 1, "to": 2, "step": 0}),
            json!({"from": 0, "to": 2, "times": 2}),
            json!({"from": 1, "to": 2, "step": -1}),
            json!({"from": 1, "to": 2, "step": 1, "times": 2}),
            json!({"from": 1, "to": 2, "step": 1, "more": 2}),
        ] {
            assert_eq!(wrong(&json!({"a": range})), GridError::NotARange { path: "a".into() });
        }
        let huge = json!({"from": 0, "to": u64::MAX, "step": 1});
        assert_eq!(wrong(&json!({"a": huge})), GridError::TooMany { limit: GRID_LIMIT });
        let thousand = json!({"from": 1, "to": 1_000, "step": 1});
        let three = json!({"a": thousand, "b": thousand, "c": thousand});
        assert_eq!(wrong(&three), GridError::TooMany { limit: GRID_LIMIT });
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        assert_eq!(wrong(&json!({"a": deep})), GridError::TooDeep { limit: DEPTH_LIMIT });
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z]{0,3}".prop_map(Value::from),
        ];
        let name = prop_oneof!["grid", "from", "to", "step", "times", "absent", "[a-c]"];
        leaf.prop_recursive(5, 40, 4, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec((name.clone(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_is_a_grid_or_refused(value in any_json()) {
            if let Ok(grid) = Grid::from_json(&value) {
                prop_assert_eq!(grid.settings.len(), grid.names.len());
                prop_assert!(grid.settings.len() <= GRID_LIMIT);
            }
        }
    }
}
