//! What was done, in the order in which it was done: in one transcript, or in a session with its subagents.

use crate::deeds::{Deed, Deeds};
use retrace_model::Timestamp;

/// Deeds in the order in which they are judged.
#[derive(Clone, Debug, Default)]
pub struct Sequence<'d> {
    parts: Vec<&'d Deeds>,
    /// For each deed its transcript and its place there.
    order: Vec<(usize, usize)>,
    /// True if the first transcript is the one in which the person spoke.
    has_main: bool,
}

impl<'d> Sequence<'d> {
    /// One transcript, in the order of the file.
    #[must_use]
    pub fn of(deeds: &'d Deeds) -> Self {
        let order = (0..deeds.all.len()).map(|at| (0, at)).collect();
        Self { parts: vec![deeds], order, has_main: false }
    }

    /// The transcripts of a session, in the order of time: what a subagent did lies where it was done. With `has_main`, the first
    /// one is the session's own, the others are its subagents'.
    #[must_use]
    pub fn of_session(parts: Vec<&'d Deeds>, has_main: bool) -> Self {
        let mut keyed = Vec::with_capacity(parts.iter().map(|part| part.all.len()).sum());
        for (part, deeds) in parts.iter().enumerate() {
            // A conversation keeps its own order, whatever its clock says.
            let mut reached: Vec<Option<Timestamp>> = Vec::new();
            for (at, deed) in deeds.all.iter().enumerate() {
                if reached.len() <= deed.conversation {
                    reached.resize(deed.conversation + 1, None);
                }
                let last = &mut reached[deed.conversation];
                *last = (*last).max(deed.at);
                keyed.push((*last, part, deed.conversation, at));
            }
        }
        keyed.sort_unstable();
        let order: Vec<(usize, usize)> = keyed.into_iter().map(|(_, part, _, at)| (part, at)).collect();
        let speaks = |first: &&Deeds| first.all.iter().any(|deed| deed.conversation == 0);
        let has_main = has_main && parts.first().is_some_and(speaks);
        Self { parts, order, has_main }
    }

    /// How many deeds there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True if nothing was done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// For each deed its transcript and its place there.
    #[must_use]
    pub fn order(&self) -> &[(usize, usize)] {
        &self.order
    }

    /// A deed.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'d Deed> {
        let (part, at) = *self.order.get(index)?;
        self.parts.get(part)?.all.get(at)
    }

    /// The last deed of the conversation that ends with the session: the person's, or of what is left the last one.
    #[must_use]
    pub fn last(&self) -> Option<usize> {
        let mut all = (0..self.len()).rev();
        if self.has_main { all.find(|index| self.is_main(*index)) } else { all.next() }
    }

    /// The deeds from a place on, each with its place.
    pub(crate) fn deeds(&self, from: usize) -> impl Iterator<Item = (usize, &'d Deed)> + use<'_, 'd> {
        (from..self.len()).map(|at| (at, self.deed(at)))
    }

    pub(crate) fn deed(&self, index: usize) -> &'d Deed {
        let (part, at) = self.order[index];
        &self.parts[part].all[at]
    }

    /// Directory of the transcript that a deed is of.
    pub(crate) fn directory(&self, index: usize) -> Option<&'d str> {
        let (part, _) = *self.order.get(index)?;
        self.parts[part].directory.as_deref()
    }

    fn is_main(&self, index: usize) -> bool {
        self.has_main && self.order[index].0 == 0 && self.deed(index).conversation == 0
    }

    pub(crate) fn is_of_one_conversation(&self, one: usize, other: usize) -> bool {
        self.order[one].0 == self.order[other].0
            && self.deed(one).conversation == self.deed(other).conversation
    }

    /// True if what was said there was said by the person, or to them, for the deed at `index`. Nobody but the main conversation
    /// talks with the person; where it is gone, a subagent's begins with what its agent told it.
    pub(crate) fn is_heard(&self, said: usize, index: usize) -> bool {
        if self.has_main { self.is_main(said) } else { self.is_of_one_conversation(said, index) }
    }

    /// True if two deeds are of one call.
    pub(crate) fn is_of_one_call(&self, one: usize, other: usize) -> bool {
        let call = |index: usize| {
            let deed = self.deed(index);
            (deed.line, &deed.tool_use_id)
        };
        self.is_of_one_conversation(one, other) && call(one) == call(other)
    }
}

#[cfg(test)]
mod tests;
