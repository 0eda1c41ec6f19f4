//! Writes the TypeScript bindings into the front end.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/bindings/index.ts");
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(target, retrace_api::bindings::typescript())
}
