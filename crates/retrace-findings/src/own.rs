//! Settings of a person of their own, for every store they look at: a few rules, kept as a small file.
//!
//! Unlike the configuration in a directory, which whoever writes memory can write as well, this is the person's alone; what
//! it says of a rule wins. A rule that this version does not know is kept and not applied, so that an older program does
//! not lose what a newer one wrote.

use crate::config::{Config, ConfigError, named};
use crate::registry::rule;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Settings of single rules, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnRules {
    settings: BTreeMap<String, String>,
    /// Rules, or groups of them, that an organisation keeps on, and who that is. Not kept in the file.
    required: Option<(String, Vec<String>)>,
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    rules: BTreeMap<String, String>,
}

impl OwnRules {
    /// Reads `[rules]` with `"id" = "off"` (or `on`, `note`, `warning`, `error`).
    ///
    /// # Errors
    /// [`ConfigError::Syntax`] for another shape, [`ConfigError::UnknownSetting`].
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let written: Written =
            toml::from_str(text).map_err(|error| ConfigError::Syntax(error.message().to_owned()))?;
        for (id, value) in &written.rules {
            check(id, value)?;
        }
        Ok(Self { settings: written.rules, required: None })
    }

    /// The same, under an organisation that keeps rules on; `by` names it.
    #[must_use]
    pub fn under(self, by: &str, required: &[String]) -> Self {
        Self { required: Some((by.to_owned(), required.to_vec())), ..self }
    }

    /// Who keeps a rule on, where somebody does.
    #[must_use]
    pub fn required_by(&self, id: &str) -> Option<&str> {
        let (by, required) = self.required.as_ref()?;
        let rule = rule(id)?;
        required.iter().any(|selector| rule.is_named(selector)).then_some(by)
    }

    /// The file's text; [`OwnRules::parse`] reads it.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::from("# Rules as set in Retrace: off, on, note, warning or error.\n[rules]\n");
        for (id, value) in &self.settings {
            // A quoted key of TOML escapes what a string of Rust's debug form does, for the characters an id can hold.
            let _ = writeln!(text, "{id:?} = {value:?}");
        }
        text
    }

    /// Setting of a rule.
    #[must_use]
    pub fn of(&self, id: &str) -> Option<&str> {
        self.settings.get(id).map(String::as_str)
    }

    /// Sets a rule, or each rule of a group as it is now; `None` takes the setting away.
    ///
    /// # Errors
    /// [`ConfigError::UnknownRule`], [`ConfigError::UnknownSetting`], [`ConfigError::Required`] where one of them is to be switched
    /// off that an organisation keeps on.
    pub fn set(&mut self, selector: &str, value: Option<&str>) -> Result<(), ConfigError> {
        let rules = named(selector)?;
        if let Some(value) = value {
            check(selector, value)?;
        }
        if value == Some("off")
            && let Some((rule, by)) = rules.iter().find_map(|rule| Some((rule, self.required_by(&rule.id)?)))
        {
            return Err(ConfigError::Required { rule: rule.id.clone(), by: by.to_owned() });
        }
        for rule in rules {
            match value {
                Some(value) => drop(self.settings.insert(rule.id.clone(), value.to_owned())),
                None => drop(self.settings.remove(&rule.id)),
            }
        }
        Ok(())
    }

    /// Applies the settings of the rules that are known to a configuration, and what is required over them.
    pub fn apply(&self, config: &mut Config) {
        for (id, value) in self.settings.iter().filter(|(id, _)| rule(id).is_some()) {
            config.set(id, value).expect("the rule is known, and the value was checked");
        }
        self.require(config);
    }

    /// Applies only what is required.
    pub fn require(&self, config: &mut Config) {
        if let Some((_, required)) = &self.required {
            config.require(required);
        }
    }
}

fn check(id: &str, value: &str) -> Result<(), ConfigError> {
    if matches!(value, "off" | "on" | "note" | "warning" | "error") {
        return Ok(());
    }
    Err(ConfigError::UnknownSetting { rule: id.to_owned(), value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;
    use crate::registry::rules;

    #[test]
    fn what_is_set_is_kept_and_applied() {
        let mut own = OwnRules::default();
        own.set("links/orphan", Some("off")).unwrap();
        own.set("truth/file", Some("warning")).unwrap();
        let mut own = OwnRules::parse(&own.to_text()).unwrap();
        assert_eq!((own.of("links/orphan"), own.of("links/wiki")), (Some("off"), None));
        own.set("truth", Some("on")).unwrap();
        let truth = || rules().iter().filter(|rule| rule.is_named("truth"));
        assert!(truth().count() > 3 && truth().all(|rule| own.of(&rule.id) == Some("on")));
        own.set("truth", None).unwrap();
        assert!(truth().all(|rule| own.of(&rule.id).is_none()) && own.of("links/orphan") == Some("off"));
        own.set("truth/file", Some("warning")).unwrap();
        // The person's word wins over the directory's.
        let mut config = Config::parse("[rules]\n\"links/orphan\" = \"error\"\n\"truth\" = \"off\"").unwrap();
        own.apply(&mut config);
        let severity = |id| config.severity(rule(id).unwrap());
        assert_eq!((severity("links/orphan"), severity("truth/file")), (None, Some(Severity::Warning)));
        assert_eq!(severity("truth/port"), None);
    }

    #[test]
    fn what_is_not_known_is_kept_and_what_is_wrong_is_refused() {
        let text = "[rules]\n\"future/rule\" = \"off\"\n";
        let mut own = OwnRules::parse(text).unwrap();
        own.apply(&mut Config::default());
        assert!(own.to_text().contains("\"future/rule\" = \"off\""));
        assert!(matches!(own.set("no/rule", Some("off")), Err(ConfigError::UnknownRule(_))));
        assert!(matches!(own.set("links/wiki", Some("loud")), Err(ConfigError::UnknownSetting { .. })));
        own.set("links/wiki", Some("on")).unwrap();
        own.set("links/wiki", None).unwrap();
        assert_eq!(own.of("links/wiki"), None);
        assert!(OwnRules::parse("[rules]\n\"links/wiki\" = \"loud\"").is_err());
        assert!(OwnRules::parse("exclude = []").is_err());
    }
}
