//! Lets Tauri read the configuration, and names the commands of this shell so that a capability has to allow each.

fn main() {
    let commands =
        tauri_build::AppManifest::new().commands(&["call", "pick_directory", "desktop", "set_desktop"]);
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new().app_manifest(commands)) {
        // Cargo shows this line and stops.
        println!("cargo::error={error:#}");
    }
}
