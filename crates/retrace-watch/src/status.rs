//! Status of a store, derived from what the scans met.

use crate::scan::Scanned;
use retrace_files::{Problem, ProblemKind};
use retrace_message::{AsMessage, Message};
use retrace_model::{RelPath, StoreState};
use std::collections::BTreeSet;

/// Status of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The state.
    pub state: StoreState,
    /// Why it is not simply recording, for people.
    pub detail: Option<Message>,
    /// Files in the directory that are not recorded: links, pipes, what may not be read.
    pub problems: Vec<Problem>,
}

impl Status {
    pub(crate) fn away(state: StoreState, detail: Message) -> Self {
        Self { state, detail: Some(detail), problems: Vec::new() }
    }
}

/// Result of the last scan of each part of a store met.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    problems: Vec<Problem>,
    too_large: BTreeSet<RelPath>,
}

impl Standing {
    /// Takes in a scan of `part`, or of everything.
    pub(crate) fn update(&mut self, part: Option<&BTreeSet<RelPath>>, scanned: &Scanned) {
        let again =
            |path: &RelPath| part.is_none_or(|part| part.iter().any(|scanned| path.is_within(scanned)));
        self.problems.retain(|problem| !problem.path.as_ref().is_none_or(again));
        self.problems.extend(scanned.problems.iter().cloned());
        self.problems.sort_by(|a, b| a.path.cmp(&b.path));
        self.problems.dedup();
        self.too_large.retain(|path| !again(path));
        self.too_large.extend(scanned.too_large.iter().cloned());
    }

    /// The state that follows. `unreliable` says why events cannot be relied on, if so.
    pub(crate) fn status(&self, unreliable: Option<&Message>) -> Status {
        let hiding: Vec<_> = self.problems.iter().filter(|problem| hides(problem)).collect();
        let (state, detail) = if let Some(whole) = hiding.iter().find(|problem| problem.path.is_none()) {
            let denied = whole.kind == ProblemKind::Denied;
            let state = if denied { StoreState::Denied } else { StoreState::Limited };
            (state, Some(whole.message()))
        } else if let Some(first) = hiding.first() {
            (StoreState::Limited, Some(and_more(first.message(), hiding.len())))
        } else if let Some(first) = self.too_large.first() {
            let text = say::too_large_recorded_without_content(first);
            (StoreState::Limited, Some(and_more(text, self.too_large.len())))
        } else if let Some(reason) = unreliable {
            (StoreState::Limited, Some(reason.to_owned()))
        } else {
            (StoreState::Recording, None)
        };
        Status { state, detail, problems: self.problems.clone() }
    }
}

/// True if memories may lie behind it. What a link leads to is not the store's.
fn hides(problem: &Problem) -> bool {
    match problem.kind {
        ProblemKind::Denied | ProblemKind::TooDeep | ProblemKind::TooLarge | ProblemKind::Io(_) => true,
        ProblemKind::Link | ProblemKind::NotAFile(_) => false,
    }
}

fn and_more(text: Message, count: usize) -> Message {
    if count > 1 { say::more(text, count - 1) } else { text }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "status";
    too_large_recorded_without_content(first) => "{first} is too large and recorded without its content",
    more(text, count) => "{text} (and {count} more)",
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::parse(text).unwrap()
    }

    fn scanned(problems: &[(Option<&str>, ProblemKind)], too_large: &[&str]) -> Scanned {
        Scanned {
            problems: problems
                .iter()
                .map(|(at, kind)| Problem { path: at.map(path), kind: kind.clone() })
                .collect(),
            too_large: too_large.iter().map(|name| path(name)).collect(),
            ..Scanned::default()
        }
    }

    #[test]
    fn the_gravest_reason_is_the_state() {
        let check = |scanned: &Scanned, unreliable: Option<&str>| {
            let mut standing = Standing::default();
            standing.update(None, scanned);
            let Status { state, detail, .. } = standing.status(unreliable.map(Message::verbatim).as_ref());
            (state, detail.unwrap_or_default().into_text())
        };
        let link = (Some("l"), ProblemKind::Link);
        let closed = (Some("x"), ProblemKind::Denied);
        assert_eq!(check(&scanned(&[], &[]), None), (StoreState::Recording, String::new()));
        assert_eq!(
            check(&scanned(std::slice::from_ref(&link), &[]), None),
            (StoreState::Recording, String::new())
        );
        assert_eq!(check(&scanned(&[], &[]), Some("slow")), (StoreState::Limited, "slow".to_owned()));
        assert_eq!(
            check(&scanned(&[], &["a.md", "b.md"]), Some("slow")),
            (
                StoreState::Limited,
                "a.md is too large and recorded without its content (and 1 more)".to_owned()
            )
        );
        assert_eq!(
            check(&scanned(&[link, closed.clone()], &["a.md"]), None),
            (StoreState::Limited, "\"x\" may not be read".to_owned())
        );
        assert_eq!(
            check(&scanned(&[closed, (None, ProblemKind::Denied)], &[]), None),
            (StoreState::Denied, "the directory may not be read".to_owned())
        );
    }

    #[test]
    fn a_scan_of_a_part_replaces_what_was_known_of_it() {
        let mut standing = Standing::default();
        let denied = |at| (Some(at), ProblemKind::Denied);
        standing.update(None, &scanned(&[denied("a/x"), denied("b")], &["a/large", "large"]));
        standing.update(Some(&BTreeSet::from([path("a")])), &scanned(&[denied("a/y")], &[]));
        let left: Vec<_> = standing.status(None).problems.iter().map(ToString::to_string).collect();
        assert_eq!(left, ["\"a/y\" may not be read", "\"b\" may not be read"]);
        assert_eq!(standing.too_large, BTreeSet::from([path("large")]));
        standing.update(None, &Scanned::default());
        assert_eq!(standing.status(None).state, StoreState::Recording);
    }
}
