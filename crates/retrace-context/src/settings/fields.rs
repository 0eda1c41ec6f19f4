//! Reading the fields of a JSON object, with the words in which the API refuses what does not fit.

use super::SettingError;
use retrace_message::Message;
use serde_json::{Map, Value};

/// The fields of one object and where it stands.
pub(super) struct Fields<'v> {
    path: String,
    map: &'v Map<String, Value>,
}

impl<'v> Fields<'v> {
    /// The fields of `value` at `path`; `otherwise` is the refusal when it is no object.
    pub(super) fn of(
        value: &'v Value,
        path: impl Into<String>,
        otherwise: Message,
    ) -> Result<Self, SettingError> {
        let path = path.into();
        match value {
            Value::Object(map) => Ok(Self { path, map }),
            _ => Err(SettingError::new(path, otherwise)),
        }
    }

    /// Path of a field.
    pub(super) fn at(&self, name: &str) -> String {
        // A name may be empty, a path may not.
        let name = if name.is_empty() { "\"\"" } else { name };
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// A field; `null` is absent.
    pub(super) fn get(&self, name: &str) -> Option<&'v Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// True if there is a field of that name, `null` or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// Refuses fields of other names.
    pub(super) fn only(&self, names: &[&str]) -> Result<(), SettingError> {
        match self.map.keys().find(|name| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(SettingError::new(self.at(name), say::extra_inputs_not_permitted())),
        }
    }

    /// `type`, which must be one of `names`.
    pub(super) fn tag(&self, names: &[&'static str]) -> Result<&'static str, SettingError> {
        let path = self.at("type");
        let value =
            self.map.get("type").ok_or_else(|| SettingError::new(path.as_str(), say::field_required()))?;
        names.iter().find(|name| value == *name).copied().ok_or_else(|| {
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            SettingError::new(path, say::input_should(quoted.join(" or ")))
        })
    }

    /// An integer of at least `least`, which must be there.
    pub(super) fn integer(&self, name: &str, least: u64) -> Result<u64, SettingError> {
        let value =
            self.map.get(name).ok_or_else(|| SettingError::new(self.at(name), say::field_required()))?;
        integer(value, &self.at(name), least)
    }

    /// A truth value, which may be missing.
    pub(super) fn truth(&self, name: &str) -> Result<Option<bool>, SettingError> {
        self.get(name)
            .map(|value| lax_bool(value).map_err(|message| SettingError::new(self.at(name), message)))
            .transpose()
    }

    /// A text, which may be missing.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, SettingError> {
        self.get(name)
            .map(|value| match value {
                Value::String(text) => Ok(text.clone()),
                _ => Err(SettingError::new(self.at(name), say::input_should_valid_string())),
            })
            .transpose()
    }

    /// A list of texts, which may be missing.
    pub(super) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, SettingError> {
        self.get(name).map(|value| texts(value, &self.at(name))).transpose()
    }
}

/// A list of texts.
pub(super) fn texts(value: &Value, path: &str) -> Result<Vec<String>, SettingError> {
    let Value::Array(items) = value else {
        return Err(SettingError::new(path, say::input_should_valid_array()));
    };
    let text = |(index, item): (usize, &Value)| match item {
        Value::String(text) => Ok(text.clone()),
        _ => Err(SettingError::new(format!("{path}.{index}"), say::input_should_valid_string())),
    };
    items.iter().enumerate().map(text).collect()
}

/// An integer of at least `least`.
pub(super) fn integer(value: &Value, path: &str, least: u64) -> Result<u64, SettingError> {
    let least_message = || SettingError::new(path, say::input_should_greater_than_or(least));
    match value {
        Value::Number(number) => match number.as_u64() {
            Some(number) if number >= least => Ok(number),
            Some(_) => Err(least_message()),
            None if number.as_i64().is_some() => Err(least_message()),
            None => Err(SettingError::new(path, say::input_should_valid_integer())),
        },
        _ => Err(SettingError::new(path, say::input_should_valid_integer())),
    }
}

/// A truth value as the API's validator takes it: also 0 and 1 and a few words. The refusal has two wordings.
pub(super) fn lax_bool(value: &Value) -> Result<bool, Message> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(0), _) => Ok(false),
            (Some(1), _) => Ok(true),
            (None, Some(0.0)) => Ok(false),
            (None, Some(1.0)) => Ok(true),
            (None, _) if number.is_f64() => Err(say::input_should_valid_boolean()),
            _ => Err(say::input_should_readable_boolean()),
        },
        Value::String(text) => match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "t" | "yes" | "y" | "on" => Ok(true),
            "0" | "false" | "f" | "no" | "n" | "off" => Ok(false),
            _ => Err(say::input_should_readable_boolean()),
        },
        _ => Err(say::input_should_valid_boolean()),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "fields";
    input_should_valid_boolean() => "Input should be a valid boolean",
    input_should_readable_boolean() => "Input should be a valid boolean, unable to interpret input",
    extra_inputs_not_permitted() => "Extra inputs are not permitted",
    field_required() => "Field required",
    input_should(value) => "Input should be {value}",
    input_should_valid_string() => "Input should be a valid string",
    input_should_valid_array() => "Input should be a valid array",
    input_should_greater_than_or(least) => "Input should be greater than or equal to {least}",
    input_should_valid_integer() => "Input should be a valid integer",
}
