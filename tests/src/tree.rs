//! Directories as values: what is in them, and putting that back.

use std::collections::BTreeMap;
use std::path::Path;

/// The files below a directory, hidden ones included, by path relative to it with `/` between names.
pub type Tree = BTreeMap<String, Vec<u8>>;

/// Reads a directory.
#[must_use]
pub fn read(directory: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![directory.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a directory").flatten() {
            let path = entry.path();
            if entry.file_type().expect("a sort of file").is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(directory).expect("it is below").to_string_lossy().into_owned();
                tree.insert(name, std::fs::read(&path).expect("a readable file"));
            }
        }
    }
    tree
}

/// Makes a directory hold exactly `tree`.
pub fn write(directory: &Path, tree: &Tree) {
    std::fs::create_dir_all(directory).expect("a directory");
    // The directory itself stays: another one in its place would be noticed.
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        if entry.file_type().expect("a sort of file").is_dir() {
            std::fs::remove_dir_all(path).expect("it goes");
        } else {
            std::fs::remove_file(path).expect("it goes");
        }
    }
    for (path, content) in tree {
        let target = directory.join(path);
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
        std::fs::write(target, content).expect("a file");
    }
}
