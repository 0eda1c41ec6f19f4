//! Files that stand in another one, in the place of the line that imports them (0.61): between two comments that name them.

/// What stands in the place of an import.
const BEGINS: &str = "<!-- Imported from: ";
const ENDS: &str = "<!-- End of import from: ";
const FAILED: &str = "<!-- Import failed: ";
const PROCESSED: &str = "<!-- File already processed: ";
const CLOSES: &str = " -->";

/// Between the path of an import that failed and the reason.
const BECAUSE: &str = " - ";

/// A file that was sent with what it imports in place, as it is, and the files that stood in it, each once; `None` for one in which
/// nothing was put. Each with its path and its content, the file itself first.
#[must_use]
pub fn without_imports(path: &str, content: &str) -> Option<Vec<(String, String)>> {
    if ![BEGINS, FAILED, PROCESSED].iter().any(|mark| content.contains(mark)) {
        return None;
    }
    let mut files = vec![(path.to_owned(), String::new())];
    files[0].1 = own(path, content, &mut files)?;
    Some(files)
}

/// The content of a file without what it imports, which is put to `files`. `None` where the comments do not belong together.
fn own(path: &str, content: &str, files: &mut Vec<(String, String)>) -> Option<String> {
    let mut own = String::new();
    let mut rest = content;
    while let Some((at, mark)) = next(rest, &[BEGINS, FAILED, PROCESSED]) {
        own.push_str(&rest[..at]);
        let (said, behind) = rest[at + mark.len()..].split_once(CLOSES)?;
        let named = if mark == FAILED { said.split_once(BECAUSE)?.0 } else { said };
        own.push('@');
        own.push_str(named);
        if mark != BEGINS {
            rest = behind;
            continue;
        }
        let inner = behind.strip_prefix('\n')?;
        let end = end_of(inner)?;
        let after = inner[end..].strip_prefix(ENDS)?.strip_prefix(named)?.strip_prefix(CLOSES)?;
        let of = resolved(path, named);
        let content = self::own(&of, inner[..end].strip_suffix('\n')?, files)?;
        if !files.iter().any(|(known, _)| *known == of) {
            files.push((of, content));
        }
        rest = after;
    }
    own.push_str(rest);
    Some(own)
}

/// The first of some marks in a text.
fn next<'m>(text: &str, marks: &[&'m str]) -> Option<(usize, &'m str)> {
    marks.iter().filter_map(|mark| Some((text.find(mark)?, *mark))).min()
}

/// Where the comment stands that ends an import whose content begins here: imports stand within imports.
fn end_of(text: &str) -> Option<usize> {
    let (mut from, mut depth) = (0, 0_usize);
    loop {
        let (at, mark) = next(&text[from..], &[BEGINS, ENDS])?;
        if mark == ENDS {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(from + at),
            }
        } else {
            depth += 1;
        }
        from += at + mark.len();
    }
}

/// The path of an import, which is told as from the directory of the file that imports it.
fn resolved(path: &str, named: &str) -> String {
    if named.starts_with('/') || named.get(1..2) == Some(":") {
        return named.to_owned();
    }
    let mut parts: Vec<&str> =
        path.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder).split('/').collect();
    for part in named.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.len() > 1 => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_what_it_imports_are_told_apart() {
        let inner = "<!-- Imported from: ../deep.md -->\ndeep\n\n<!-- End of import from: ../deep.md -->";
        let content = format!(
            "# Rules\n<!-- Imported from: ./sub/inc.md -->\none\nSee {inner} too.\n\n<!-- End of import from: ./sub/inc.md -->\n\
             <!-- Import failed: no.md - ENOENT: none - x -->\n<!-- File already processed: ./sub/inc.md -->\nlast"
        );
        let found = without_imports("/w/GEMINI.md", &content).expect("it imports");
        let found: Vec<(&str, &str)> =
            found.iter().map(|(path, content)| (path.as_str(), content.as_str())).collect();
        assert_eq!(
            found,
            [
                ("/w/GEMINI.md", "# Rules\n@./sub/inc.md\n@no.md\n@./sub/inc.md\nlast"),
                ("/w/deep.md", "deep\n"),
                ("/w/sub/inc.md", "one\nSee @../deep.md too.\n"),
            ]
        );
        assert_eq!(without_imports("/w/GEMINI.md", "# Rules\n@inc.md"), None);
        for broken in [
            "<!-- Imported from: a -->\nx",
            "<!-- Imported from: a -->",
            "<!-- Imported from: ",
            "<!-- Import failed: a",
        ] {
            assert_eq!(without_imports("/w/GEMINI.md", broken), None, "{broken}");
        }
    }
}
