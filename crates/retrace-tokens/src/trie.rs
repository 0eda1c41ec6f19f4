//! A double-array trie over bytes, as the build script lays it out.
//!
//! A unit is 32 bits: in the low byte the label that leads to it, then whether a piece ends here, then whether a UTF-8 prefix
//! ends here, then the base of its children in 22 bits. The child by `label` is at `base ^ label`, if the label there is
//! the same: no two nodes share a base. The root is unit 0; a node without children has base 0, below which nothing is found.
//! A unit that nothing leads to has the label 0xFF, a byte that no stream holds.

const LABEL: u32 = 0xFF;
const PIECE: u32 = 1 << 8;
const PREFIX: u32 = 1 << 9;
const BASE_SHIFT: u32 = 10;

pub(crate) struct Trie {
    units: Vec<u32>,
}

/// A node of a trie.
#[derive(Clone, Copy)]
pub(crate) struct Node(u32);

impl Node {
    /// True if what leads here is a piece of the vocabulary.
    pub(crate) fn is_piece(self) -> bool {
        self.0 & PIECE != 0
    }

    /// True if what leads here is a beginning of UTF-8 forms that makes characters cheaper.
    pub(crate) fn is_prefix(self) -> bool {
        self.0 & PREFIX != 0
    }
}

impl Trie {
    /// From the bytes that the build script wrote.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let (units, _) = bytes.as_chunks();
        Self { units: units.iter().map(|unit| u32::from_le_bytes(*unit)).collect() }
    }

    pub(crate) fn root(&self) -> Node {
        Node(self.units.first().copied().unwrap_or(LABEL))
    }

    /// Where `label`, which is not 0xFF, leads from `node`.
    #[inline]
    pub(crate) fn child(&self, node: Node, label: u8) -> Option<Node> {
        let label = u32::from(label);
        let unit = *self.units.get(((node.0 >> BASE_SHIFT) ^ label) as usize)?;
        (unit & LABEL == label).then_some(Node(unit))
    }

    /// Bytes of memory.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.units.len() * size_of::<u32>()
    }
}
