//! Answers calls of the memory tool by the library alone, nothing recorded, and prints how long each took, in nanoseconds. One
//! call a line on standard input. `tests/oracles/memory_tool_speed.py` runs it beside the program and the Python class.
//!
//! ```text
//! cargo run --release -p retrace-memory-tool --example calls -- DIRECTORY
//! ```

#![allow(clippy::print_stdout, reason = "figures are printed")]

use retrace_memory_tool::{Dialect, MemoryTool, Options};
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

fn main() {
    let root = std::env::args().nth(1).expect("a directory");
    let number = AtomicU64::new(1);
    let random = move || number.fetch_add(1, Ordering::Relaxed);
    let options = Options { make_root: true, ..Options::new(Dialect::Py, Arc::new(random)) };
    let tool = MemoryTool::open(Path::new(&root), options).expect("a directory that can be served");
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let begun = Instant::now();
        let input = serde_json::from_str(&line).expect("JSON");
        let answer = tool.call(&input, &mut ());
        let took = begun.elapsed().as_nanos();
        writeln!(output, "{took} {}", u8::from(answer.is_error)).expect("somebody reads");
        output.flush().expect("somebody reads");
    }
}
