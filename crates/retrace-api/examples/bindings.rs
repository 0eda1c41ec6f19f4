//! Writes the TypeScript bindings into the front end.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/bindings");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("index.ts"), retrace_api::bindings::typescript())?;
    std::fs::write(folder.join("words.ts"), retrace_api::bindings::words())?;
    std::fs::write(folder.join("sentences.ts"), retrace_api::bindings::sentences())
}
