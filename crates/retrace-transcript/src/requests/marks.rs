//! Where a request marked its prefix for the prompt cache.

use super::rebuild;
use serde_json::Value;

/// The part of a request that a mark stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachePart {
    /// The definitions of its tools, which come first.
    Tools,
    /// Its system prompt.
    System,
    /// One of its messages, by its place.
    Message(usize),
}

/// A mark for the cache (`cache_control`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheMark {
    /// The part it stands in.
    pub part: CachePart,
    /// Size of the part up to the end of the marked block, and of all of it; equal at its end.
    pub upto: (u64, u64),
    /// Blocks of the request up to the marked one, which is counted: tools, system prompt, messages, in this order.
    pub blocks: u64,
    /// True if what is written there lives for an hour, and not for five minutes.
    pub hour: bool,
}

/// Sizes of the blocks before the messages: of texts in bytes, of what is none 1. Tools count alike, because sessions may have a list of their own for
/// every request, and a mark stands behind the last of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    pub tools: Vec<u64>,
    pub system: Vec<u64>,
}

fn sizes(blocks: &[Value]) -> Vec<u64> {
    blocks.iter().map(|block| block.to_string().len() as u64).collect()
}

/// Number of the blocks of a message; a text is one.
pub(super) fn count_of(message: &Value) -> u64 {
    message["content"].as_array().map_or(1, |blocks| blocks.len() as u64)
}

/// Sizes of the blocks of a message.
pub(super) fn sizes_of(message: &Value) -> Vec<u64> {
    message["content"].as_array().map_or_else(|| vec![1], |blocks| sizes(blocks))
}

/// The marks of a request as [`CacheMark`]s, in order. `messages` has the number of blocks of each message, `sizes` the sizes of
/// those of one. A mark in a place that is not understood is left out.
pub(super) fn cache_marks(
    marks: &[rebuild::CacheMark],
    before: &Before,
    messages: &[u64],
    mut sizes: impl FnMut(usize) -> Option<Vec<u64>>,
) -> Vec<CacheMark> {
    let mut found: Vec<CacheMark> = marks
        .iter()
        .filter_map(|mark| {
            let hour = mark.value["ttl"] == "1h";
            let number = |at: usize| mark.path.get(at)?.as_u64().and_then(|it| usize::try_from(it).ok());
            let tools = before.tools.len() as u64;
            let (part, index, earlier, sizes) = match mark.path.first()?.as_str()? {
                "tools" => (CachePart::Tools, number(1)?, 0, before.tools.clone()),
                "system" => (CachePart::System, number(1)?, tools, before.system.clone()),
                "messages" => {
                    let (message, index) = (number(1)?, number(3)?);
                    let earlier: u64 = messages.get(..message)?.iter().sum();
                    let earlier = tools + before.system.len() as u64 + earlier;
                    let is_last = *messages.get(message)? == index as u64 + 1;
                    let sizes = if is_last { Vec::new() } else { sizes(message)? };
                    (CachePart::Message(message), index, earlier, sizes)
                }
                _ => return None,
            };
            let all: u64 = sizes.iter().sum();
            let upto: u64 = sizes.iter().take(index + 1).sum();
            Some(CacheMark { part, upto: (upto, all), blocks: earlier + index as u64 + 1, hour })
        })
        .collect();
    found.sort_by_key(|mark| mark.blocks);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn marks_are_counted_in_the_order_of_the_cache() {
        let mark = |path: Value, value: Value| rebuild::CacheMark {
            path: path.as_array().expect("a path").clone(),
            value,
        };
        let before = Before { tools: vec![1, 1], system: vec![1, 1] };
        let marks = [
            mark(json!(["messages", 1, "content", 0]), json!({"type": "ephemeral"})),
            mark(json!(["system", 0]), json!({"type": "ephemeral", "ttl": "1h"})),
            mark(json!(["tools", 1]), json!({"type": "ephemeral"})),
            mark(json!(["messages", 0, "content", 2]), json!({"type": "ephemeral"})),
            mark(json!(["messages", 9, "content", 0]), json!({"type": "ephemeral"})),
            mark(json!(["metadata"]), json!({"type": "ephemeral"})),
        ];
        let found = cache_marks(&marks, &before, &[3, 2], |_| Some(vec![30, 10]));
        let told: Vec<(CachePart, bool, u64, bool)> = found
            .iter()
            .map(|mark| (mark.part, mark.upto.0 == mark.upto.1, mark.blocks, mark.hour))
            .collect();
        assert_eq!(
            told,
            [
                (CachePart::Tools, true, 2, false),
                (CachePart::System, false, 3, true),
                (CachePart::Message(0), true, 7, false),
                (CachePart::Message(1), false, 8, false),
            ]
        );
        assert_eq!(found[3].upto, (30, 40));
    }
}
