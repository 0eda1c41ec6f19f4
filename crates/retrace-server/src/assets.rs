//! The files of the window.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Where a development build finds the window's files.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/dist");

/// Page in place of the window when it was not built.
const WITHOUT_WINDOW: &str = "Retrace is running, but its window was not built into this program.

Build it with:

    npm --prefix ui ci
    npm --prefix ui run build

then build the program again. The commands are below /api/v1/ all the same.
";

/// The files of the window, by their path without a leading slash.
#[derive(Clone, Debug, Default)]
pub struct Assets {
    files: BTreeMap<String, Cow<'static, [u8]>>,
}

/// One file as it is sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asset {
    pub(crate) content: Cow<'static, [u8]>,
    pub(crate) content_type: &'static str,
    /// True if its name changes with its content, so that it may be kept for good.
    pub(crate) immutable: bool,
}

impl Assets {
    /// The files of this program: those built into it, or in a development build those of `ui/dist` as they are now. Empty
    /// when the window was not built.
    #[must_use]
    pub fn of_this_program() -> Self {
        match EMBEDDED {
            Some(files) => Self {
                files: files
                    .iter()
                    .map(|(name, content)| ((*name).to_owned(), Cow::Borrowed(*content)))
                    .collect(),
            },
            None => {
                let mut assets = Self::default();
                assets.add_folder(Path::new(FOLDER), "");
                assets
            }
        }
    }

    /// The same files with a page that says who serves it, so that the window shows what is offered there.
    #[must_use]
    pub(crate) fn served_by(mut self, whom: &str) -> Self {
        if let Some(page) = self.files.get_mut("index.html") {
            let said = format!("<head><meta name=\"retrace-served-by\" content=\"{whom}\" />");
            let text = String::from_utf8_lossy(page).replacen("<head>", &said, 1);
            *page = Cow::Owned(text.into_bytes());
        }
        self
    }

    /// These files, by their path without a leading slash.
    pub fn from_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        Self { files: files.into_iter().map(|(name, content)| (name, Cow::Owned(content))).collect() }
    }

    /// True if there is no window to serve.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Files that cannot be read are left out: a folder that is being written must not keep the server from starting.
    fn add_folder(&mut self, folder: &Path, prefix: &str) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            if kind.is_dir() {
                self.add_folder(&entry.path(), &format!("{prefix}{name}/"));
            } else if kind.is_file()
                && let Ok(content) = std::fs::read(entry.path())
            {
                self.files.insert(format!("{prefix}{name}"), Cow::Owned(content));
            }
        }
    }

    /// The file a request path names. The path is compared as it stands: nothing is decoded, joined or normalised.
    pub(crate) fn find(&self, path: &str) -> Option<Asset> {
        let name = match path.strip_prefix('/')? {
            "" => "index.html",
            name => name,
        };
        if let Some(content) = self.files.get(name) {
            return Some(Asset {
                content: content.clone(),
                content_type: content_type(name),
                immutable: name.starts_with("assets/"),
            });
        }
        (self.is_empty() && name == "index.html").then_some(Asset {
            content: Cow::Borrowed(WITHOUT_WINDOW.as_bytes()),
            content_type: "text/plain; charset=utf-8",
            immutable: false,
        })
    }
}

/// The media type by file extension: what a build of the window holds, and nothing a browser would guess about.
fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("woff") => "font/woff",
        Some("txt") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assets() -> Assets {
        let files = ["index.html", "assets/index-B7x2.js", "assets/Inter-1.woff2", "favicon.svg"];
        Assets::from_files(files.map(|name| (name.to_owned(), name.as_bytes().to_vec())))
    }

    #[test]
    fn files_have_their_type_and_hashed_ones_are_kept() {
        for (path, name, content_type, immutable) in [
            ("/", "index.html", "text/html; charset=utf-8", false),
            ("/index.html", "index.html", "text/html; charset=utf-8", false),
            ("/assets/index-B7x2.js", "assets/index-B7x2.js", "text/javascript; charset=utf-8", true),
            ("/assets/Inter-1.woff2", "assets/Inter-1.woff2", "font/woff2", true),
            ("/favicon.svg", "favicon.svg", "image/svg+xml", false),
        ] {
            let content = Cow::Owned(name.as_bytes().to_vec());
            assert_eq!(assets().find(path), Some(Asset { content, content_type, immutable }), "{path}");
        }
    }

    #[test]
    fn only_exact_names_are_found() {
        for path in [
            "",
            "index.html",
            "//index.html",
            "/assets",
            "/assets/",
            "/assets/../index.html",
            "/./index.html",
            "/%69ndex.html",
            "/../../Cargo.toml",
            "/..%2f..%2fCargo.toml",
            "/INDEX.HTML",
        ] {
            assert_eq!(assets().find(path), None, "{path}");
        }
    }

    #[test]
    fn a_program_without_the_window_says_how_to_build_it() {
        let page = Assets::default().find("/").expect("a page");
        assert_eq!(page.content_type, "text/plain; charset=utf-8");
        assert!(String::from_utf8_lossy(&page.content).contains("npm --prefix ui run build"));
        assert_eq!(Assets::default().find("/favicon.svg"), None);
    }

    #[test]
    fn the_built_window_is_found() {
        let assets = Assets::of_this_program();
        if assets.is_empty() {
            eprintln!("skipped: ui/dist is not there; `npm --prefix ui run build` makes it");
            return;
        }
        assert_eq!(assets.find("/").expect("the page").content_type, "text/html; charset=utf-8");
    }
}
