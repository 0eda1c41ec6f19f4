//! Writes what is made from the table of commands: the TypeScript bindings of the front end and docs/API.md.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::write(root.join("docs/API.md"), retrace_api::reference::markdown())?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/bindings");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("index.ts"), retrace_api::bindings::typescript())?;
    std::fs::write(folder.join("hidden.ts"), retrace_api::bindings::hidden())?;
    std::fs::write(folder.join("words.ts"), retrace_api::bindings::words())?;
    std::fs::write(folder.join("messages.ts"), retrace_api::bindings::messages())?;
    std::fs::write(folder.join("sentences.ts"), retrace_api::bindings::sentences())
}
