//! Puts the window's files, `ui/dist` or in a packaged crate `ui`, into the program: a table of names and contents that `assets.rs` includes.
//!
//! Only in optimised builds. A development build reads the folder when it starts, so that building the window again does
//! not mean compiling Rust again, and a checkout without it compiles. A missing folder is an empty table, and told.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let crate_folder =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let packaged = crate_folder.join("ui");
    // In a checkout it is a link, which not every system makes.
    let dist = if packaged.is_dir() { packaged } else { crate_folder.join("../../ui/dist") };
    let embeds = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let mut files = Vec::new();
    if embeds {
        println!("cargo:rerun-if-changed={}", dist.display());
        if dist.is_dir() {
            collect(&dist.canonicalize()?, "", &mut files)?;
        }
        if files.is_empty() {
            println!(
                "cargo::warning=This program has no window: {} is missing. \
                 `npm --prefix ui ci && npm --prefix ui run build` makes it; then build again.",
                dist.display()
            );
        }
    }
    fs::write(out.join("assets.rs"), table(embeds, &files))
}

/// Every file below `folder`, by its path from the top with `/` between components.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), files)?;
        } else if kind.is_file() {
            files.push((format!("{prefix}{name}"), entry.path()));
        }
    }
    Ok(())
}

fn table(embeds: bool, files: &[(String, PathBuf)]) -> String {
    let mut text = String::from("/// The files by name; `None` in a build that reads the folder.\n");
    if !embeds {
        text.push_str("const EMBEDDED: Option<&[(&str, &[u8])]> = None;\n");
        return text;
    }
    text.push_str("const EMBEDDED: Option<&[(&str, &[u8])]> = Some(&[\n");
    for (name, path) in files {
        let _ = writeln!(text, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    text.push_str("]);\n");
    text
}
