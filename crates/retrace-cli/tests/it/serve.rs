//! `retrace serve` and who may reach it, as the program itself says it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

fn serve(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrace"));
    command.args(["--json", "serve"]).args(arguments);
    command.env("RETRACE_DATA_DIR", folder.join("data")).env("HOME", folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn beyond_this_machine_wants_a_certificate_or_plain_words() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, printed) in [
        (&["--listen", "0.0.0.0:0"][..], "--tls-cert"),
        (&["--tls-cert", "cert.pem"], "required arguments"),
        (&["--insecure-plain-http", "--tls-cert", "a", "--tls-key", "b"], "cannot be used with"),
        (&["--listen", "0.0.0.0:0", "--tls-cert", "none.pem", "--tls-key", "none.pem"], "none.pem"),
        (&["--host", "me@memory.example"], "me@memory.example"),
    ] {
        let output = serve(folder.path(), arguments).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(printed), "{arguments:?}: {error}");
    }
}

#[test]
fn plain_http_beyond_this_machine_is_warned_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--listen", "0.0.0.0:0", "--insecure-plain-http", "--host", "memory.example"];
    let mut child = serve(folder.path(), &arguments).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("where it is");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let mut error = String::new();
    child.stderr.take().expect("its errors").read_to_string(&mut error).expect("text");
    assert!(line.contains("http://memory.example:"), "{line}{error}");
    assert!(error.contains("Nothing is encrypted"), "{error}");
}
