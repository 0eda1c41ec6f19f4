//! Replacing inside JSON text so that it stays JSON: each string is read as what it says, however it is escaped, and only strings
//! that hold it are written anew. Everything else stays byte for byte.

/// Where some bytes hold what is searched for: ranges in order that do not overlap.
pub(super) type Ranges<'a> = &'a dyn Fn(&[u8]) -> Vec<(usize, usize)>;

/// Number of hits in JSON text, inside and outside of its strings.
pub(super) fn hits(text: &[u8], ranges: Ranges<'_>) -> u64 {
    rewritten(text, ranges, "").1
}

/// The text with each match replaced by `marker`, and how many there were. Text that is no JSON is searched as it is.
pub(super) fn without(text: &[u8], ranges: Ranges<'_>, marker: &str) -> Option<(Vec<u8>, u64)> {
    let (after, hits) = rewritten(text, ranges, marker);
    (hits > 0).then_some((after, hits))
}

fn rewritten(text: &[u8], ranges: Ranges<'_>, marker: &str) -> (Vec<u8>, u64) {
    let mut out = Vec::with_capacity(text.len());
    let mut hits = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let (after, found) = line_without(line, ranges, marker);
        hits += found;
        out.extend_from_slice(&after);
    }
    // A match that goes over the end of a line, as in JSON that is printed over several.
    let across = ranges(&out);
    if across.is_empty() {
        (out, hits)
    } else {
        (replaced(&out, &across, marker), hits + across.len() as u64)
    }
}

fn line_without(line: &[u8], ranges: Ranges<'_>, marker: &str) -> (Vec<u8>, u64) {
    let mut out = Vec::with_capacity(line.len());
    let (mut hits, mut at) = (0, 0);
    while let Some(open) = memchr::memchr(b'"', &line[at..]).map(|found| at + found) {
        let Some(end) = end_of_string(line, open) else { break };
        let (after, found) = between(&line[at..open], ranges, marker);
        out.extend_from_slice(&after);
        let literal = &line[open..end];
        match string_without(literal, ranges, marker) {
            Some((after, found)) => {
                out.extend_from_slice(&after);
                hits += found;
            }
            None => out.extend_from_slice(literal),
        }
        hits += found;
        at = end;
    }
    // Text after the last string, or text that is no JSON at all.
    let found = ranges(&line[at..]);
    out.extend_from_slice(&replaced(&line[at..], &found, marker));
    (out, hits + found.len() as u64)
}

/// Text between two strings: a number that holds it becomes a string.
fn between(bytes: &[u8], ranges: Ranges<'_>, marker: &str) -> (Vec<u8>, u64) {
    let found = ranges(bytes);
    if found.is_empty() {
        return (bytes.to_vec(), 0);
    }
    let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
    let mut out = Vec::new();
    let (mut at, mut hits) = (0, 0);
    for (start, end) in found {
        if start < at {
            continue;
        }
        hits += 1;
        if !bytes[start..end].iter().all(is_number) {
            out.extend_from_slice(&bytes[at..start]);
            out.extend_from_slice(marker.as_bytes());
            at = end;
            continue;
        }
        let from = start - bytes[at..start].iter().rev().take_while(|byte| is_number(byte)).count();
        let to = end + bytes[end..].iter().take_while(|byte| is_number(byte)).count();
        out.extend_from_slice(&bytes[at..from]);
        out.extend_from_slice(format!("\"{marker}\"").as_bytes());
        at = to;
    }
    out.extend_from_slice(&bytes[at..]);
    (out, hits)
}

/// Behind the closing quotation mark of the string that opens at `open`.
fn end_of_string(text: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// A string literal, quotation marks included, written anew without it; `None` when it does not hold it.
fn string_without(literal: &[u8], ranges: Ranges<'_>, marker: &str) -> Option<(Vec<u8>, u64)> {
    let inside = &literal[1..literal.len() - 1];
    if !inside.contains(&b'\\') {
        let found = ranges(inside);
        return (!found.is_empty()).then(|| {
            ([b"\"", replaced(inside, &found, marker).as_slice(), b"\""].concat(), found.len() as u64)
        });
    }
    let Ok(decoded) = serde_json::from_slice::<String>(literal) else {
        // Half a surrogate: what it says cannot be told, so that its bytes are searched.
        let found = ranges(inside);
        return (!found.is_empty()).then(|| {
            ([b"\"", replaced(inside, &found, marker).as_slice(), b"\""].concat(), found.len() as u64)
        });
    };
    let found = ranges(decoded.as_bytes());
    if !found.is_empty() {
        let after = replaced(decoded.as_bytes(), &found, marker);
        let after = serde_json::to_vec(&String::from_utf8_lossy(&after)).ok()?;
        return Some((after, found.len() as u64));
    }
    // A string that is JSON itself holds it escaped once more.
    if !decoded.contains('\\') {
        return None;
    }
    let (after, hits) = line_without(decoded.as_bytes(), ranges, marker);
    (hits > 0)
        .then(|| serde_json::to_vec(&String::from_utf8_lossy(&after)).ok().map(|after| (after, hits)))?
}

/// The bytes with some ranges replaced.
pub(super) fn replaced(bytes: &[u8], ranges: &[(usize, usize)], marker: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut kept = 0;
    for (start, end) in ranges {
        if *start < kept {
            continue;
        }
        out.extend_from_slice(&bytes[kept..*start]);
        out.extend_from_slice(marker.as_bytes());
        kept = *end;
    }
    out.extend_from_slice(&bytes[kept..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn finder(needle: &str) -> impl Fn(&[u8]) -> Vec<(usize, usize)> {
        let needle = needle.as_bytes().to_vec();
        move |bytes| memchr::memmem::find_iter(bytes, &needle).map(|at| (at, at + needle.len())).collect()
    }

    fn without_in(text: &str, needle: &str) -> Option<(String, u64)> {
        without(text.as_bytes(), &finder(needle), "[x]")
            .map(|(after, hits)| (String::from_utf8(after).expect("text"), hits))
    }

    #[test]
    fn only_strings_that_hold_it_are_written_anew() {
        let line = "{\"a\" : \"sk-\\u0031\\/23\", \"b\":\"\\u0041 kept\",\"n\": 1.50 }\n";
        let expected = "{\"a\" : \"[x]\", \"b\":\"\\u0041 kept\",\"n\": 1.50 }\n";
        assert_eq!(without_in(line, "sk-1/23"), Some((expected.to_owned(), 1)));
        assert_eq!(without_in(line, "kept?"), None);
        assert_eq!(
            without_in("{\"k\":\"pass\\\"word\\\\1\"}", "pass\"word\\1").expect("it").0,
            "{\"k\":\"[x]\"}"
        );
        assert_eq!(without_in("{\"secret\":1}", "secret").expect("it").0, "{\"[x]\":1}");
        assert_eq!(
            without_in("{\"pin\":-123456.5,\"a\":2}", "23456").expect("it").0,
            "{\"pin\":\"[x]\",\"a\":2}"
        );
        assert_eq!(
            without_in("no JSON \"secret and so on", "secret").expect("it").0,
            "no JSON \"[x] and so on"
        );
        assert_eq!(
            without_in("{\"a\":\"\\ud800 secret\"}", "secret").expect("it").0,
            "{\"a\":\"\\ud800 [x]\"}"
        );
    }

    #[test]
    fn json_within_a_string_is_read_as_well() {
        let inner =
            serde_json::to_string(&serde_json::json!({"command": "use \"the\\key\" now"})).expect("JSON");
        let line = serde_json::to_string(&serde_json::json!({"input": inner})).expect("JSON");
        let (after, hits) = without_in(&line, "\"the\\key\"").expect("it is there");
        assert_eq!(hits, 1);
        let outer: serde_json::Value = serde_json::from_str(&after).expect("still JSON");
        let inner: serde_json::Value =
            serde_json::from_str(outer["input"].as_str().expect("a string")).expect("still JSON");
        assert_eq!(inner["command"], "use [x] now");
    }

    proptest! {
        #[test]
        fn what_was_json_stays_json_and_does_not_hold_it(
            needle in "[ -~éß\n\"\\\\]{3,12}",
            before in ".{0,8}", after in ".{0,8}", escape in any::<bool>(),
        ) {
            let decoded = format!("{before}{needle}{after}");
            let mut literal = serde_json::to_string(&decoded).expect("JSON");
            if escape {
                literal = literal.chars().map(|letter| if letter.is_ascii() { letter.to_string() } else {
                    letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
                }).collect();
            }
            let line = format!("{{\"type\":\"user\",\"content\":[{{\"text\":{literal}}}]}}\n");
            let found = without(line.as_bytes(), &finder(&needle), "");
            let (bytes, hits) = found.expect("it is there");
            prop_assert!(hits >= 1);
            if !needle.contains(['{', '}', '[', ']', ':', ',']) {
                let value: serde_json::Value = serde_json::from_slice(&bytes).expect("still JSON");
                let text = value.pointer("/content/0/text").and_then(|text| text.as_str());
                prop_assert!(text.is_none_or(|text| text.len() < decoded.len()));
            }
        }
    }
}
