//! Meaning of a path from the model, before anything is looked at.

use crate::{Dialect, MODEL_ROOT, ToolError};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// `..`
    Up,
    /// A name, never empty, `.` or `..`.
    Into(Vec<u8>),
}

/// The name under which a path may come back to the root after it went up once.
pub(crate) const ROOT_NAME: &[u8] = b"memories";

/// The steps of a path from the root.
///
/// `py` and `ts` test the prefix as plain text, so `/memoriesa` is `/memories/a`. `py` leaves `..` in place, for it means
/// what links make of it; `ts` takes it out as text and refuses what ends outside. `docs` wants a separator and refuses
/// every `..`, written out or encoded, as the page advises.
pub(crate) fn steps(path: &str, dialect: Dialect) -> Result<Vec<Step>, ToolError> {
    let Some(rest) = path.strip_prefix(MODEL_ROOT) else {
        return Err(ToolError::NotBelowRoot { path: path.to_owned() });
    };
    if path.contains('\0') {
        return Err(ToolError::Nul { path: path.to_owned() });
    }
    match dialect {
        Dialect::Py => Ok(split(rest)),
        Dialect::Ts => without_up(rest).ok_or_else(|| ToolError::Escapes { path: path.to_owned() }),
        Dialect::Docs if !rest.is_empty() && !rest.starts_with('/') => {
            Err(ToolError::NotBelowRoot { path: path.to_owned() })
        }
        Dialect::Docs if goes_up(rest) => Err(ToolError::Escapes { path: path.to_owned() }),
        Dialect::Docs => Ok(split(rest)),
    }
}

/// The steps of a path, links not considered. A leading slash is passed over.
pub(crate) fn split(path: &str) -> Vec<Step> {
    split_bytes(path.as_bytes())
}

pub(crate) fn split_bytes(path: &[u8]) -> Vec<Step> {
    path.split(|byte| *byte == b'/')
        .filter(|name| !matches!(*name, b"" | b"."))
        .map(|name| if name == b".." { Step::Up } else { Step::Into(name.to_vec()) })
        .collect()
}

/// Takes `..` out as text; `None` for what ends outside.
fn without_up(rest: &str) -> Option<Vec<Step>> {
    let mut names = vec![ROOT_NAME.to_vec()];
    for step in split(rest) {
        match step {
            Step::Up => drop(names.pop()?),
            Step::Into(name) => names.push(name),
        }
    }
    (names.first().map(Vec::as_slice) == Some(ROOT_NAME))
        .then(|| names.into_iter().skip(1).map(Step::Into).collect())
}

/// True if any part is `..`, also when it is percent-encoded (once or more often) or set off by a backslash.
fn goes_up(rest: &str) -> bool {
    let mut text = rest.to_owned();
    loop {
        if text.split(['/', '\\']).any(|part| part == "..") {
            return true;
        }
        let decoded = decode(&text);
        if decoded == text {
            return false;
        }
        text = decoded;
    }
}

/// Decodes the percent signs that matter here: `.`, `/`, `\` and `%` itself. Gets shorter whenever it changes anything.
fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        decoded.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 3).map(str::to_ascii_lowercase);
        let letter = match code.as_deref() {
            Some("2e") => '.',
            Some("2f") => '/',
            Some("5c") => '\\',
            Some("25") => '%',
            _ => {
                decoded.push('%');
                rest = &rest[at + 1..];
                continue;
            }
        };
        decoded.push(letter);
        rest = &rest[at + 3..];
    }
    decoded.push_str(rest);
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, dialect: Dialect) -> Result<String, ToolError> {
        let text = |step| match step {
            Step::Up => "..".to_owned(),
            Step::Into(name) => String::from_utf8(name).unwrap(),
        };
        Ok(steps(path, dialect)?.into_iter().map(text).collect::<Vec<_>>().join("/"))
    }

    #[test]
    fn the_sdks_take_the_prefix_as_text() {
        for dialect in [Dialect::Py, Dialect::Ts] {
            assert_eq!(names("/memoriesa.txt", dialect).unwrap(), "a.txt");
            assert_eq!(names("/memoriesX/foo", dialect).unwrap(), "X/foo");
            assert_eq!(names("/memories//a/./b/", dialect).unwrap(), "a/b");
            assert_eq!(names("/memories/%2e%2e/a\\b", dialect).unwrap(), "%2e%2e/a\\b");
            assert!(names("/Memories/a", dialect).is_err());
        }
        assert!(names("/memoriesa.txt", Dialect::Docs).is_err());
    }

    #[test]
    fn ts_takes_up_steps_out() {
        for (path, meant) in [
            ("/memories/x/../y", Some("y")),
            ("/memories/a/..", Some("")),
            ("/memories/../memories/a", Some("a")),
            ("/memories/..hidden", Some("..hidden")),
            ("/memories/..", None),
            ("/memories../a", None),
            ("/memories/../../memories/a", None),
            ("/memories/../other", None),
        ] {
            assert_eq!(names(path, Dialect::Ts).ok().as_deref(), meant, "{path}");
        }
        assert_eq!(names("/memories/a/../..", Dialect::Py).unwrap(), "a/../..");
    }

    #[test]
    fn docs_refuses_every_way_up() {
        for path in [
            "/memories/../a",
            "/memories/a/../b",
            "/memories/..",
            "/memories/%2e%2e/a",
            "/memories/%2E%2e%2Fa",
            "/memories/%252e%252e/a",
            "/memories/..\\a",
            "/memories/..%5ca",
            "/memories/.%2e/a",
        ] {
            assert_eq!(
                steps(path, Dialect::Docs),
                Err(ToolError::Escapes { path: path.to_owned() }),
                "{path}"
            );
        }
        for path in ["/memories/..a", "/memories/a..", "/memories/...", "/memories/100%", "/memories/%2"] {
            assert!(steps(path, Dialect::Docs).is_ok(), "{path}");
        }
    }
}
