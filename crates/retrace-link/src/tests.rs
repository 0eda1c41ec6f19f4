//! Both ends over pipes within one process.

use crate::client::{Ends, Link};
use crate::wire::{
    ApiError, Code, DesktopLook, DesktopLookReq, DesktopSettings, Event, Message, Nothing, Status,
};
use crate::{ask, serve};
use retrace_api::AppOptions;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write as _, pipe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

/// Pipes to what `program` does with its ends of them.
fn ends<T: Send + 'static>(program: impl FnOnce(PipeReader, PipeWriter) -> T + Send + 'static) -> Ends {
    let (asked, requests) = pipe().expect("a pipe");
    let (answers, answered) = pipe().expect("a pipe");
    let running: JoinHandle<T> = std::thread::spawn(move || program(asked, answered));
    let wait = Box::new(move || drop(running.join()));
    Ends { requests: Box::new(requests), answers: Box::new(answers), wait }
}

fn over(options: Result<AppOptions, ApiError>, paused: bool) -> Ends {
    ends(move |asked, answered| serve(options, paused, BufReader::new(asked), answered))
}

fn link(data_dir: PathBuf) -> Link {
    Link::new(Box::new(move |paused| Ok(over(AppOptions::for_this_machine(Some(data_dir.clone())), paused))))
}

fn answer(link: &Link, name: &str, request: Value) -> Result<Value, ApiError> {
    link.call(name, request).map(|answer| serde_json::from_str(answer.get()).expect("JSON"))
}

/// A program that says `first` and no more.
fn saying(first: &'static str) -> Link {
    Link::new(Box::new(move |_| {
        Ok(ends(move |_asked, mut answered| answered.write_all(first.as_bytes()).expect("written")))
    }))
}

/// The first line of a stream, and then its end.
struct FirstLine<R> {
    lines: BufReader<R>,
    read: bool,
}

impl<R: Read> Read for FirstLine<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for FirstLine<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.read {
            return Ok(&[]);
        }
        let bytes = self.lines.fill_buf()?;
        let line = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
        Ok(&bytes[..line])
    }

    fn consume(&mut self, count: usize) {
        self.read |= count > 0 && self.lines.buffer().get(count - 1) == Some(&b'\n');
        self.lines.consume(count);
    }
}

fn hello(version: &str) -> String {
    json!({"hello": {"version": version, "data_dir": null}}).to_string() + "\n"
}

fn store_in(folder: &Path) -> String {
    let root = folder.join("notes");
    std::fs::create_dir(&root).expect("a directory");
    std::fs::write(root.join("a.md"), "Ships on Fridays.").expect("a memory");
    root.display().to_string()
}

#[test]
fn commands_are_answered_and_events_come() {
    let folder = tempfile::tempdir().expect("a directory");
    let link = link(folder.path().join("data"));
    let (seen, events) = channel();
    let seen = Mutex::new(seen);
    link.listen(Arc::new(move |event| drop(seen.lock().expect("unpoisoned").send(event))));
    assert_eq!(link.hello().expect("a program").data_dir, Some(folder.path().join("data")));

    let root = store_in(folder.path());
    answer(&link, "add_store", json!({ "root": root })).expect("added");
    let log = answer(&link, "log", json!({ "limit": 5 })).expect("a page");
    assert_eq!(log["versions"][0]["path"], "a.md");
    assert!(events.iter().any(|event| event == Event::Stores), "the page is told of the store");

    let refused = answer(&link, "no_such_command", json!({})).expect_err("refused");
    assert_eq!(refused.code, Code::NotFound, "{refused:?}");
    link.close();
    assert_eq!(answer(&link, "status", json!({})).expect_err("closed").code, Code::Internal);
}

#[test]
fn the_tray_is_told_what_is_to_review_and_settings_are_kept() {
    let folder = tempfile::tempdir().expect("a directory");
    let link = link(folder.path().join("data"));
    let chosen =
        DesktopSettings { digests: false, language: Some("ko".to_owned()), ..DesktopSettings::default() };
    let kept: DesktopSettings = link.ask(ask::SET_SETTINGS, &chosen).expect("kept");
    let read: DesktopSettings = link.ask(ask::SETTINGS, &Nothing {}).expect("read");
    let look: DesktopLook = link.ask(ask::LOOK, &DesktopLookReq::default()).expect("a look");
    assert_eq!((&kept, &read, &look.settings), (&chosen, &chosen, &chosen));
    assert_eq!((look.unreviewed, look.notices.len()), (0, 0));
    link.close();
}

#[test]
fn what_is_no_request_of_a_kind_is_refused_and_the_link_goes_on() {
    let folder = tempfile::tempdir().expect("a directory");
    let link = link(folder.path().join("data"));
    assert_eq!(answer(&link, ask::SET_SETTINGS, json!("none")).expect_err("refused").code, Code::Invalid);
    assert_eq!(
        answer(&link, ask::RECORD, json!({"paused": "yes"})).expect_err("refused").code,
        Code::Invalid
    );
    answer(&link, "status", json!({})).expect("answered");
    link.close();
}

#[test]
fn a_program_that_ended_is_started_anew_and_stays_paused() {
    let folder = tempfile::tempdir().expect("a directory");
    let data_dir = folder.path().join("data");
    let starts = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&starts);
    let link = Link::new(Box::new(move |paused| {
        let mut starts = counted.lock().expect("unpoisoned");
        *starts += 1;
        let options = AppOptions::for_this_machine(Some(data_dir.clone()));
        if *starts > 1 {
            return Ok(over(options, paused));
        }
        // Answers one request and ends, as if it were killed.
        Ok(ends(move |asked, answered| {
            let asked = FirstLine { lines: BufReader::new(asked), read: false };
            serve(options, paused, asked, answered)
        }))
    }));
    link.set_paused(true).expect("paused");
    assert!(link.is_paused());
    // The first program is gone with its only request: a request to it, or the start of the second, comes out.
    let status = loop {
        if let Ok(status) = link.ask::<Status>("status", &Nothing {}) {
            break status;
        }
    };
    assert!(!status.recording_here, "it was told to pause");
    assert_eq!(*starts.lock().expect("unpoisoned"), 2);
    link.set_paused(false).expect("goes on");
    assert!(link.ask::<Status>("status", &Nothing {}).expect("answered").recording_here);
    link.close();
}

#[test]
fn a_request_to_a_program_that_ends_is_answered_with_that() {
    let link = Link::new(Box::new(|_| {
        Ok(ends(|asked, mut answered| {
            answered.write_all(hello(env!("CARGO_PKG_VERSION")).as_bytes()).expect("written");
            // Reads the request and says nothing.
            let mut line = String::new();
            BufReader::new(asked).read_line(&mut line).expect("a request");
        }))
    }));
    let error = answer(&link, "status", json!({})).expect_err("no answer");
    assert_eq!((error.code, error.message.text()), (Code::Internal, "The program behind the window ended."));
}

#[test]
fn what_is_not_this_program_is_refused() {
    for first in ["", "retrace 0.1.0\n", "{\"event\":{\"type\":\"stores\"}}\n"] {
        let error = saying(first).hello().expect_err("refused");
        assert_eq!(
            error.message.text(),
            "The program behind the window did not answer its start.",
            "{first:?}"
        );
    }
    let other = Box::leak(hello("0.0.0").into_boxed_str());
    let error = saying(other).hello().expect_err("refused");
    assert_eq!(error.subject, format!("{} / 0.0.0", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_data_directory_that_cannot_be_told_is_the_answer_to_every_request() {
    let why = ApiError {
        code: Code::Invalid,
        message: Message::verbatim("There is no home."),
        hint: Message::verbatim(""),
        subject: String::new(),
    };
    let told = why.clone();
    let link = Link::new(Box::new(move |paused| Ok(over(Err(told.clone()), paused))));
    assert_eq!(link.hello().expect("a program").data_dir, None);
    for _ in 0..2 {
        assert_eq!(answer(&link, "status", json!({})).expect_err("refused").code, why.code);
    }
    link.close();
}
