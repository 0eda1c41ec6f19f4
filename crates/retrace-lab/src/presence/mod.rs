//! Presence: which lines of which memory were before a model at which request, and why the others were not. The rules are in
//! `retrace-presence`; here are the transcripts, the log and the disk.

mod change;
mod concerned;
mod digests;
mod file;
mod memories;
mod of_store;
mod places;
mod project;
mod reach;
mod session;
mod shared;
mod sought;
mod tenancy;
mod tenants;

pub use change::change_reach;
pub use concerned::{Concerned, MemoryAsked, OfMemory};
pub(crate) use digests::Presences;
pub use file::{FileAsked, instruction_file};
pub(crate) use memories::at as store_at;
pub use of_store::{MemoryPresence, NeverLines, store_presence};
pub use project::{is_beside, is_for_every_project, is_of_project, project_of, project_of_file, ran_in};
pub use reach::reach;
pub(crate) use session::held_files;
pub use session::{presence, presence_lane};
pub use shared::{
    SharedFile, SharedSession, SharedSessions, SharedStore, ToldPresence, part_of, transcript_lines,
};
pub(crate) use tenants::Tenants;

use crate::wire::{AbsentLines, PresenceCause, PresenceGrade};
use retrace_presence::{AtRequest, Cause, Grade};

pub(crate) const fn grade(grade: Grade) -> PresenceGrade {
    match grade {
        Grade::Proved => PresenceGrade::Proved,
        Grade::Recorded => PresenceGrade::Recorded,
        Grade::Inferred => PresenceGrade::Inferred,
        Grade::Unknown => PresenceGrade::Unknown,
    }
}

pub(crate) const fn cause(cause: Cause) -> PresenceCause {
    match cause {
        Cause::DidNotExist => PresenceCause::DidNotExist,
        Cause::OtherVersion => PresenceCause::OtherVersion,
        Cause::Cut => PresenceCause::Cut,
        Cause::NotOpened => PresenceCause::NotOpened,
        Cause::OtherDirectory => PresenceCause::OtherDirectory,
        Cause::SwitchedOff => PresenceCause::SwitchedOff,
        Cause::Subagent => PresenceCause::Subagent,
        Cause::Compacted => PresenceCause::Compacted,
        Cause::Cleared => PresenceCause::Cleared,
        Cause::NotInScope => PresenceCause::NotInScope,
        Cause::Stripped => PresenceCause::Stripped,
        Cause::Unknown => PresenceCause::Unknown,
    }
}

fn absent(at: &AtRequest) -> Vec<AbsentLines> {
    at.absent().into_iter().map(|(lines, why)| AbsentLines { lines, cause: cause(why) }).collect()
}
