//! A double-array trie over bytes. The layout is described where it is read, in `src/trie.rs`.

use crate::vocabulary::{Entry, Kind};

const PIECE: u32 = 1 << 8;
const PREFIX: u32 = 1 << 9;
const BASE_SHIFT: u32 = 10;
/// Never a label: the byte occurs neither in UTF-8 nor as a marker.
const NO_LABEL: u32 = 0xFF;
const BLOCK: usize = 256;
/// Free places tried for a node of several children before the array grows.
const TRIES: usize = 512;

/// `entries` in ascending order.
pub(crate) fn build(entries: &[Entry]) -> Vec<u32> {
    let mut array = Array { units: Vec::new(), taken: Vec::new(), bases: Vec::new(), first_free: 1 };
    array.grow();
    array.taken[0] = true;
    let mut open = vec![Node { at: 0, entries, depth: 0 }];
    while let Some(node) = open.pop() {
        let children = array.place(&node);
        open.extend(children.into_iter().rev());
    }
    array.units
}

/// A node whose children are to be placed: the entries below it share their first `depth` bytes.
struct Node<'entries> {
    at: usize,
    entries: &'entries [Entry],
    depth: usize,
}

struct Array {
    units: Vec<u32>,
    taken: Vec<bool>,
    /// Marks the values that are a base already: no two nodes share one, so a label alone tells whose child a unit is.
    bases: Vec<bool>,
    first_free: usize,
}

impl Array {
    fn grow(&mut self) {
        let size = self.units.len() + BLOCK;
        self.units.resize(size, NO_LABEL);
        self.taken.resize(size, false);
        self.bases.resize(size, false);
        self.bases[0] = true; // A node without children has base 0.
    }

    fn place<'entries>(&mut self, node: &Node<'entries>) -> Vec<Node<'entries>> {
        let ends = node.entries.iter().take_while(|entry| entry.bytes.len() == node.depth).count();
        for entry in &node.entries[..ends] {
            self.units[node.at] |= if entry.kind == Kind::Piece { PIECE } else { PREFIX };
        }
        let groups: Vec<&[Entry]> =
            node.entries[ends..].chunk_by(|a, b| a.bytes[node.depth] == b.bytes[node.depth]).collect();
        if groups.is_empty() {
            return Vec::new();
        }
        let labels: Vec<usize> = groups.iter().map(|group| usize::from(group[0].bytes[node.depth])).collect();
        let base = self.base(&labels);
        self.bases[base] = true;
        self.units[node.at] |= u32::try_from(base << BASE_SHIFT).expect("the trie fits its units");
        let children = labels.iter().zip(groups).map(|(label, entries)| {
            let at = base ^ label;
            self.taken[at] = true;
            self.units[at] = u32::try_from(*label).expect("a byte");
            Node { at, entries, depth: node.depth + 1 }
        });
        children.collect()
    }

    fn base(&mut self, labels: &[usize]) -> usize {
        while self.taken.get(self.first_free) == Some(&true) {
            self.first_free += 1;
        }
        let free = (self.first_free..self.units.len()).filter(|at| !self.taken[*at]);
        let base = free
            .take(TRIES)
            .map(|at| at ^ labels[0])
            .find(|base| !self.bases[*base] && labels.iter().all(|label| !self.taken[base ^ label]));
        base.unwrap_or_else(|| {
            let base = self.units.len();
            self.grow();
            base
        })
    }
}
