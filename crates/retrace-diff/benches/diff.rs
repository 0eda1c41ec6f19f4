//! Times of the everyday cases: `cargo bench -p retrace-diff`.

use divan::{Bencher, black_box};
use retrace_diff::{DiffOptions, Granularity, diff, highlight, syntax_for};

fn main() {
    divan::main();
}

/// Notes of about `bytes` bytes: headings, lists, prose, code.
fn notes(bytes: usize) -> String {
    let mut text = String::from("---\nname: notes\ntags: [a, b]\n---\n");
    let mut section = 0;
    while text.len() < bytes {
        section += 1;
        text.push_str(&format!(
            "\n## Section {section}\n\nRun `make step-{section}` before *anything* else; see [the guide](docs/{section}.md).\n\n- first rule of {section}\n- **second** rule of {section}\n\n```sh\nmake step-{section} # builds\n```\n"
        ));
    }
    text
}

/// `text` with every `every`th line changed.
fn edited(text: &str, every: usize) -> String {
    let line = |(index, line): (usize, &str)| {
        if index % every == every - 1 { format!("{line} and more\n") } else { format!("{line}\n") }
    };
    text.lines().enumerate().map(line).collect()
}

fn words() -> DiffOptions {
    DiffOptions { granularity: Granularity::Words, time_limit: None, ..DiffOptions::default() }
}

#[divan::bench(args = [2 * 1024, 1024 * 1024])]
fn diff_with_words(bencher: Bencher<'_, '_>, bytes: usize) {
    let old = notes(bytes);
    let new = edited(&old, 40);
    bencher.bench(|| diff(black_box(old.as_bytes()), black_box(new.as_bytes()), &words()));
}

#[divan::bench(args = [20 * 1024])]
fn highlight_markdown(bencher: Bencher<'_, '_>, bytes: usize) {
    let text = notes(bytes);
    let Some(syntax) = syntax_for("notes.md", "") else { return };
    bencher.bench(|| highlight(black_box(&text), syntax));
}
