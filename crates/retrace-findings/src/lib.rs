//! Finds problems in a directory of memories: bytes and a view of the directory in, findings out.
//!
//! A [`Checker`] takes the files of one directory ([`File`]) and what is known around them ([`Surroundings`]), and answers
//! with a [`Report`]. Rules are small functions; [`rules`] lists them with their default severity, explanation and remedy;
//! the formats of secrets are data (`data/secrets.toml`). A [`Config`] switches rules and severities, a comment in a memory
//! allows a finding in place, a [`Baseline`] accepts what stood there before. [`sarif`] writes a report as SARIF 2.1.0.
//!
//! Deliberately absent: input and output, the clock (the day is passed in), the repository itself ([`Repository`] is a view
//! of it), any change to a memory, and anything that asks a service whether a secret is live.
//!
//! Invariants:
//! - No input panics. Memories are untrusted, and so are configuration and baseline.
//! - No finding holds a secret or personal data in full: not in its message, not in its hash, not in its `Debug` form.
//! - The same input gives the same findings in the same order: by path, place and rule.
//! - A finding that a comment or a baseline accepts is counted and kept apart, never dropped.
//! - What depends on one file alone is computed once for each path and content.
//!
//! ```
//! use retrace_findings::{Config, check_one};
//!
//! let text = b"The build key is AKIAQ3EGRTYUPL5KJHZW.\n";
//! let findings = check_one("deploy.md", text, &Config::default());
//! assert!(findings.iter().any(|finding| finding.rule.id.starts_with("secret/")));
//! ```

mod allow;
mod baseline;
mod checker;
mod config;
pub mod events;
mod finding;
mod front_matter;
mod hidden;
mod hostile;
mod likeness;
mod limits;
mod links;
mod listed;
mod markdown;
mod mask;
mod mention;
mod own;
mod page;
mod paths;
mod personal;
mod registry;
mod remedy;
pub mod sarif;
mod secrets;
mod similar;
#[cfg(test)]
mod tests;
mod text;
mod truth;
mod usage;
mod view;

pub use baseline::{Accepted, Baseline, BaselineError, SALT_BYTES, fingerprints, new_since};
pub use checker::{Checker, Content, File, Report, Surroundings, check_one};
pub use config::{Config, ConfigError};
pub use finding::{Behind, Evidence, Finding, Rest, Severity, Span, UnknownSeverity};
pub use front_matter::memory_type;
pub use limits::{
    Cut, HOSTED_BYTES, HOSTED_MEMORIES, INDEX_MAX_BYTES, INDEX_MAX_LINES, IndexSize, index_cut, index_loaded,
    index_size,
};
pub use mask::mask;
pub use own::OwnRules;
pub use paths::{hosted_problem, is_index, is_instructions};
pub use registry::{Rule, rule, rules};
pub use remedy::Remedy;
pub use text::Position;
pub use truth::Repository;
pub use usage::{
    MemoryUse, NEVER_PRESENT_DAYS, Never, NeverPresent, UNLOADED_DAYS, UNLOADED_SESSIONS, Usage,
};
pub use view::{FileLink, body_start, file_links};
