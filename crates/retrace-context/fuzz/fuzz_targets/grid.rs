//! Any JSON is a grid with a name for each setting, or an error.
#![no_main]
use retrace_context::sweep::Grid;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice(bytes) else { return };
    if let Ok(grid) = Grid::from_json(&value) {
        assert_eq!(grid.settings.len(), grid.names.len());
    }
});
