//! Configuration of a person: rules on and off, severities, paths left out, addresses that are fine.

use crate::finding::Severity;
use crate::registry::{Rule, rules};
use regex::Regex;
use retrace_message::AsMessage;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("config")]
pub enum ConfigError {
    /// Not TOML, or not in the shape described at [`Config::parse`].
    #[error("the configuration cannot be read: {0}")]
    Syntax(String),
    /// A rule or group that does not exist.
    #[error("there is no rule and no group of rules called {0:?}")]
    UnknownRule(String),
    /// A setting that is none of `off`, `on`, `note`, `warning`, `error`.
    #[error("{value:?} is no setting of {rule}: off, on, note, warning or error")]
    UnknownSetting {
        /// The rule or group.
        rule: String,
        /// Given value.
        value: String,
    },
    /// A rule that an organisation keeps on.
    #[error("the rule {rule} is required by {by} and cannot be switched off here")]
    Required {
        /// The rule.
        rule: String,
        /// Who requires it.
        by: String,
    },
    /// A pattern of paths that cannot be used.
    #[error("the pattern {0:?} cannot be used")]
    Pattern(String),
}

/// Setting of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Setting {
    on: bool,
    severity: Severity,
}

/// A configuration. The default has every rule as the registry has it.
#[derive(Clone, Debug)]
pub struct Config {
    settings: BTreeMap<&'static str, Setting>,
    /// Rules that are on whatever else is set, on every path.
    required: BTreeSet<&'static str>,
    excluded: Vec<Regex>,
    allowed_emails: Vec<String>,
    /// True if comments in memories may allow findings.
    pub inline_allow: bool,
    /// Lists each finding, however many there are of its rule in a file. Otherwise those beyond the thousandth are counted and not
    /// listed, which serves people; masking, stripping and redacting need every place.
    pub every_place: bool,
    /// Severity from which a gate closes, where the file says so.
    pub fail_on: Option<Severity>,
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    #[serde(default)]
    rules: BTreeMap<String, String>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    allow_emails: Vec<String>,
    #[serde(default = "yes")]
    inline_allow: bool,
    fail_on: Option<String>,
}

fn yes() -> bool {
    true
}

impl Default for Config {
    fn default() -> Self {
        let settings = rules()
            .iter()
            .map(|rule| (rule.id.as_str(), Setting { on: rule.on, severity: rule.severity }))
            .collect();
        Self {
            settings,
            required: BTreeSet::new(),
            excluded: Vec::new(),
            allowed_emails: Vec::new(),
            inline_allow: true,
            every_place: false,
            fail_on: None,
        }
    }
}

impl Config {
    /// Reads a configuration file. All keys may be absent:
    ///
    /// ```toml
    /// fail-on = "warning"
    /// exclude = ["logs/**"]
    /// allow-emails = ["me@company.test", "@company.test"]
    /// inline-allow = false
    /// [rules]                          # an id or a group; an id wins over its group
    /// "hidden/comment" = "off"
    /// "truth" = "on"
    /// "links/orphan" = "warning"       # on, at this severity
    /// ```
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let written: Written =
            toml::from_str(text).map_err(|error| ConfigError::Syntax(error.message().to_owned()))?;
        let mut config = Self { inline_allow: written.inline_allow, ..Self::default() };
        let groups_first = |(selector, _): &(&String, &String)| selector.contains('/');
        let mut settings: Vec<_> = written.rules.iter().collect();
        settings.sort_by_key(groups_first);
        for (selector, value) in settings {
            config.set(selector, value)?;
        }
        for pattern in &written.exclude {
            config.excluded.push(path_pattern(pattern)?);
        }
        config.allowed_emails = written.allow_emails.iter().map(|address| address.to_lowercase()).collect();
        config.fail_on = written
            .fail_on
            .map(|word| {
                word.parse()
                    .map_err(|_| ConfigError::UnknownSetting { rule: "fail-on".to_owned(), value: word })
            })
            .transpose()?;
        Ok(config)
    }

    /// Sets a rule, or all rules of a group, to `off`, `on`, `note`, `warning` or `error`.
    ///
    /// # Errors
    /// [`ConfigError::UnknownRule`], [`ConfigError::UnknownSetting`].
    pub fn set(&mut self, selector: &str, value: &str) -> Result<(), ConfigError> {
        let severity = match value {
            "on" | "off" => None,
            word => Some(word.parse::<Severity>().map_err(|_| ConfigError::UnknownSetting {
                rule: selector.to_owned(),
                value: value.to_owned(),
            })?),
        };
        // The rule that told of whole files, by its name of then.
        let selector = if selector == "use/unloaded" { "use/never-present" } else { selector };
        for rule in named(selector)? {
            if let Some(setting) = self.settings.get_mut(rule.id.as_str()) {
                setting.on = value != "off";
                setting.severity = severity.unwrap_or(setting.severity);
            }
        }
        Ok(())
    }

    /// Switches off every rule that none of `selectors` names, and on those that one names.
    ///
    /// # Errors
    /// [`ConfigError::UnknownRule`].
    pub fn only(&mut self, selectors: &[String]) -> Result<(), ConfigError> {
        for setting in self.settings.values_mut() {
            setting.on = false;
        }
        selectors.iter().try_for_each(|selector| self.set(selector, "on"))
    }

    /// Keeps rules, or the rules of groups, on from now on: nothing set before or after switches them off, and a path that is left out
    /// is looked at for them. A selector that this version does not know is passed over.
    pub fn require(&mut self, selectors: &[String]) {
        for rule in selectors.iter().filter_map(|selector| named(selector).ok()).flatten() {
            self.required.insert(rule.id.as_str());
        }
    }

    /// True if a rule is on whatever else is set.
    #[must_use]
    pub fn requires(&self, rule: &str) -> bool {
        self.required.contains(rule)
    }

    /// True if a path is looked at: it is not left out, or some rule is required.
    pub(crate) fn takes(&self, path: &str) -> bool {
        !self.required.is_empty() || !self.excludes(path)
    }

    /// True if a finding of a rule at a path counts.
    pub(crate) fn counts(&self, rule: &str, path: &str) -> bool {
        self.requires(rule) || !self.excludes(path)
    }

    /// The configuration with [`Config::every_place`].
    #[must_use]
    pub fn with_every_place(mut self) -> Self {
        self.every_place = true;
        self
    }

    /// Switches off every rule that is in none of these groups, and leaves the others as they are.
    pub fn keep_groups(&mut self, groups: &[&str]) {
        for (id, setting) in &mut self.settings {
            setting.on &= id.split('/').next().is_some_and(|group| groups.contains(&group));
        }
    }

    /// Severity of the findings of `rule`; `None` when it is off. One that is required has at least the severity that it comes with:
    /// set to a note, it would stop nothing.
    #[must_use]
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        let setting = self.settings.get(rule.id.as_str())?;
        match self.requires(&rule.id) {
            true => Some(setting.severity.max(rule.severity)),
            false => setting.on.then_some(setting.severity),
        }
    }

    /// True if the path is left out.
    #[must_use]
    pub fn excludes(&self, path: &str) -> bool {
        self.excluded.iter().any(|pattern| pattern.is_match(path))
    }

    /// True if an e-mail address, or its domain with the `@`, was said to be fine.
    pub(crate) fn allows_email(&self, address: &str) -> bool {
        let address = address.to_lowercase();
        self.allowed_emails.iter().any(|allowed| match allowed.strip_prefix('@') {
            Some(_) => address.ends_with(allowed),
            None => address == *allowed,
        })
    }

    /// True if any rule of a group is on.
    pub(crate) fn has_group(&self, group: &str) -> bool {
        rules().iter().any(|rule| rule.group() == group && self.severity(rule).is_some())
    }
}

/// The rules a selector means: one by its id, or a group by its name.
pub(crate) fn named(selector: &str) -> Result<Vec<&'static Rule>, ConfigError> {
    let found: Vec<_> = rules().iter().filter(|rule| rule.is_named(selector)).collect();
    if found.is_empty() { Err(ConfigError::UnknownRule(selector.to_owned())) } else { Ok(found) }
}

/// A pattern of paths: `*` within one segment, `**` over segments, `?` one character; a pattern without `/` names a file
/// or directory anywhere.
fn path_pattern(pattern: &str) -> Result<Regex, ConfigError> {
    let mut text = String::from(if pattern.contains('/') { "^" } else { "(?:^|/)" });
    let mut rest = pattern.trim_start_matches("./").trim_end_matches('/');
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**/") {
            text.push_str("(?:.*/)?");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("**") {
            text.push_str(".*");
            rest = after;
        } else {
            match letter {
                '*' => text.push_str("[^/]*"),
                '?' => text.push_str("[^/]"),
                other => text.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
            }
            rest = &rest[letter.len_utf8()..];
        }
    }
    text.push_str("(?:/|$)");
    Regex::new(&text).map_err(|_| ConfigError::Pattern(pattern.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::known;

    #[test]
    fn what_is_required_is_on_whatever_is_set() {
        let mut config =
            Config::parse("exclude = [\"logs/**\"]\n[rules]\n\"hidden/comment\" = \"off\"\n").unwrap();
        config.require(&["hidden/comment".to_owned(), "secret".to_owned(), "of/later".to_owned()]);
        config.set("secret", "off").unwrap();
        config.only(&["links/wiki".to_owned()]).unwrap();
        config.keep_groups(&["links"]);
        assert!(config.severity(known("hidden/comment")).is_some());
        assert!(config.severity(known("secret/github")).is_some());
        assert_eq!(config.severity(known("links/orphan")), None);
        let as_it_comes = known("secret/github").severity;
        for (set, severity) in [("note", as_it_comes), ("error", Severity::Error), ("off", as_it_comes)] {
            config.set("secret/github", set).unwrap();
            assert!(config.severity(known("secret/github")) >= Some(severity), "{set}");
        }
        assert!(config.takes("logs/a.md") && config.counts("hidden/comment", "logs/a.md"));
        assert!(!config.counts("links/wiki", "logs/a.md") && config.counts("links/wiki", "a.md"));
        assert!(!Config::parse("exclude = [\"logs/**\"]\n").unwrap().takes("logs/a.md"));
    }

    #[test]
    fn an_id_wins_over_its_group() {
        let config =
            Config::parse("[rules]\n\"links/orphan\" = \"error\"\nlinks = \"off\"\ntruth = \"on\"\n")
                .unwrap();
        assert_eq!(config.severity(known("links/orphan")), Some(Severity::Error));
        assert_eq!(config.severity(known("links/wiki")), None);
        assert_eq!(config.severity(known("truth/file")), Some(Severity::Note));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        assert!(matches!(Config::parse("rules = 3"), Err(ConfigError::Syntax(_))));
        assert!(matches!(Config::parse("[rule]\na = \"on\""), Err(ConfigError::Syntax(_))));
        assert!(matches!(Config::parse("[rules]\nnone = \"on\""), Err(ConfigError::UnknownRule(_))));
        assert!(matches!(
            Config::parse("[rules]\nlinks = \"loud\""),
            Err(ConfigError::UnknownSetting { .. })
        ));
        assert!(matches!(Config::parse("fail-on = \"loud\""), Err(ConfigError::UnknownSetting { .. })));
    }

    #[test]
    fn patterns_of_paths() {
        for (pattern, path, fits) in [
            ("logs/**", "logs/2026/a.md", true),
            ("logs/**", "old/logs/a.md", false),
            ("logs", "old/logs/a.md", true),
            ("logs/", "logs/a.md", true),
            ("*.txt", "a/b.txt", true),
            ("*.txt", "a/b.txt.md", false),
            ("a/*.md", "a/b/c.md", false),
            ("**/c.md", "a/b/c.md", true),
            ("a/**/c.md", "a/c.md", true),
            ("a?.md", "ab.md", true),
            ("a+(", "a+(", true),
        ] {
            assert_eq!(path_pattern(pattern).unwrap().is_match(path), fits, "{pattern} {path}");
        }
    }

    #[test]
    fn addresses_that_are_fine() {
        let config = Config::parse("allow-emails = [\"Me@x.test\", \"@firm.test\"]").unwrap();
        assert!(config.allows_email("me@X.test") && config.allows_email("you@firm.test"));
        assert!(!config.allows_email("you@x.test") && !config.allows_email("you@notfirm.test"));
    }
}
