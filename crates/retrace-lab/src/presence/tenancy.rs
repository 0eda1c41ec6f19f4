//! Which memory a path was when: a path is not one memory's for ever.

use retrace_log::VersionRow;
use retrace_model::{MemoryId, RelPath, VersionOperation};

/// Who had a path when, as far as one memory is concerned.
#[derive(Debug)]
pub(super) struct Tenancy {
    /// From when on who had it; in order.
    turns: Vec<(i64, Tenant)>,
    /// True if it is the path that the memory has now, or had last.
    pub(super) is_of_now: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tenant {
    Own,
    Other,
    /// Nobody: this memory was deleted.
    Deleted,
    /// Nobody: whoever was there went.
    Nobody,
}

/// What has to be true of a text that came with a path, so that it is this memory's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claimed {
    /// Nothing.
    Always,
    /// It is, as a whole, a version.
    Whole,
    /// It is of a version.
    Agreeing,
    /// It is another's.
    Never,
}

/// A memory that came to a path, or went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    at: i64,
    memory: MemoryId,
    comes: bool,
    is_deletion: bool,
}

/// When a memory came to a path and went. `rows` are its versions with the times since when they were there, in order.
pub(super) fn turns_at<'r>(
    path: &RelPath,
    rows: impl IntoIterator<Item = (i64, &'r VersionRow)>,
) -> Vec<Turn> {
    let (mut turns, mut is_there) = (Vec::new(), false);
    for (at, row) in rows {
        let is_deletion = row.operation == VersionOperation::Deleted;
        // Where a redaction took the path, nobody knows that it moved.
        let Some(to) = &row.path else { continue };
        let comes = !is_deletion && to == path;
        if comes != is_there {
            turns.push(Turn { at, memory: row.memory, comes, is_deletion });
            is_there = comes;
        }
    }
    turns
}

impl Tenancy {
    /// Of a path, as its turns say.
    pub(super) fn of(memory: MemoryId, mut turns: Vec<Turn>, is_of_now: bool) -> Self {
        turns.sort_by_key(|turn| (turn.at, turn.comes));
        let mut told = Vec::new();
        let mut now: Option<MemoryId> = None;
        for turn in turns {
            // Who is known to have come before the other one was seen to go is there.
            if !turn.comes && now != Some(turn.memory) {
                continue;
            }
            let tenant = match (turn.comes, turn.memory == memory) {
                (true, true) => Tenant::Own,
                (true, false) => Tenant::Other,
                (false, true) if turn.is_deletion => Tenant::Deleted,
                (false, _) => Tenant::Nobody,
            };
            now = turn.comes.then_some(turn.memory);
            told.push((turn.at, tenant));
        }
        Self { turns: told, is_of_now }
    }

    /// What makes a text this memory's that came with the path at a time.
    pub(super) fn at(&self, time: i64) -> Claimed {
        let begun = self.turns.partition_point(|(from, _)| *from <= time);
        let now = begun.checked_sub(1).map(|at| self.turns[at].1);
        let next = self.turns.get(begun).map(|(_, tenant)| *tenant);
        match (now, next) {
            (Some(Tenant::Own), _) => Claimed::Always,
            // That another one went is seen later than it happens.
            (Some(Tenant::Other), _) if self.comes_after(begun) => Claimed::Whole,
            (Some(Tenant::Other), _) => Claimed::Never,
            // A memory is there before anybody sees it.
            (_, Some(Tenant::Own)) | (Some(Tenant::Deleted), None) => Claimed::Always,
            _ => Claimed::Agreeing,
        }
    }

    /// True if this memory is the next to come.
    fn comes_after(&self, begun: usize) -> bool {
        let comes = |tenant: &Tenant| matches!(tenant, Tenant::Own | Tenant::Other);
        let later = self.turns[begun..].iter().map(|(_, tenant)| tenant);
        later.copied().find(|tenant| comes(tenant)) == Some(Tenant::Own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(memory: MemoryId, at: i64, comes: bool) -> Turn {
        Turn { at, memory, comes, is_deletion: false }
    }

    #[test]
    fn a_path_is_the_memory_s_that_has_it_then() {
        let [old, new] = [MemoryId([1; 16]), MemoryId([2; 16])];
        // Renamed away at 20, and another one seen under its name at 30.
        let turns = || vec![turn(old, 10, true), turn(old, 20, false), turn(new, 30, true)];
        let of_old = Tenancy::of(old, turns(), false);
        let of_new = Tenancy::of(new, turns(), true);
        for (at, as_old, as_new) in [
            (5, Claimed::Always, Claimed::Agreeing),
            (15, Claimed::Always, Claimed::Whole),
            (25, Claimed::Agreeing, Claimed::Always),
            (35, Claimed::Never, Claimed::Always),
        ] {
            assert_eq!((of_old.at(at), of_new.at(at)), (as_old, as_new), "{at}");
        }
        // A call is known to have made the new one before the rename was seen.
        let turns = vec![turn(old, 10, true), turn(old, 20, false), turn(new, 15, true)];
        let of_old = Tenancy::of(old, turns, false);
        assert_eq!(
            (of_old.at(14), of_old.at(16), of_old.at(25)),
            (Claimed::Always, Claimed::Never, Claimed::Never)
        );
        let deleted = Turn { is_deletion: true, ..turn(old, 20, false) };
        assert_eq!(Tenancy::of(old, vec![turn(old, 10, true), deleted], true).at(25), Claimed::Always);
    }
}
