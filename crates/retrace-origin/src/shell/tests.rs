//! Readings of commands.

use super::*;
use crate::path::resolve;
use crate::write::LineEdit;
use proptest::prelude::*;

fn found(command: &str) -> Vec<(String, Effect)> {
    reported(command).into_iter().map(|(path, effect, _)| (path, effect)).collect()
}

/// The same, and whether it may not have run.
fn reported(command: &str) -> Vec<(String, Effect, bool)> {
    let found = effects(command, Some("/p")).into_iter();
    found.map(|it| (resolve(&it.path, it.directory.as_deref()), it.effect, it.conditional)).collect()
}

/// True if the only write of a command may not have run.
fn is_doubtful(command: &str) -> bool {
    let reported = reported(command);
    assert_eq!(reported.len(), 1, "{command}: {reported:?}");
    reported[0].2
}

fn whole(path: &str, text: &str) -> (String, Effect) {
    (path.to_owned(), Effect::Whole(text.as_bytes().to_vec()))
}

#[test]
fn texts_given_in_place_are_contents() {
    assert_eq!(found("cat > a.md <<'EOF'\n# A $x\n  b\nEOF\n"), [whole("/p/a.md", "# A $x\n  b\n")]);
    assert_eq!(found("cat <<EOF > a.md && ls\nplain \\$5\nEOF"), [whole("/p/a.md", "plain $5\n")]);
    assert_eq!(found("cat > a.md <<EOF\n$(date)\nEOF"), [("/p/a.md".into(), Effect::Unparsed)]);
    assert_eq!(found("cd m && cat <<-'X' | tee b.md >/dev/null\n\tin\n\tX\n"), [whole("/p/m/b.md", "in\n")]);
    assert_eq!(found("echo one > /dev/stderr; echo two > /dev/shm/a.md"), [whole("/dev/shm/a.md", "two\n")]);
    assert_eq!(
        found("cat >> ~/m/a.md << 'E'\nmore\nE\n"),
        [("~/m/a.md".to_owned(), Effect::Append(b"more\n".to_vec()))]
    );
}

#[test]
fn echo_and_printf_are_read() {
    assert_eq!(
        found("echo \"- [A](a.md) it's\" >> M.md"),
        [("/p/M.md".to_owned(), Effect::Append(b"- [A](a.md) it's\n".to_vec()))]
    );
    assert_eq!(
        found("echo -n one two > M.md; : > N.md"),
        [whole("/p/M.md", "one two"), whole("/p/N.md", "")]
    );
    assert_eq!(found("printf '%s\\n' a 'b c' > M.md"), [whole("/p/M.md", "a\nb c\n")]);
    assert_eq!(found("printf '100%% of it\\n' > M.md"), [whole("/p/M.md", "100% of it\n")]);
    for unknown in
        ["echo 'a\\nb' > M.md", "echo $X > M.md", "printf '%d' 5 > M.md", "date > M.md", "ls 2> M.md"]
    {
        assert_eq!(found(unknown), [("/p/M.md".to_owned(), Effect::Unparsed)], "{unknown}");
    }
}

#[test]
fn moves_and_deletions_are_read() {
    assert_eq!(
        found("rm -f a.md \"b c.md\""),
        [("/p/a.md".into(), Effect::Delete), ("/p/b c.md".into(), Effect::Delete)]
    );
    assert_eq!(found("mv a.md old/"), [("/p/a.md".into(), Effect::Rename { to: "/p/old/a.md".into() })]);
    assert_eq!(found("git mv a.md b.md"), [("/p/a.md".into(), Effect::Rename { to: "/p/b.md".into() })]);
    assert_eq!(
        found("cp a.md archive"),
        [("/p/archive/a.md".into(), Effect::Copy { from: "/p/a.md".into() })]
    );
    assert_eq!(
        found("(cd x && rm a.md) && rm b.md"),
        [("/p/x/a.md".into(), Effect::Delete), ("/p/b.md".into(), Effect::Delete)]
    );
    assert_eq!(
        found("bash -c 'cd y; rm a.md'; rm c.md"),
        [("/p/y/a.md".into(), Effect::Delete), ("/p/c.md".into(), Effect::Delete)]
    );
    assert_eq!(
        found("pushd x && rm a.md && popd && rm b.md"),
        [("/p/x/a.md".into(), Effect::Delete), ("/p/b.md".into(), Effect::Delete)]
    );
}

#[test]
fn what_may_write_is_named_and_what_reads_is_not() {
    assert_eq!(found("sed -i 's/a.*/b/' m/a.md"), [("/p/m/a.md".into(), Effect::Unparsed)]);
    assert_eq!(found("python3 - <<'E'\nopen('/p/m/a.md','w')\nE"), [("/p/m/a.md".into(), Effect::Unparsed)]);
    for reading in [
        "cat m/a.md",
        "grep -n x m/a.md | head",
        "ls m/a.md; wc -l a.md",
        "git log -- a.md",
        "find . -name a.md",
    ] {
        assert_eq!(found(reading), [], "{reading}");
    }
}

#[test]
fn a_patch_may_come_through_the_shell() {
    let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.md\n+x\n*** End Patch\nEOF";
    assert_eq!(found(patch), [whole("/p/a.md", "x\n")]);
}

#[test]
fn each_command_of_a_sequence_is_decided_by_itself() {
    assert_eq!(
        found("npm test; echo x > a.md; date > b.md\nrm c.md"),
        [whole("/p/a.md", "x\n"), ("/p/b.md".into(), Effect::Unparsed), ("/p/c.md".into(), Effect::Delete)]
    );
    for sure in [
        "echo x > a.md",
        "npm test && echo x > a.md",
        "npm test; make && echo x > a.md",
        "cd m && mkdir -p n && echo x > a.md; ls",
        "npm test || true; echo x > a.md",
        "test -f b.md || exit 1\necho x > a.md",
        "X=a.md && echo x > $X && ls",
        "ls | grep x && echo x > a.md",
        "if true; then ls; fi; echo x > a.md",
    ] {
        assert!(!is_doubtful(sure), "{sure}");
    }
    for doubtful in [
        "npm test && echo x > a.md; ls",
        "npm test || echo x > a.md",
        "mkdir m && echo x > a.md\nls",
        "if npm test; then echo x > a.md; fi",
        "if false; then ls; else echo x > a.md; fi; ls",
        "if ls; then ls; elif npm test; then ls; else echo x > a.md; fi",
        "while read -r line; do echo x > a.md; done",
        "for f in *.md; do echo x > a.md; done",
        "for f in 1 2; do test $f = 1 && continue; echo x > a.md; done",
        "case $X in a) echo x > a.md;; esac",
        "test -f b.md && exit 0\necho x > a.md",
        "(npm test && echo x > a.md); ls",
        "bash -c 'npm test && echo x > a.md'",
    ] {
        assert!(is_doubtful(doubtful), "{doubtful}");
    }
}

#[test]
fn variables_with_plain_values_are_put_in() {
    for (command, path) in [
        ("X=m/a.md; echo x > \"$X\"", "/p/m/a.md"),
        ("DIR=/n; F=${DIR}/a.md; echo x > $F", "/n/a.md"),
        ("DIR=\"$HOME/m\"\necho x > \"$DIR/a.md\"", "~/m/a.md"),
        ("export D=m; cd \"$D\" && echo x > a.md", "/p/m/a.md"),
        ("X='a b.md'; echo x > \"$X\"", "/p/a b.md"),
        ("X=a.md; (X=b.md; ls); echo x > $X", "/p/a.md"),
    ] {
        assert_eq!(found(command), [whole(path, "x\n")], "{command}");
    }
    assert_eq!(found("T='a  b'; echo \"$T\" > a.md"), [whole("/p/a.md", "a  b\n")]);
    for unknown in [
        "X=$(date).md; echo x > $X",
        "X='a b.md'; echo x > $X",
        "X=a.md; read X; echo x > $X",
        "npm test || X=a.md; echo x > $X",
        "X=a.md; if ls; then X=b.md; fi; echo x > $X",
        "X=a.md; while ls; do X=$(next); done; echo x > $X",
        "X=1 env; echo x > $X",
        "echo x > ${X:-a.md}",
        "X=(a.md b.md); echo x > $X",
    ] {
        assert_eq!(found(unknown), [], "{unknown}");
    }
    assert_eq!(found("X=$1; echo $X > a.md"), [("/p/a.md".into(), Effect::Unparsed)]);
}

#[test]
fn loops_over_plain_words_are_followed() {
    assert_eq!(
        reported("for f in a b; do\n  echo $f > m/$f.md\ndone"),
        [
            ("/p/m/a.md".into(), Effect::Whole(b"a\n".to_vec()), false),
            ("/p/m/b.md".into(), Effect::Whole(b"b\n".to_vec()), false)
        ]
    );
    assert_eq!(
        found("for d in x y; do for f in 1 2; do rm $d/$f.md; done; done")
            .into_iter()
            .map(|(path, _)| path)
            .collect::<Vec<_>>(),
        ["/p/x/1.md", "/p/x/2.md", "/p/y/1.md", "/p/y/2.md"]
    );
    assert_eq!(
        reported("for f in *; do echo x >> a.md; done"),
        [("/p/a.md".into(), Effect::Unparsed, true)],
        "how often is not known"
    );
    assert_eq!(found("for f in a b; do echo $f; done > a.md"), [("/p/a.md".into(), Effect::Unparsed)]);
    assert_eq!(found("{ echo a; printf 'b\\n'; } > a.md"), [whole("/p/a.md", "a\nb\n")]);
    assert_eq!(found("{ echo a; date; } >> a.md"), [("/p/a.md".into(), Effect::Unparsed)]);
    assert_eq!(found("f() { rm a.md; }; ls")[0].1, Effect::Unparsed, "what a function does is not followed");
}

#[test]
fn substitutions_of_literal_texts_are_read() {
    let edits = |command: &str| match found(command).as_slice() {
        [(path, Effect::Lines(edits))] if path == "/p/a.md" => edits.clone(),
        other => panic!("{command}: {other:?}"),
    };
    let replace = |old: &str, new: &str, all| LineEdit::Replace { old: old.into(), new: new.into(), all };
    assert_eq!(edits("sed -i 's/port 1/port 2/' a.md"), [replace("port 1", "port 2", false)]);
    assert_eq!(edits("sed -i '' -e 's|/x/y|/z|g' a.md"), [replace("/x/y", "/z", true)]);
    assert_eq!(
        edits("sed -i.bak 's/a\\.b/c\\/d/;3d' a.md"),
        [replace("a.b", "c/d", false), LineEdit::Delete(3)]
    );
    assert_eq!(edits("sed -i '/old line/d' a.md"), [LineEdit::DeleteWith("old line".into())]);
    assert_eq!(edits("sed -i 's/a+b/c/' a.md"), [replace("a+b", "c", false)]);
    for unknown in [
        "sed -i 's/a.b/c/' a.md",
        "sed -i -E 's/a+/c/' a.md",
        "sed -i 's/a/[&]/' a.md",
        "sed -i 's/a/\\1/' a.md",
        "sed -i \"s/a/$X/\" a.md",
        "sed -i '1,3d' a.md",
        "sed -i 's/a/b/I' a.md",
        "sed -n -i 's/a/b/p' a.md",
    ] {
        assert_eq!(found(unknown), [("/p/a.md".into(), Effect::Unparsed)], "{unknown}");
    }
    assert_eq!(found("sed 's/a/b/' a.md"), []);
    assert_eq!(found("mv -n a.md b.md")[0].1, Effect::Unparsed, "whether it does anything is not known");
}

#[test]
fn a_test_and_an_arithmetic_write_no_file() {
    for harmless in [
        "[[ a > b ]]",
        "[[ $a > generated/x && ( -n $b || $a < c.md ) ]]",
        "if (( n > 3 )); then ls; fi",
        "(( n > 3 ))",
        "while ! [[ a > b ]]; do ls; done",
        "for ((i=0; i>3; i++)); do ls; done",
        "[[ $a =~ ^(a|b)$ ]]",
        "(( (a > b) && (c > d) ))",
    ] {
        assert_eq!(found(harmless), [], "{harmless}");
        let behind = format!("{harmless}; rm a.md");
        assert_eq!(found(&behind), [("/p/a.md".into(), Effect::Delete)], "{behind}");
    }
    assert_eq!(found("[[ a > b ]] && echo x > a.md").len(), 1);
    assert_eq!(found("((echo a); echo b) > a.md").len(), 1, "two shells within each other are no arithmetic");
}

#[test]
fn the_files_of_one_call_are_told_by_its_words() {
    let files = |program, words: &[&str]| {
        let words: Vec<(&str, bool)> = words.iter().map(|word| (*word, !word.contains('$'))).collect();
        let files = super::files_of_call(program, &words, None).into_iter();
        files
            .map(|file| {
                file.path + if file.with_all_below { " -" } else { "" } + if file.perhaps { "?" } else { "" }
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(files("tee", &["-a", "a"]), ["a"]);
    assert_eq!(files("mv", &["a", "b/"]), ["a -", "b/a -"]);
    assert_eq!(files("rm", &["-rf", "$OUT/x"]), ["$OUT/x -"]);
    // A destination is a directory where its name or the number of sources says so.
    for (program, words, expected) in [
        ("ln", &["-s", ".env", "link"][..], &["link -", "link/.env?"][..]),
        ("ln", &["-sf", "../.env", "env.d/x"], &["env.d/x -", "env.d/x/.env?"]),
        ("ln", &["-s", "../.env"], &[".env"]),
        ("cp", &[".env", "backup"], &["backup -", "backup/.env?"]),
        ("cp", &["-T", ".env", "backup"], &["backup -"]),
        ("cp", &["a", "b", "c"], &["c/a", "c/b"]),
        ("cp", &["-t", "c", "a"], &["c/a"]),
        ("cp", &["-r", "gen/.", "src/generated/"], &["src/generated/ -"]),
        ("cp", &["-r", "gen/*", "src/generated"], &["src/generated -"]),
        ("rsync", &["-a", "gen/", "src/generated"], &["src/generated -"]),
        ("rsync", &["-a", "gen/", "host:src"], &[]),
        ("mv", &["gen", "src/generated"], &["gen -", "src/generated -"]),
        ("git", &["mv", ".env", "x"], &[".env -", "x -", "x/.env -?"]),
        ("git", &["-C", "src", "mv", "a.ts", "b.ts"], &["src/a.ts -", "src/b.ts -"]),
        ("git", &["rm", "-q", "a"], &["a -"]),
        ("git", &["rm", "--cached", "a"], &[]),
        ("Remove-Item", &["-Force", ".env"], &[".env -"]),
        ("Remove-Item", &["-Recurse", "-Force", "a,", "b"], &["a -", "b -"]),
        ("Remove-Item", &["-Path", "a,b", "-Confirm:$false"], &["a -", "b -"]),
        ("Move-Item", &["a", ".env"], &["a -", ".env -"]),
        ("Copy-Item", &["-Path", "a", ".env"], &[".env -"]),
        ("Set-Content", &["-NoNewline", "-Value", "x", ".env"], &[".env"]),
        ("Rename-Item", &["d/a", "b"], &["d/a -", "d/b -"]),
        ("Tee-Object", &["-FilePath", "a"], &["a"]),
        ("del", &["a"], &["a -"]),
    ] {
        assert_eq!(files(program, words), expected, "{program} {words:?}");
    }
    assert_eq!(files("sed", &["-i", "s/a/b/", "a"]), ["a"]);
    assert_eq!(files("curl", &["-sSLo", "a", "http://x"]), ["a"]);
    assert_eq!(files("wget", &["-qOa", "http://x"]), ["a"]);
    for (program, words) in [
        ("bash", &["-c", "rm a"][..]),
        ("cat", &["a"]),
        ("git", &["checkout", "main"]),
        ("curl", &["-HoX", "u"]),
    ] {
        assert_eq!(files(program, words), Vec::<String>::new(), "{program}");
    }
}

proptest! {
    #[test]
    fn no_command_makes_it_panic(text in "[-a-z\\\\ '\"$(){}<>|&;\n#EOF*/.]{0,60}") {
        drop(effects(&text, Some("/p")));
    }

    #[test]
    fn no_script_makes_it_panic(
        words in proptest::collection::vec(
            prop_oneof![
                Just("if"), Just("then"), Just("else"), Just("fi"), Just("for"), Just("in"), Just("do"), Just("done"),
                Just("while"), Just("case"), Just("esac"), Just("{"), Just("}"), Just("("), Just(")"), Just(";"),
                Just("&&"), Just("||"), Just("|"), Just("\n"), Just("echo"), Just("X=a"), Just("$X"), Just(">"),
                Just("a.md"), Just("sed -i 's/a/b/'"), Just("exit"), Just("cd"),
            ],
            0..40,
        ),
    ) {
        drop(effects(&words.join(" "), Some("/p")));
    }
}
