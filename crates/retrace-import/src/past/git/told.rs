//! Where lines came from, where the order of versions does not say.
//!
//! Versions of a file stand in a row, and blame follows a line along it. A merge is made from several. So of a version that came with
//! one it is told for each line from which line of which other one it came, by the rule of `git blame`: the first parent that has it.
//! Nothing is told where the row says the same.

use super::follow::Pending;
use crate::jobs::Steps;
use crate::wire::ApiError;
use retrace_diff::line_map;
use retrace_log::PastRun;
use std::collections::HashMap;

/// Reads a content by its name in the repository.
type Contents<'c> = &'c dyn Fn(&String) -> Option<&'c [u8]>;

/// The line of another version that a line came from, from 0; of the version itself without a line where it brought it in.
type Origin = (u64, Option<u32>);

/// All versions, and their contents.
pub(super) struct Versions<'a, 'c> {
    lines: &'a [Vec<Pending>],
    contents: Contents<'c>,
    named: HashMap<u64, &'a Pending>,
}

impl<'a, 'c> Versions<'a, 'c> {
    pub(super) fn of(lines: &'a [Vec<Pending>], contents: Contents<'c>) -> Self {
        let named = lines.iter().flatten().map(|version| (version.name, version)).collect();
        Self { lines, contents, named }
    }

    /// What is told of each version, by its name.
    ///
    /// # Errors
    /// `invalid` when the import is stopped.
    pub(super) fn told(&self, steps: &Steps<'_>) -> Result<HashMap<u64, Vec<PastRun>>, ApiError> {
        let mut told = HashMap::new();
        for line in self.lines {
            for place in 0..line.len() {
                if let Some(runs) = self.of_version(line, place) {
                    told.insert(line[place].name, runs);
                }
            }
            steps.go_on()?;
        }
        Ok(told)
    }

    fn of_version(&self, line: &[Pending], place: usize) -> Option<Vec<PastRun>> {
        let version = &line[place];
        let before = place.checked_sub(1).map(|before| &line[before]);
        let came_with = |other: &&Pending| other.written_at.is_some() && other.at == version.at;
        let together = line[..place].iter().rev().take_while(came_with).count();
        if together == 0 && version.made_from.is_none() {
            return None;
        }
        let linear = before.filter(|before| before.blob.is_some());
        let stood =
            (together > 0).then(|| place.checked_sub(together + 1)).flatten().map(|stood| &line[stood]);
        let row: Vec<&Pending> = linear.into_iter().chain(stood).collect();
        let made_from: Vec<&Pending> = match &version.made_from {
            Some(names) => names.iter().filter_map(|name| self.named.get(name).copied()).collect(),
            None => linear.into_iter().collect(),
        };
        let is = |these: &[&Pending], those: &[&Pending]| {
            these.iter().map(|it| it.name).eq(those.iter().map(|it| it.name))
        };
        if is(&row, &made_from) {
            return None;
        }
        let origins = self.origins(version, &made_from)?;
        (origins != self.origins(version, &row)?).then(|| runs(&origins))
    }

    /// Where each line of a version came from, if it was made from these: the first one that has it.
    fn origins(&self, version: &Pending, made_from: &[&Pending]) -> Option<Vec<Origin>> {
        let text = (self.contents)(version.blob.as_ref()?)?;
        let mut origins: Vec<Origin> = vec![(version.name, None); line_map(b"", text).len()];
        for from in made_from {
            let Some(held) = from.blob.as_ref().and_then(self.contents) else { continue };
            for (origin, line) in origins.iter_mut().zip(line_map(held, text)) {
                if let (None, Some(line)) = (origin.1, line) {
                    *origin = (from.name, u32::try_from(line).ok());
                }
            }
        }
        Some(origins)
    }
}

/// Lines that follow each other here and there, taken together.
fn runs(origins: &[Origin]) -> Vec<PastRun> {
    let mut runs: Vec<PastRun> = Vec::new();
    for (at, (of, of_first)) in (0u32..).zip(origins.iter().copied()) {
        if let Some(last) = runs.last_mut()
            && last.of == of
            && last.of_first.map(|first| first + last.lines) == of_first
        {
            last.lines += 1;
        } else {
            runs.push(PastRun { first: at, lines: 1, of, of_first });
        }
    }
    runs
}
