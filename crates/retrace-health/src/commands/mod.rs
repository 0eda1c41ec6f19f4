//! The commands of this feature, one or a few to a file.

mod check;
mod clients;
mod discover;
mod entries;
mod expiry;
mod health;
mod instructions;
mod loads;
mod new_projects;
mod opening;
mod rules;
mod snapshot;
mod standing;

pub(crate) use check::CachedChecker;
pub use check::{check, check_directory, findings};
pub use clients::clients;
pub use discover::discover;
pub use entries::{allow_finding, move_entry, strip_characters};
pub use expiry::{expire, expiry};
pub use health::health;
pub use instructions::{instruction, instructions};
pub use loads::memory_loads;
pub use new_projects::{ProjectsUpkeep, new_projects, set_new_projects};
pub use opening::{opening, opening_of};
pub use rules::{finding_rules, set_finding_rule};
pub use snapshot::agent_snapshot;
pub use standing::{refresh_standing_errors, standing_errors};
