//! Paths as calls name them. Lexical: nothing is looked up.

/// A path made absolute with the directory the call ran in, with `/` between parts and without `.` and `..`. `~` and
/// `$HOME` at the beginning become `~/`. A relative path without a directory stays relative.
#[must_use]
pub fn resolve(named: &str, directory: Option<&str>) -> String {
    let named = named.trim();
    let named = named.strip_prefix("file://").unwrap_or(named);
    for home in ["~", "$HOME", "${HOME}"] {
        if let Some(rest) = named.strip_prefix(home)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return tidy("~", rest);
        }
    }
    if is_drive(named) {
        return tidy(&named[..2], &named[2..].replace('\\', "/"));
    }
    if named.starts_with('/') {
        return tidy("", named);
    }
    match directory {
        Some(directory) if !directory.is_empty() && directory != named => {
            let directory = resolve(directory, None);
            let rest = if is_drive(&directory) { named.replace('\\', "/") } else { named.to_owned() };
            let root = if directory.starts_with('/') {
                ""
            } else if directory.starts_with("~/") || directory == "~" {
                "~"
            } else if is_drive(&directory) {
                &directory[..2]
            } else {
                return relative(&format!("{directory}/{rest}"));
            };
            tidy(root, &format!("{}/{rest}", &directory[root.len()..]))
        }
        _ => relative(named),
    }
}

/// True if `path` is `directory` or below it; both resolved.
#[must_use]
pub fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The last part of a path.
pub(crate) fn name_of(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\')
}

fn parts(path: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts
}

fn tidy(root: &str, rest: &str) -> String {
    let parts = parts(rest);
    if parts.is_empty() && root == "~" { root.to_owned() } else { format!("{root}/{}", parts.join("/")) }
}

fn relative(named: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in named.split('/') {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    kept.join("/")
}

/// True for a device such as `/dev/null`: what a shell sends there is in no file. `/dev/shm` holds files.
#[must_use]
pub fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") && !path.starts_with("/dev/shm/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_absolute_and_tidy() {
        for (named, directory, expected) in [
            ("/a/./b/../c.md", None, "/a/c.md"),
            ("notes.md", Some("/p/memory/"), "/p/memory/notes.md"),
            ("../notes.md", Some("/p/memory"), "/p/notes.md"),
            ("~/.claude/x.md", Some("/p"), "~/.claude/x.md"),
            ("$HOME/x.md", Some("/p"), "~/x.md"),
            ("~", None, "~"),
            ("x.md", Some("~"), "~/x.md"),
            ("C:\\Users\\a\\x.md", None, "C:/Users/a/x.md"),
            ("m\\x.md", Some("C:\\p"), "C:/p/m/x.md"),
            ("x.md", None, "x.md"),
            ("../../x.md", None, "../../x.md"),
            ("/../..", None, "/"),
            ("", Some(""), ""),
        ] {
            assert_eq!(resolve(named, directory), expected, "{named} in {directory:?}");
        }
    }

    #[test]
    fn below_is_by_whole_parts() {
        assert!(is_below("/a/b/c", "/a/b") && is_below("/a/b", "/a/b/") && is_below("/a", "/"));
        assert!(!is_below("/a/bc", "/a/b"));
    }
}
