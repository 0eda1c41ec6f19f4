//! The message of an error type is its text, with an id, and declared.

use retrace_message::{Argument, AsMessage, Message, VERBATIM, declarations, problems};
use std::path::PathBuf;

#[derive(Debug, thiserror::Error, AsMessage)]
#[message("inner")]
#[error("it is {0}")]
struct Inner(u64);

#[derive(Debug, thiserror::Error, AsMessage)]
#[message("outer")]
enum Outer {
    #[error("\"{}\" is gone: {source}", path.display())]
    Gone { path: PathBuf, source: std::io::Error },
    #[error("{0:?} is none of {{a, b}}; {1}")]
    Unknown(String, Inner),
    #[error("plain")]
    Plain,
    #[error(transparent)]
    Inner(Inner),
    #[error(transparent)]
    Foreign(std::num::ParseIntError),
}

#[test]
fn the_message_of_an_error_is_its_text_with_an_id() {
    let errors = [
        (Outer::Gone { path: "a/b".into(), source: std::io::Error::from_raw_os_error(13) }, "outer.gone"),
        (Outer::Unknown("x".to_owned(), Inner(7)), "outer.unknown"),
        (Outer::Plain, "outer.plain"),
        (Outer::Inner(Inner(3)), "inner.inner"),
        (Outer::Foreign("x".parse::<u8>().expect_err("no number")), VERBATIM),
    ];
    for (error, id) in &errors {
        let message = error.message();
        // What the system says has words of its own, without its number.
        let text = error.to_string().replace("Permission denied (os error 13)", "permission denied");
        assert_eq!((message.text(), message.id()), (&*text, *id));
    }
    let nested = errors[0].0.message();
    let Some(Argument::Message(source)) = nested.argument("source") else { panic!("{nested:?}") };
    assert_eq!(source.id(), "os.permission_denied");
    assert_eq!(Inner(7).message().argument("value"), Some(&Argument::Number(7)));
    assert!(matches!(errors[1].0.message().argument("value_1"), Some(Argument::Message(_))));
    let joined = Message::verbatim("One.").then(Inner(2).message().sentence()).of("path");
    assert_eq!(joined, "path: One. It is 2.");
}

#[test]
fn all_declarations_are_listed_and_without_fault() {
    let all = declarations();
    for id in
        ["inner.inner", "outer.gone", "outer.plain", "outer.unknown", "system.file_exists", "message.about"]
    {
        assert!(all.iter().any(|declared| declared.id == id), "{id}");
    }
    assert_eq!(problems(all), Vec::<String>::new());
}
