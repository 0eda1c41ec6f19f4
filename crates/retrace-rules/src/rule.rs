//! Rules: a sentence of a memory, its kind and the pattern that is compared with what a session did.

use retrace_message::AsMessage;
use serde_json::{Map, Value, json};
use thiserror::Error;

/// Longest text of a field, in characters.
const LONGEST: usize = 2_000;

/// Most words or paths of a field.
const MOST: usize = 64;

/// A rule as a person confirmed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it asks.
    pub pattern: Pattern,
    /// The sentence it comes from.
    pub sentence: String,
    /// Where the sentence stands: `STORE:PATH:LINE`, or a file. `None` where nobody said.
    pub source: Option<String>,
}

/// What a rule asks, by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Calls that match are breaks: "pnpm, never npm".
    CommandNever(Command),
    /// Calls that match must have a form: "prefix with `rtk`", "no Co-Authored-By".
    CommandForm {
        /// Which calls.
        command: Command,
        /// Their form.
        form: Form,
    },
    /// One call must have come, after the last edit, before another: "lint before commit".
    Order {
        /// What comes first.
        before: Command,
        /// What may come then.
        after: Command,
    },
    /// Paths that no tool and no shell command writes: "never edit generated code".
    PathNever(Vec<String>),
    /// What a session that changed files has done when it ends: "push before you stop".
    AtEnd(Command),
    /// Calls before which the person is asked: "ask before merging".
    AskFirst(Command),
    /// Text that is written to some files must have a form: "`t.Parallel()` in every test".
    TextForm(TextForm),
}

/// What a text that is written to files must hold, or must not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextForm {
    /// Patterns of the files' paths.
    pub paths: Vec<String>,
    /// Each occurrence of it in the lines that a write brings is one thing that must have the form. Empty: the write is one.
    pub text: String,
    /// The form, as one text.
    pub form: Form,
}

/// Which calls of programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program without its directory; `*` for any.
    pub program: String,
    /// Words that its arguments hold: options anywhere, other words in this order, the first one first. `*` stands for any text.
    pub arguments: Vec<String>,
}

/// What a call must hold, or must not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Words of the whole call in this order, programs that start it included; options anywhere.
    With(Vec<String>),
    /// A text that stands nowhere in the call.
    Without(String),
}

/// Kinds of rules, in the order of the documents.
pub const KINDS: [&str; 7] =
    ["command_never", "command_form", "order", "path_never", "at_end", "ask_first", "text_form"];

/// Characters of a word that an error repeats.
const LONGEST_SHOWN: usize = 40;

/// A rule that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("rules")]
pub enum RuleError {
    /// Not a JSON object.
    #[error("A rule is a JSON object.")]
    NotAnObject,
    /// No kind, or one that is not known.
    #[error(
        "“{kind}” is no kind of rule. Kinds are command_never, command_form, order, path_never, at_end, ask_first and text_form."
    )]
    Kind {
        /// What was given.
        kind: String,
    },
    /// A field that the kind needs is missing or has another type.
    #[error("A rule of kind {kind} needs the field “{field}”: {shape}.")]
    Field {
        /// The kind.
        kind: &'static str,
        /// The field.
        field: &'static str,
        /// What it must be.
        shape: &'static str,
    },
    /// A text that is too long.
    #[error("The field “{field}” is longer than {longest} characters.")]
    TooLong {
        /// The field.
        field: &'static str,
        /// The most.
        longest: u64,
    },
    /// A field that the kind does not have. A rule without it would be another one than was meant.
    #[error("A rule of kind {kind} has no field “{field}”.")]
    Unknown {
        /// The kind.
        kind: &'static str,
        /// The field.
        field: String,
    },
    /// A command that no call can be: several commands, or what a shell makes of one.
    #[error("“{command}” is not one command. A rule names one program and its arguments.")]
    NotOneCommand {
        /// The command.
        command: String,
    },
    /// An order of an act and itself.
    #[error("“before” and “after” are both “{command}”: nothing comes before itself. Name two acts.")]
    SameActs {
        /// The act.
        command: String,
    },
    /// A path pattern that takes paths out, as a list of ignored files may: a rule names the paths that it is about.
    #[error("“{pattern}” is an exception. A rule names the paths that it is about, without “!”.")]
    PathException {
        /// The pattern.
        pattern: String,
    },
    /// A path pattern that cannot be read.
    #[error("“{pattern}” is no pattern of paths.")]
    Path {
        /// The pattern.
        pattern: String,
    },
}

/// Fields of a rule in a list that are not of the rule itself.
const LISTED: [&str; 4] = ["rule_id", "added_at", "removed_at", "guards"];

impl Rule {
    /// A rule as somebody gives it: as [`Self::from_json`], and every field that says something is one of its kind, or one that a
    /// list of rules has.
    ///
    /// # Errors
    /// [`RuleError`], with the field that is wrong.
    pub fn given(value: &Value) -> Result<Self, RuleError> {
        let rule = Self::from_json(value)?;
        if let Some(command) = rule.pattern.commands().into_iter().find(|command| !command.is_one()) {
            return Err(RuleError::NotOneCommand {
                command: command.text().chars().take(LONGEST_SHOWN).collect(),
            });
        }
        rule.pattern.says_something()?;
        let known = rule.to_json();
        let says = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(list) => !list.is_empty(),
            _ => true,
        };
        let fields = value.as_object().ok_or(RuleError::NotAnObject)?;
        let unknown = fields.iter().find(|(field, value)| {
            says(value) && known.get(field.as_str()).is_none() && !LISTED.contains(&field.as_str())
        });
        match unknown {
            Some((field, _)) => Err(RuleError::Unknown {
                kind: rule.pattern.kind(),
                field: field.chars().take(LONGEST_SHOWN).collect(),
            }),
            None => Ok(rule),
        }
    }

    /// A rule from its JSON form.
    ///
    /// # Errors
    /// [`RuleError`], with the field that is wrong.
    pub fn from_json(value: &Value) -> Result<Self, RuleError> {
        let fields = value.as_object().ok_or(RuleError::NotAnObject)?;
        let kind = fields.get("kind").and_then(Value::as_str).unwrap_or_default();
        let Some(kind) = KINDS.into_iter().find(|known| *known == kind) else {
            return Err(RuleError::Kind { kind: kind.chars().take(LONGEST_SHOWN).collect() });
        };
        let read = Reader { kind, fields };
        let pattern = match kind {
            "command_never" => Pattern::CommandNever(read.command()?),
            "command_form" => Pattern::CommandForm { command: read.command()?, form: read.form()? },
            "order" => Pattern::Order { before: read.named("before")?, after: read.named("after")? },
            "path_never" => Pattern::PathNever(read.paths()?),
            "at_end" => Pattern::AtEnd(read.command()?),
            "text_form" => Pattern::TextForm(read.text_form()?),
            _ => Pattern::AskFirst(read.command()?),
        };
        Ok(Self {
            pattern,
            sentence: read.text("sentence")?.unwrap_or_default(),
            source: read.text("source")?.filter(|source| !source.is_empty()),
        })
    }

    /// The JSON form.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("kind".to_owned(), json!(self.pattern.kind()));
        let mut command = |command: &Command| {
            fields.insert("program".to_owned(), json!(command.program));
            if !command.arguments.is_empty() {
                fields.insert("arguments".to_owned(), json!(command.arguments));
            }
        };
        match &self.pattern {
            Pattern::CommandNever(of) | Pattern::AtEnd(of) | Pattern::AskFirst(of) => command(of),
            Pattern::CommandForm { command: of, form } => {
                command(of);
                fields.insert("form".to_owned(), json!(form.text()));
            }
            Pattern::Order { before, after } => {
                fields.insert("before".to_owned(), json!(before.text()));
                fields.insert("after".to_owned(), json!(after.text()));
            }
            Pattern::PathNever(paths) => {
                fields.insert("paths".to_owned(), json!(paths));
            }
            Pattern::TextForm(TextForm { paths, text, form }) => {
                fields.insert("paths".to_owned(), json!(paths));
                if !text.is_empty() {
                    fields.insert("text".to_owned(), json!(text));
                }
                fields.insert("form".to_owned(), json!(form.text()));
            }
        }
        fields.insert("sentence".to_owned(), json!(self.sentence));
        fields.insert("source".to_owned(), json!(self.source));
        Value::Object(fields)
    }
}

impl Pattern {
    /// Its kind as printed.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::CommandNever(_) => KINDS[0],
            Self::CommandForm { .. } => KINDS[1],
            Self::Order { .. } => KINDS[2],
            Self::PathNever(_) => KINDS[3],
            Self::AtEnd(_) => KINDS[4],
            Self::AskFirst(_) => KINDS[5],
            Self::TextForm(_) => KINDS[6],
        }
    }

    /// True if one call alone tells whether it is broken.
    #[must_use]
    pub const fn is_of_one_call(&self) -> bool {
        matches!(self, Self::CommandNever(_) | Self::CommandForm { .. } | Self::PathNever(_))
    }

    /// Refuses a pattern that can be read and says nothing, or something else than was meant.
    fn says_something(&self) -> Result<(), RuleError> {
        let shown = |text: &str| text.chars().take(LONGEST_SHOWN).collect();
        match self {
            Self::Order { before, after } if before == after => {
                Err(RuleError::SameActs { command: shown(&before.text()) })
            }
            Self::PathNever(paths) | Self::TextForm(TextForm { paths, .. }) => {
                match paths.iter().find(|path| path.starts_with('!')) {
                    Some(path) => Err(RuleError::PathException { pattern: shown(path) }),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn commands(&self) -> Vec<&Command> {
        match self {
            Self::CommandNever(one) | Self::AtEnd(one) | Self::AskFirst(one) => vec![one],
            Self::CommandForm { command, .. } => vec![command],
            Self::Order { before, after } => vec![before, after],
            Self::PathNever(_) | Self::TextForm(_) => Vec::new(),
        }
    }

    /// Words that an earlier wording of the rule's line must have for it to be the same rule.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        match self {
            Self::CommandNever(command) | Self::AtEnd(command) | Self::AskFirst(command) => command.words(),
            Self::CommandForm { form: Form::With(words), .. } => words.iter().map(String::as_str).collect(),
            Self::CommandForm { form: Form::Without(text), .. } => vec![text],
            Self::Order { before, after } => {
                let mut words = before.words();
                words.extend(after.words());
                words
            }
            Self::PathNever(_) | Self::TextForm(_) => Vec::new(),
        }
    }
}

impl Command {
    /// A command as it is typed: the program and its arguments.
    #[must_use]
    pub fn typed(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace().map(str::to_owned);
        Some(Self { program: words.next()?, arguments: words.take(MOST).collect() })
    }

    /// As it would be typed.
    #[must_use]
    pub fn text(&self) -> String {
        self.words().join(" ")
    }

    /// False where a shell would read more than one command, or something that is no command.
    fn is_one(&self) -> bool {
        let is_plain = |letter: char| !"!&|;<>()".contains(letter);
        self.program.chars().all(is_plain)
            && !self
                .arguments
                .iter()
                .any(|word| matches!(word.as_str(), "&&" | "||" | "|" | "&") || word.ends_with(';'))
    }

    fn words(&self) -> Vec<&str> {
        std::iter::once(self.program.as_str()).chain(self.arguments.iter().map(String::as_str)).collect()
    }
}

impl Form {
    /// A form as a person writes it: words that must be there; with `!` before it, or "no" and "without", a text that must not.
    #[must_use]
    pub fn typed(text: &str) -> Option<Self> {
        let text = text.trim();
        let without = text.strip_prefix('!').or_else(|| text.strip_prefix("no "));
        let without = without.or_else(|| text.strip_prefix("without ")).map(str::trim);
        let form = match without {
            Some(text) => Self::Without(text.to_owned()),
            None => Self::With(text.split_whitespace().map(str::to_owned).take(MOST).collect()),
        };
        (!matches!(&form, Self::With(words) if words.is_empty()) && form != Self::Without(String::new()))
            .then_some(form)
    }

    /// A form that is one text: what must be there, or `!` and what must not.
    fn of_text(text: &str) -> Option<Self> {
        let form = match text.trim().strip_prefix('!') {
            Some(without) => Self::Without(without.trim().to_owned()),
            None => Self::With(vec![text.trim().to_owned()]),
        };
        (!form.text().trim_start_matches('!').is_empty()).then_some(form)
    }

    /// As a person writes it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::With(words) => words.join(" "),
            Self::Without(text) => format!("!{text}"),
        }
    }
}

struct Reader<'v> {
    kind: &'static str,
    fields: &'v Map<String, Value>,
}

impl Reader<'_> {
    fn missing(&self, field: &'static str, shape: &'static str) -> RuleError {
        RuleError::Field { kind: self.kind, field, shape }
    }

    fn text(&self, field: &'static str) -> Result<Option<String>, RuleError> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.chars().count() > LONGEST => {
                Err(RuleError::TooLong { field, longest: LONGEST as u64 })
            }
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
            Some(_) => Err(self.missing(field, "a text")),
        }
    }

    /// A list of words, or one text that is split at its spaces.
    fn words(&self, field: &'static str, split: bool) -> Result<Vec<String>, RuleError> {
        let list: Vec<String> = match self.fields.get(field) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(text)) if split => text.split_whitespace().map(str::to_owned).collect(),
            Some(Value::String(text)) => vec![text.trim().to_owned()],
            Some(Value::Array(list)) => {
                let words = list.iter().map(|word| word.as_str().map(str::to_owned));
                words.collect::<Option<_>>().ok_or_else(|| self.missing(field, "a list of words"))?
            }
            Some(_) => return Err(self.missing(field, "a list of words")),
        };
        if list.len() > MOST || list.iter().any(|word| word.chars().count() > LONGEST) {
            return Err(RuleError::TooLong { field, longest: LONGEST as u64 });
        }
        Ok(list.into_iter().filter(|word| !word.is_empty()).collect())
    }

    /// The fields `program` and `arguments`; a program of several words begins the arguments.
    fn command(&self) -> Result<Command, RuleError> {
        const SHAPE: &str = "the name of a program";
        let program = self.text("program")?.ok_or_else(|| self.missing("program", SHAPE))?;
        let mut command = Command::typed(&program).ok_or_else(|| self.missing("program", SHAPE))?;
        command.program = crate::shell::name_of(&command.program).to_owned();
        command.arguments.extend(self.words("arguments", true)?);
        Ok(command)
    }

    /// A command in one field: as it is typed, or an object with `program` and `arguments`.
    fn named(&self, field: &'static str) -> Result<Command, RuleError> {
        const SHAPE: &str = "a command, such as “npm run lint”";
        match self.fields.get(field) {
            Some(Value::Object(fields)) => Reader { kind: self.kind, fields }.command(),
            Some(Value::Array(_)) => {
                Command::typed(&self.words(field, true)?.join(" ")).ok_or_else(|| self.missing(field, SHAPE))
            }
            _ => {
                let text = self.text(field)?.ok_or_else(|| self.missing(field, SHAPE))?;
                Command::typed(&text).ok_or_else(|| self.missing(field, SHAPE))
            }
        }
    }

    fn form(&self) -> Result<Form, RuleError> {
        const SHAPE: &str = "words that the call holds, or “!” and a text that it does not";
        let text = match self.fields.get("form") {
            Some(Value::Array(_)) => self.words("form", true)?.join(" "),
            _ => self.text("form")?.unwrap_or_default(),
        };
        Form::typed(&text).ok_or_else(|| self.missing("form", SHAPE))
    }

    fn text_form(&self) -> Result<TextForm, RuleError> {
        const SHAPE: &str = "a text that each place holds, or “!” and a text that none does";
        let form = Form::of_text(&self.text("form")?.unwrap_or_default());
        Ok(TextForm {
            paths: self.paths()?,
            text: self.text("text")?.unwrap_or_default(),
            form: form.ok_or_else(|| self.missing("form", SHAPE))?,
        })
    }

    fn paths(&self) -> Result<Vec<String>, RuleError> {
        let paths = self.words("paths", false)?;
        if paths.is_empty() {
            return Err(self.missing("paths", "a list of path patterns, such as “generated/**”"));
        }
        match paths.iter().find(|path| crate::paths::path_globs(path).is_none()) {
            Some(pattern) => Err(RuleError::Path { pattern: pattern.chars().take(80).collect() }),
            None => Ok(paths),
        }
    }
}
