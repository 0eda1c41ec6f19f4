//! Texts that number their lines.

/// Lines before the first numbered one: a heading.
const MOST_HEADINGS: usize = 2;

/// The numbered lines of a text, as `cat -n`, the readings of agents and views of the memory tool write them. What follows
/// the last numbered line is left out. `None` where no line is numbered.
pub(crate) fn parse(text: &str) -> Option<Vec<(u32, &str)>> {
    let mut found: Vec<(u32, &str)> = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match numbered(line) {
            Some((number, rest))
                if found.last().is_none_or(|(last, _)| last.checked_add(1) == Some(number)) =>
            {
                found.push((number, rest));
            }
            _ if found.is_empty() && at < MOST_HEADINGS => {}
            _ => break,
        }
    }
    (!found.is_empty()).then_some(found)
}

fn numbered(line: &str) -> Option<(u32, &str)> {
    let line = line.trim_start_matches(' ');
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    let (number, rest) = line.split_at(digits);
    let rest = rest
        .strip_prefix('\t')
        .or_else(|| rest.strip_prefix('→'))
        .or_else(|| rest.strip_prefix(": "))
        .or_else(|| (rest == ":").then_some(""))?;
    Some((number.parse().ok()?, rest))
}

/// A line of a search: `12:text` or `12-text`, with the path before it where several files were searched.
pub(crate) fn of_search<'a>(line: &'a str, path: &str, name: &str) -> Option<(u32, &'a str)> {
    let line = [path, name]
        .into_iter()
        .find_map(|path| line.strip_prefix(path).and_then(|rest| rest.strip_prefix([':', '-'])))
        .unwrap_or(line);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    let (number, rest) = line.split_at(digits);
    Some((number.parse().ok()?, rest.strip_prefix([':', '-'])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_and_views_are_read() {
        assert_eq!(
            parse("10\ta\n11\t\n12\tb\n\n<system-reminder>\nx"),
            Some(vec![(10, "a"), (11, ""), (12, "b")])
        );
        assert_eq!(parse("     1→a\n     2→b"), Some(vec![(1, "a"), (2, "b")]));
        let view = "Here's the content of /memories/a with line numbers:\n     1\tx\n     2\t";
        assert_eq!(parse(view), Some(vec![(1, "x"), (2, "")]));
        assert_eq!(parse("1: a\n2:\n4: c"), Some(vec![(1, "a"), (2, "")]));
        assert_eq!(parse("no numbers"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn searches_are_read() {
        assert_eq!(of_search("/m/a.md:12:- x", "/m/a.md", "a.md"), Some((12, "- x")));
        assert_eq!(of_search("3-- y", "/m/a.md", "a.md"), Some((3, "- y")));
        assert_eq!(of_search("- y", "/m/a.md", "a.md"), None);
    }
}
