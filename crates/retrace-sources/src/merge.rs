//! Makes one list of what the sources found: no directory twice, none inside another, names that tell them apart, a fixed
//! order.

use crate::Found;
use crate::scan::Scan;
use retrace_message::Message;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Merges, counts, names and orders.
pub(crate) fn merge(found: Vec<Found>, scan: &mut Scan) -> Vec<Found> {
    let mut found = without_nested(without_repeats(found));
    for found in found.iter_mut().filter(|found| found.exists) {
        (found.files, found.files_complete) = scan.count_memories(&found.root);
    }
    // A fixed order first, so that the suffixes of equal names do not depend on the order of the sources.
    found.sort_by(order);
    tell_apart(&mut found);
    found.sort_by(order);
    found
}

fn order(one: &Found, other: &Found) -> Ordering {
    let key = |found: &Found| (!(found.enabled && found.exists), found.kind);
    key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name)).then_with(|| one.root.cmp(&other.root))
}

/// The directory links lead to, so that two spellings of one directory are one; the spelling itself when it is not there.
fn identity(path: &Path) -> PathBuf {
    if !path.is_absolute() {
        return path.to_owned();
    }
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The first source that found a directory says what it is; the others add what they know.
fn without_repeats(found: Vec<Found>) -> Vec<(PathBuf, Found)> {
    let mut kept: Vec<(PathBuf, Found)> = Vec::new();
    let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for next in found {
        let key = identity(&next.root);
        match places.get(&key) {
            Some(at) => add(&mut kept[*at].1, next),
            None => {
                places.insert(key.clone(), kept.len());
                kept.push((key, next));
            }
        }
    }
    kept
}

fn add(first: &mut Found, next: Found) {
    for evidence in next.evidence {
        if !first.evidence.contains(&evidence) {
            first.evidence.push(evidence);
        }
    }
    if next.enabled && !first.enabled {
        first.enabled = true;
        first.reason = next.reason;
    }
    first.project = first.project.take().or(next.project);
}

/// Leaves out what lies inside a directory that is enabled and there: its files are recorded with that one.
fn without_nested(found: Vec<(PathBuf, Found)>) -> Vec<Found> {
    let holders: BTreeMap<PathBuf, usize> = found
        .iter()
        .enumerate()
        .filter(|(_, (_, found))| found.enabled && found.exists)
        .map(|(at, (key, _))| (key.clone(), at))
        .collect();
    // The outermost holder keeps what is inside, however deep.
    let outermost =
        |key: &Path| key.ancestors().skip(1).filter_map(|above| holders.get(above)).last().copied();
    let mut held: BTreeMap<usize, Vec<Message>> = BTreeMap::new();
    for (key, found) in &found {
        if let Some(holder) = outermost(key) {
            let because = found.evidence.first().cloned().unwrap_or_default();
            held.entry(holder).or_default().push(say::lies_inside(found.root.display(), because));
        }
    }
    found
        .into_iter()
        .enumerate()
        .filter(|(_, (key, _))| outermost(key).is_none())
        .map(|(at, (_, mut found))| {
            found.evidence.extend(held.remove(&at).unwrap_or_default());
            found
        })
        .collect()
}

/// Makes names unique: the folder above the project first, then the directory itself.
fn tell_apart(found: &mut [Found]) {
    let above = |found: &Found| {
        let place = found.project.as_deref().unwrap_or(&found.root);
        place.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned())
    };
    add_to_equal_names(found, above);
    add_to_equal_names(found, |found| Some(found.root.display().to_string()));
}

fn add_to_equal_names(found: &mut [Found], suffix: impl Fn(&Found) -> Option<String>) {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for found in found.iter() {
        *names.entry(found.name.clone()).or_default() += 1;
    }
    for found in found.iter_mut().filter(|found| names.get(&found.name).is_some_and(|count| *count > 1)) {
        if let Some(suffix) = suffix(found) {
            found.name = format!("{} ({suffix})", found.name);
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "merge";
    lies_inside(root, because) => "{root} lies inside it: {because}",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Home;
    use retrace_model::StoreKind;

    fn entry(root: PathBuf, name: &str, enabled: bool) -> Found {
        let mut found = Found::new(
            root,
            StoreKind::Plain,
            name.to_owned(),
            vec![retrace_message::Message::verbatim(format!("{name} says so"))],
        );
        found.enabled = enabled;
        found
    }

    #[test]
    fn what_lies_inside_goes_with_the_outermost_that_is_on() {
        let home = Home::new();
        let (a, b, c) = (home.make_directory("a"), home.make_directory("a/b"), home.make_directory("a/b/c"));
        let all = |outer_on: bool| {
            vec![entry(c.clone(), "c", true), entry(a.clone(), "a", outer_on), entry(b.clone(), "b", true)]
        };

        let merged = merge(all(true), &mut Scan::default());
        assert_eq!(merged.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["a"]);
        assert!(merged[0].tells("b says so") && merged[0].tells("c says so"));

        let merged = merge(all(false), &mut Scan::default());
        assert_eq!(merged.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn one_directory_is_listed_once_with_all_that_is_known() {
        let home = Home::new();
        let a = home.make_directory("a");
        let merged = merge(vec![entry(a.clone(), "one", false), entry(a, "two", true)], &mut Scan::default());
        assert_eq!(merged.len(), 1);
        assert_eq!((merged[0].name.as_str(), merged[0].enabled), ("one", true));
        assert!(merged[0].tells("two says so"));
    }

    #[test]
    fn names_are_unique_and_the_order_is_fixed() {
        let home = Home::new();
        let roots =
            ["work/app", "own/app", "own/deep/app", "other/deep/app"].map(|path| home.make_directory(path));
        let found: Vec<Found> = roots.iter().map(|root| entry(root.clone(), "app", true)).collect();
        let mut reversed = found.clone();
        reversed.reverse();
        let merged = merge(found, &mut Scan::default());
        let names: Vec<&str> = merged.iter().map(|found| found.name.as_str()).collect();
        let deep = |root: &Path| format!("app (deep) ({})", root.display());
        assert_eq!(names, [&deep(&roots[3]), &deep(&roots[2]), "app (own)", "app (work)"]);
        assert_eq!(merge(reversed, &mut Scan::default()), merged);
    }
}
