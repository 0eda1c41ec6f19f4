//! The commands of this feature, one or a few to a file.

mod inbox;
mod inbox_list;
mod report_rules;
mod review;
mod review_report;
mod rollback;
mod session_rollback;
mod today;
mod triage;
mod withdraw;

pub use inbox::{inbox, inbox_kinds};
pub use inbox_list::{InboxList, InboxPart};
pub use review::{review, review_up_to, undo_review};
pub use review_report::review_report;
pub use rollback::{restore, rollback, undo};
pub use today::{Older, Today, TodayHalf, TodayRow, TodayUpkeep};
pub use triage::{cluster_difference, inbox_items, triage};
pub use withdraw::withdraw_queued;
