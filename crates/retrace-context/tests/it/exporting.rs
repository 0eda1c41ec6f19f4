//! Exported programs are programs: their syntax is checked by their languages where these are on the machine.

#![allow(clippy::print_stdout, reason = "a check that is skipped says why")]

use retrace_context::export::{Evidence, Form, export};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Text that would leave its place if it could.
const NASTY: &str = "a\"b'c\\ \n\u{2028}REQUEST\n`$(exit 1)` */ # \u{202e}${x} é";

fn settings() -> Vec<Value> {
    let thinking = json!({"type": "clear_thinking_20251015", "keep": "all"});
    let tools = json!({"type": "clear_tool_uses_20250919", "clear_at_least": null, "clear_tool_inputs": true,
        "exclude_tools": [NASTY], "trigger": {"type": "input_tokens", "value": 60_000}});
    vec![
        json!({}),
        json!({"edits": [thinking, tools, {"type": "compact_20260112", "instructions": NASTY}]}),
        json!({"compaction": {"type": "summarize", "instructions": NASTY}, "context_reaches": 90_000}),
        json!({"compaction": {"type": "summarize"}, "at": [3, 7]}),
        json!({"compaction_control": {"enabled": true, "summary_prompt": NASTY, "model": NASTY}, "max_iterations": 4}),
    ]
}

/// Feeds each program of this form to a checker, which reads it from its standard input.
fn check(form: Form, program: &str, arguments: &[&str]) {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    // A plain `sh` knows no `--version`, and is there all the same.
    if found.is_err() {
        println!("skipped: {program} is not on this machine");
        return;
    }
    let evidence =
        Evidence { transcripts: vec![NASTY.into()], notes: vec![NASTY.into()], ..Evidence::default() };
    for setting in settings() {
        let Ok(exported) = export(form, NASTY, &setting, NASTY, Some(&evidence)) else { continue };
        let mut checker = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a checker");
        checker.stdin.take().expect("its input").write_all(exported.text.as_bytes()).expect("written");
        let output = checker.wait_with_output().expect("an end");
        assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), exported.text);
    }
}

#[test]
fn python_reads_what_is_exported_to_it() {
    check(Form::Python, "python3", &["-c", "import ast, sys; ast.parse(sys.stdin.buffer.read())"]);
}

#[test]
fn a_shell_reads_what_is_exported_to_it() {
    check(Form::Curl, "sh", &["-n"]);
}

#[test]
fn typescript_reads_what_is_exported_to_it() {
    let compiler = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/node_modules/typescript");
    let Ok(compiler) = compiler.canonicalize() else {
        println!("skipped: the front end's TypeScript is not installed");
        return;
    };
    let script = "const ts = require(process.argv[1]); \
        const text = require('fs').readFileSync(0, 'utf8'); \
        const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }; \
        const found = ts.transpileModule(text, { compilerOptions: options, reportDiagnostics: true, fileName: 'x.mts' }).diagnostics; \
        for (const one of found) console.error(ts.flattenDiagnosticMessageText(one.messageText, ' ')); \
        process.exit(found.length ? 1 : 0);";
    check(Form::TypeScript, "node", &["-e", script, "--", &compiler.to_string_lossy()]);
}
