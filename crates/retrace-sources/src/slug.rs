//! The folder name Claude Code gives a project.

use unicode_normalization::UnicodeNormalization as _;

/// Longest folder name that stands for a path alone; a longer one is cut to this and a hash of the full path follows.
/// Source: Claude Code documentation, sessions page.
pub const MAX_SLUG_CHARS: usize = 200;

/// The folder name for a project path: every character that is not an ASCII letter or digit becomes `-`, and the result is
/// cut to [`MAX_SLUG_CHARS`]. Source: Claude Code documentation, sessions page.
///
/// Characters are UTF-16 units, as in the agent's own language, so one outside the basic plane becomes `--`. The name is
/// lossy: `my.app`, `my_app` and `my-app` share one. The hash that follows a cut name is not public, so a long path is
/// recognised by [`slug_matches`] only.
#[must_use]
pub fn slug(path: &str) -> String {
    units(path).take(MAX_SLUG_CHARS).collect()
}

/// True if a project folder of this name can stand for `path`, as written or in Unicode normal form C.
#[must_use]
pub fn slug_matches(folder: &str, path: &str) -> bool {
    let composed: String = path.nfc().collect();
    matches_exactly(folder, path) || (composed != path && matches_exactly(folder, &composed))
}

fn matches_exactly(folder: &str, path: &str) -> bool {
    if units(path).nth(MAX_SLUG_CHARS).is_none() {
        return folder == slug(path);
    }
    folder.len() > MAX_SLUG_CHARS && folder.starts_with(&slug(path))
}

fn units(path: &str) -> impl Iterator<Item = char> {
    path.encode_utf16().map(|unit| {
        u8::try_from(unit).ok().map(char::from).filter(char::is_ascii_alphanumeric).unwrap_or('-')
    })
}

/// The longest leading part of `path` that ends at a separator or at the end and whose folder name is `folder`. A session
/// started in a project may move to a directory below it, so a recorded working directory can be longer than the project.
pub(crate) fn ancestor_named<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let path = path.trim_end_matches(['/', '\\']);
    let ends = path.match_indices(['/', '\\']).map(|(at, _)| at).chain([path.len()]);
    let mut ends: Vec<usize> = ends.collect();
    ends.reverse();
    ends.into_iter().map(|end| &path[..end]).find(|part| !part.is_empty() && slug_matches(folder, part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_path_matches_its_own_name(path in "/[a-zA-Z0-9._/ é日]{0,150}") {
            prop_assert!(slug_matches(&slug(&path), &path));
        }
    }

    #[test]
    fn names_by_example() {
        for (path, name) in [
            ("/home/me/my.app", "-home-me-my-app"),
            ("/home/me/my_app", "-home-me-my-app"),
            ("C:\\Users\\me\\app", "C--Users-me-app"),
            ("/home/me/日本", "-home-me---"),
            ("/home/me/🦀", "-home-me---"),
        ] {
            assert_eq!(slug(path), name, "{path}");
        }
    }

    #[test]
    fn a_long_name_is_recognised_by_its_beginning() {
        let path = format!("/home/me/{}", "a".repeat(300));
        assert_eq!(slug(&path).len(), 200);
        assert!(slug_matches(&format!("{}-1x2y3z", slug(&path)), &path));
        assert!(!slug_matches(&slug(&path), &path), "without the hash it is another path of 200 characters");
        assert!(!slug_matches("-home-me", &path));
    }

    #[test]
    fn a_decomposed_path_matches_the_name_of_the_composed_one() {
        assert!(slug_matches("-home-me-caf-", "/home/me/cafe\u{301}"));
    }

    #[test]
    fn the_project_is_found_above_a_working_directory() {
        let folder = "-home-me-my-app";
        assert_eq!(ancestor_named("/home/me/my.app/src/deep", folder), Some("/home/me/my.app"));
        assert_eq!(ancestor_named("/home/me/my.app/", folder), Some("/home/me/my.app"));
        assert_eq!(ancestor_named("/home/me/other", folder), None);
        assert_eq!(ancestor_named("C:\\w\\a\\b", "C--w-a"), Some("C:\\w\\a"));
        assert_eq!(ancestor_named("", folder), None);
    }
}
