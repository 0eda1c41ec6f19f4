//! Prints what is found in a home directory: `cargo run -p retrace-sources --example discover -- HOME [PROJECT…]`.
//! The process environment is left out, so that a copied home is seen as it is.

use retrace_sources::{Platform, Surroundings, discover};
use std::io::Write as _;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let mut output = std::io::stdout().lock();
    let Some(home) = arguments.next() else {
        return writeln!(output, "usage: discover HOME [PROJECT…]");
    };
    let mut surroundings = Surroundings::new(std::path::absolute(home)?, Platform::current());
    surroundings.projects = arguments.map(std::path::absolute).collect::<Result<_, _>>()?;
    let discovery = discover(&surroundings);
    for found in &discovery.found {
        let state = match (found.exists, found.enabled) {
            (false, _) => "missing",
            (true, true) => "on",
            (true, false) => "off",
        };
        writeln!(
            output,
            "{} [{}] {state}, {} files: {}",
            found.name,
            found.kind,
            found.files,
            found.root.display()
        )?;
        writeln!(output, "  {}", found.reason)?;
        for evidence in &found.evidence {
            writeln!(output, "  - {evidence}")?;
        }
    }
    for problem in &discovery.problems {
        writeln!(output, "! {problem}")?;
    }
    Ok(())
}
