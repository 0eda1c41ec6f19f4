//! Compares what texts claim about a repository with it, and prints each claim that is not true: what the precision of the
//! rules `truth/…` in docs/FINDINGS.md was measured with.
//!
//! ```text
//! cargo run -p retrace-api --example truth < LIST
//! ```
//!
//! One line of LIST is the directory with the texts, a tab, and the root of the repository.

#![allow(clippy::print_stdout, reason = "a measurement says what it found")]

use retrace_api::wire::CheckReq;
use retrace_api::{AppOptions, commands};
use std::io::BufRead as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = AppOptions::for_this_machine(None)?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let Some((texts, repository)) = line.split_once('\t') else { continue };
        let request = CheckReq {
            target: texts.to_owned(),
            repository: Some(repository.to_owned()),
            rules: vec!["truth".to_owned()],
            ..CheckReq::default()
        };
        match commands::check_directory(&options, &request) {
            Ok(checked) => {
                for found in checked.findings {
                    println!(
                        "{repository}\t{}:{}\t{}\t{}",
                        found.path, found.line, found.rule, found.message
                    );
                }
            }
            Err(error) => println!("{repository}\t-\t-\t{}", error.message),
        }
    }
    Ok(())
}
