#![allow(clippy::unwrap_used, clippy::panic)] // tests

use super::canonical::{canonical, strip_marks};
use super::*;
use crate::{BlockKind, Cause, Origin, Role};
use proptest::prelude::*;
use serde_json::{Value, json};

fn hash(value: &Value) -> String {
    Digest::of(&canonical(value).unwrap()).0.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a session as the client does.
#[derive(Default)]
struct Client {
    lines: Vec<String>,
    /// The last request's id and hashes.
    before: Option<(String, Vec<String>)>,
    written: std::collections::HashSet<String>,
    requests: u32,
    answers: u32,
}

const VERSION: &str = "2.1.330";

impl Client {
    fn line(&mut self, value: &Value) {
        self.lines.push(value.to_string());
    }

    fn user(&mut self, content: &Value) {
        let uuid = format!("u{}", self.lines.len());
        self.line(&json!({"type": "user", "uuid": uuid, "sessionId": "s", "version": VERSION,
            "message": {"role": "user", "content": content}}));
    }

    fn attachment(&mut self, kind: &str, rendered: Option<&str>) {
        let uuid = format!("n{}", self.lines.len());
        let mut line =
            json!({"type": "attachment", "uuid": uuid, "version": VERSION, "attachment": {"type": kind}});
        if let Some(text) = rendered {
            line["rendered"] = json!([{"content": text}]);
        }
        self.line(&line);
    }

    /// Sends a request; the messages that have a line of their own are not written again.
    fn sends(&mut self, tools: &[&str], messages: &[(Value, bool)], keep: usize, marks: &[Value]) -> String {
        let tools: Vec<Value> =
            tools.iter().map(|name| json!({"name": name, "input_schema": {"z": 1, "a": 2.5}})).collect();
        let shape = json!({"system": [{"type": "text", "text": "You are a client."}], "tools": tools});
        let shape_hash = hash(&shape);
        if self.written.insert(shape_hash.clone()) {
            self.line(&json!({"type": "api-request-shape", "shapeHash": shape_hash, "shape": shape}));
        }
        let hashes: Vec<String> = messages.iter().map(|(message, _)| hash(message)).collect();
        for ((message, has_line), hash) in messages.iter().zip(&hashes) {
            if !has_line && self.written.insert(hash.clone()) {
                self.line(&json!({"type": "api-request-blob", "hash": hash, "message": message}));
            }
        }
        let id = format!("request-{}", self.requests);
        self.requests += 1;
        let params = json!({"model": "claude-opus-4-8", "betas": ["b"], "max_tokens": 64000, "thinking": {"type": "adaptive"},
            "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}});
        let mut body = params.clone();
        body["system"] = shape["system"].clone();
        body["tools"] = shape["tools"].clone();
        body["messages"] = messages.iter().map(|(message, _)| message.clone()).collect();
        let mut cache = vec![json!({"path": ["system", 0], "value": {"type": "ephemeral"}})];
        cache.extend(
            marks.iter().map(|path| json!({"path": path, "value": {"type": "ephemeral", "ttl": "1h"}})),
        );
        for mark in &cache {
            let path = mark["path"].as_array().unwrap();
            super::rebuild::set_mark(&mut body, path, mark["value"].clone()).unwrap();
        }
        let mut line = json!({"type": "api-request", "id": id, "version": VERSION, "querySource": "sdk",
            "shapeHash": shape_hash, "params": params, "keep": keep, "tail": hashes[keep..], "cacheControl": cache,
            "requestDigest": hash(&body), "timestamp": "2026-11-23T10:51:06.260Z"});
        if keep > 0 {
            line["base"] = json!(self.before.as_ref().unwrap().0);
        }
        // The client writes the type first, which a map of sorted keys does not.
        let text = line.to_string();
        self.lines.push(text);
        self.before = Some((id.clone(), hashes));
        id
    }

    fn answers(&mut self, request: &str, blocks: &[Value]) -> String {
        let id = format!("msg_{}", self.answers);
        self.answers += 1;
        for (number, block) in blocks.iter().enumerate() {
            let uuid = format!("a{}-{number}", self.answers);
            self.line(&json!({"type": "assistant", "uuid": uuid, "requestRef": request, "version": VERSION,
                "message": {"id": id, "role": "assistant", "model": "claude-opus-4-8", "content": [block],
                    "stop_reason": "end_turn", "usage": {"input_tokens": 1000, "output_tokens": 5}}}));
        }
        id
    }

    fn bytes(&self) -> Vec<u8> {
        // The client writes the type first.
        let mut bytes = Vec::new();
        for line in &self.lines {
            let kind = ["api-request-shape", "api-request-blob", "api-request"]
                .into_iter()
                .find(|kind| line.contains(&format!(r#""type":"{kind}""#)));
            match kind {
                Some(kind) => {
                    let rest = line.replacen(&format!(r#","type":"{kind}""#), "", 1);
                    let rest = rest.strip_prefix('{').unwrap();
                    bytes.extend_from_slice(format!("{{\"type\":\"{kind}\",{rest}\n").as_bytes());
                }
                None => bytes.extend_from_slice(format!("{line}\n").as_bytes()),
            }
        }
        bytes
    }
}

fn says(role: &str, blocks: &[Value]) -> Value {
    json!({"role": role, "content": blocks})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn result(id: &str, text: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": text})
}

const DATE: &str = "Today's date is 2026-11-23.";
const LEFT: &str = "<total_tokens>9 tokens left</total_tokens>";

fn wrapped(text: &str) -> String {
    format!("<system-reminder>\n{text}\n</system-reminder>")
}

/// A session of three requests: what the client adds, an answer of several lines, results of parallel calls, a later mark.
fn session() -> Client {
    let mut client = Client::default();
    client.user(&json!("Look at the project"));
    client.attachment("date", Some(&wrapped(DATE)));
    client.attachment("total_tokens_reminder", Some(&wrapped(LEFT)));
    client.attachment("instructions", Some(&wrapped("Contents of /p/CLAUDE.md:\n\nTabs.")));
    client.attachment("prompt_snapshot", None);
    let first =
        says("user", &[text(&wrapped("Contents of /p/CLAUDE.md:\n\nTabs.")), text("Look at the project")]);
    let added = says("system", &[text(&format!("{DATE}\n\n{LEFT}\n\nNobody knows this."))]);
    let mut messages = vec![(first, false), (added, false)];
    let request = client.sends(&["Read"], &messages, 0, &[json!(["messages", 1, "content", 0])]);
    let thinking = json!({"type": "thinking", "thinking": "Hm ☃", "signature": "c2ln"});
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "Read", "input": {"n": 1.25, "é": ["\u{1}"]}});
    client.answers(&request, &[thinking.clone(), call("t1"), call("t2")]);
    client.user(&json!([result("t1", "one")]));
    client.user(&json!([result("t2", "two")]));
    messages.push((says("assistant", &[thinking, call("t1"), call("t2")]), true));
    messages.push((says("user", &[result("t1", "one"), result("t2", "two")]), true));
    let request = client.sends(&["Read"], &messages, 2, &[json!(["messages", 3, "content", 1])]);
    client.answers(&request, &[text("Two files.")]);
    client.user(&json!("And now?"));
    messages.push((says("assistant", &[text("Two files.")]), true));
    messages.push((json!({"role": "user", "content": "And now?"}), true));
    // Where a string is marked, it is sent as a block.
    let request = client.sends(&["Read", "Write"], &messages, 4, &[json!(["messages", 5, "content", 0])]);
    client.answers(&request, &[text("Done.")]);
    client
}

fn split(bytes: &[u8], piece: usize) -> (crate::Reading, RequestLog) {
    let mut split = SessionSplit::new();
    bytes.chunks(piece.max(1)).for_each(|piece| split.feed(piece));
    split.finish().unwrap()
}

fn proofs(bytes: &[u8]) -> Vec<Result<(), Unproved>> {
    let (_, log) = split(bytes, bytes.len());
    let mut file = bytes;
    let mut prover = Prover::new();
    (0..log.requests().len())
        .map(|index| {
            let rebuilt = log.rebuild(index, &mut file).and_then(|rebuilt| rebuilt.proof);
            assert_eq!(prover.prove(&log, index, &mut file), rebuilt, "both ways agree");
            rebuilt
        })
        .collect()
}

#[test]
fn every_request_is_rebuilt_and_proved() {
    let bytes = session().bytes();
    assert_eq!(proofs(&bytes), [Ok(()); 3]);
    // A session that goes on from another holds as a string what is hashed as a list (seen in a fork, 2.1.330).
    let whole = format!("{DATE}\n\n{LEFT}\n\nNobody knows this.");
    let mut fork = session();
    let (list, string) = (json!([text(&whole)]).to_string(), json!(whole).to_string());
    fork.lines.iter_mut().for_each(|line| *line = line.replace(&list, &string));
    assert_ne!(fork.bytes(), bytes);
    assert_eq!(proofs(&fork.bytes()), [Ok(()); 3]);
    for piece in [1, 7, 4096] {
        let (reading, log) = split(&bytes, piece);
        let last = log.rebuild(2, &mut &bytes[..]).unwrap();
        assert_eq!(last.body["messages"].as_array().unwrap().len(), 6);
        assert_eq!(
            last.body["messages"][3]["content"].as_array().unwrap().len(),
            2,
            "parallel results are one message"
        );
        assert_eq!(last.body["messages"][5]["content"][0]["text"], "And now?");
        assert_eq!(last.body["system"][0]["cache_control"], json!({"type": "ephemeral"}));
        assert_eq!(serde_json::from_slice::<Value>(&last.canonical).unwrap(), last.body);
        let second = &log.requests()[1];
        assert_eq!((second.source.as_str(), second.messages, second.span.line > 0), ("sdk", 4, true));
        assert_eq!(reading.account.bytes, bytes.len() as u64);
        assert_eq!(reading.account.without_context["api-request"], 3);
        assert!(reading.account.unknown.is_empty() && reading.account.malformed.is_empty());
        let whole = crate::read(&bytes).unwrap();
        assert_eq!(
            reading.transcripts[0].messages, whole.transcripts[0].messages,
            "lines keep their numbers"
        );
        assert_eq!(reading.account.lines, whole.account.lines);
    }
}

#[test]
fn what_was_sent_takes_the_place_of_what_lines_tell() {
    let bytes = session().bytes();
    let (mut reading, log) = split(&bytes, 64);
    let transcript = &mut reading.transcripts[0];
    let known = as_sent(transcript, &log, &mut &bytes[..], &mut RecordedPreamble::read);
    assert!(known.iter().all(|sent| sent.as_ref().is_some_and(|sent| sent.proof.is_ok())));
    assert_eq!(transcript.segments.len(), 1);
    assert_eq!(transcript.requests.iter().map(|request| request.upto).collect::<Vec<_>>(), [2, 4, 6]);
    assert!(transcript.requests[2].parameters["context_management"]["edits"].is_array());
    let tools =
        |request: usize| transcript.preambles[transcript.requests[request].preamble.unwrap()].tools.len();
    assert_eq!((tools(0), tools(1), tools(2)), (1, 1, 2));
    let sent: Vec<_> = transcript.sent(&transcript.requests[2]).map(|(_, message)| message).collect();
    let kinds: Vec<Vec<&str>> = sent
        .iter()
        .map(|message| {
            let kind = |kind: &'static str, name: &str| {
                if name.is_empty() {
                    kind
                } else {
                    ["date", "total_tokens_reminder", "reminder", "instructions"]
                        .into_iter()
                        .find(|known| *known == name)
                        .unwrap()
                }
            };
            message
                .blocks
                .iter()
                .map(|block| match &block.kind {
                    BlockKind::Attachment { attachment, .. } => kind("", attachment),
                    BlockKind::Text { .. } => "text",
                    BlockKind::ToolUse { .. } => "call",
                    BlockKind::ToolResult { .. } => "result",
                    BlockKind::Thinking { .. } => "thinking",
                    _ => "other",
                })
                .collect()
        })
        .collect();
    assert_eq!(
        kinds,
        [
            vec!["instructions", "text"],
            vec!["date", "total_tokens_reminder", "reminder"],
            vec!["thinking", "call", "call"],
            vec!["result", "result"],
            vec!["text"],
            vec!["text"]
        ]
    );
    assert_eq!(sent[0].origin, Origin::Typed);
    assert_eq!((sent[1].role, sent[1].origin), (Role::System, Origin::Client));
    assert_eq!(sent[3].origin, Origin::ToolResults);
    let lines: Vec<u32> = transcript.messages.iter().map(|message| message.line).collect();
    assert!(lines.is_sorted(), "{lines:?}");
    let answer = &transcript.messages[transcript.requests[0].response.unwrap()];
    assert_eq!(answer.blocks.len(), 3);
}

#[test]
fn what_is_not_proved_before_what_is_stays_as_told() {
    let mut client = session();
    let first = client.lines.iter_mut().find(|line| line.contains(r#""id":"request-0""#)).unwrap();
    let mut request: Value = serde_json::from_str(first).unwrap();
    request["requestDigest"] = json!("0".repeat(64));
    *first = request.to_string();
    let bytes = client.bytes();
    let (mut reading, log) = split(&bytes, 64);
    let transcript = &mut reading.transcripts[0];
    let told = transcript.clone();
    let known = as_sent(transcript, &log, &mut &bytes[..], &mut RecordedPreamble::read);
    let proofs: Vec<_> = known.iter().flatten().map(|sent| sent.proof).collect();
    assert_eq!(proofs, [Err(Unproved::Differs), Ok(()), Ok(())]);
    let sent = |transcript: &crate::Transcript, request: usize| -> Vec<crate::Message> {
        let request = &transcript.requests[request];
        transcript.sent(request).map(|(_, message)| message.clone()).collect()
    };
    assert_eq!(sent(transcript, 0), sent(&told, 0));
    assert_ne!(sent(transcript, 1), sent(&told, 1));
    assert_eq!((transcript.requests[0].preamble, transcript.requests[2].upto), (None, 6));
}

#[test]
fn a_history_that_is_not_gone_on_with_begins_a_segment() {
    let mut client = session();
    let summary = says("user", &[text("This session is continued from another.")]);
    client.line(&json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "compactMetadata": {"trigger": "auto", "preTokens": 9}}));
    client.line(&json!({"type": "user", "uuid": "s", "isCompactSummary": true,
        "message": {"role": "user", "content": "This session is continued from another."}}));
    let request = client.sends(&["Read"], &[(summary, true)], 0, &[]);
    client.answers(&request, &[text("Yes.")]);
    let bytes = client.bytes();
    let (mut reading, log) = split(&bytes, 64);
    let transcript = &mut reading.transcripts[0];
    as_sent(transcript, &log, &mut &bytes[..], &mut RecordedPreamble::read);
    assert_eq!(transcript.segments.len(), 2);
    assert!(
        matches!(&transcript.segments[1].cause, Cause::Compacted(compaction) if compaction.tokens_before == Some(9)
        && transcript.messages[compaction.summary.unwrap()].origin == Origin::Summary)
    );
    assert_eq!(transcript.requests[3].segment, 1);
}

#[test]
fn what_does_not_fit_is_not_proved_and_says_why() {
    let lines = session().lines;
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut client = Client { lines: lines.clone(), ..Client::default() };
        change(&mut client.lines);
        proofs(&client.bytes())
    };
    let without = |part: &str| {
        let part = part.to_owned();
        with(&move |lines: &mut Vec<String>| {
            let at = lines.iter().position(|line| line.contains(&part)).unwrap();
            lines.remove(at);
        })
    };
    assert_eq!(without("api-request-shape")[0], Err(Unproved::NoShape));
    assert_eq!(without("api-request-blob"), [Err(Unproved::NoMessages(1)); 3]);
    assert_eq!(without("\"requestDigest\"")[0..2], [Err(Unproved::NoBase), Err(Unproved::NoBase)]);
    let changed = |from: &str, to: &str| {
        let (from, to) = (from.to_owned(), to.to_owned());
        with(&move |lines: &mut Vec<String>| {
            lines.iter_mut().for_each(|line| *line = line.replace(&from, &to));
        })
    };
    assert_eq!(changed("64000", "64001"), [Err(Unproved::Differs); 3]);
    assert_eq!(changed("\"requestDigest\"", "\"digest\""), [Err(Unproved::NoDigest); 3]);
    assert_eq!(changed("[\"messages\",1,", "[\"messages\",9,")[0], Err(Unproved::Mark));
    assert_eq!(changed("\"params\":{", "\"params\":3,\"x\":{"), [Err(Unproved::Unreadable); 3]);
    assert_eq!(changed("\"base\":\"request-0\"", "\"base\":\"request-2\"")[1], Err(Unproved::NoBase));
    assert_eq!(changed("\"base\":\"request-0\"", "\"base\":\"request-1\"")[1], Err(Unproved::NoBase));
    assert_eq!(changed("\"keep\":2", "\"keep\":3")[1], Err(Unproved::NoBase));
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let deep = changed("\"params\":{", &format!("\"params\":{{\"deep\":{deep},"));
    assert_eq!(deep, [Err(Unproved::Unreadable); 3]);
}

#[test]
fn a_request_made_to_grow_without_end_is_refused() {
    let mut client = Client::default();
    let long = says("user", &[text(&"x".repeat(1 << 20))]);
    client.sends(&[], &[(long.clone(), false)], 0, &[]);
    let hash = hash(&long);
    let tail = vec![hash; 400];
    let mut line: Value = serde_json::from_str(client.lines.last().unwrap()).unwrap();
    line["id"] = json!("huge");
    line["tail"] = json!(tail);
    client.line(&line);
    assert_eq!(proofs(&client.bytes()), [Ok(()), Err(Unproved::TooLarge)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Lines left out, doubled, moved, cut and changed: nothing panics, and what is proved is what the digest says.
    #[test]
    fn damage_never_panics(
        changes in proptest::collection::vec((0_usize..40, 0_u8..6, any::<u16>()), 1..6),
        piece in 1_usize..200,
    ) {
        let mut client = session();
        for (at, change, amount) in changes {
            let at = at % client.lines.len();
            let line = client.lines[at].clone();
            match change {
                0 => { client.lines.remove(at); }
                1 => client.lines.push(line),
                2 => { let line = client.lines.remove(at); client.lines.insert(usize::from(amount) % (client.lines.len() + 1), line); }
                3 => { let cut = usize::from(amount) % line.len().max(1); client.lines[at] = line.chars().take(cut).collect(); }
                4 => client.lines[at] = line.replacen(char::from(b'0' + (amount % 10) as u8), "7", 1),
                _ => client.lines[at] = line.replace("\"user\"", "\"assistant\""),
            }
            if client.lines.is_empty() { break; }
        }
        let bytes = client.bytes();
        let mut split = SessionSplit::new();
        bytes.chunks(piece).for_each(|piece| split.feed(piece));
        if let Ok((mut reading, log)) = split.finish() {
            let mut prover = Prover::new();
            for index in 0..log.requests().len() {
                let rebuilt = log.rebuild(index, &mut &bytes[..]);
                let proof = prover.prove(&log, index, &mut &bytes[..]);
                prop_assert_eq!(&proof, &rebuilt.as_ref().map_err(|why| *why).and_then(|rebuilt| rebuilt.proof));
                if let Ok(rebuilt) = rebuilt && rebuilt.proof.is_ok() {
                    let mut bare = rebuilt.body.clone();
                    strip_marks(&mut bare);
                    prop_assert!(bare["messages"].is_array());
                }
            }
            for transcript in &mut reading.transcripts {
                as_sent(transcript, &log, &mut &bytes[..], &mut RecordedPreamble::read);
                for request in &transcript.requests {
                    prop_assert!(request.segment < transcript.segments.len());
                    prop_assert!(request.upto <= transcript.segments[request.segment].messages.len());
                    prop_assert!(request.response.is_none_or(|at| at < transcript.messages.len()));
                }
                for segment in &transcript.segments {
                    let mut named = segment.messages.clone();
                    named.sort_unstable();
                    named.dedup();
                    prop_assert_eq!(named.len(), segment.messages.len());
                    prop_assert!(named.last().is_none_or(|&last| last < transcript.messages.len()));
                }
            }
        }
    }
}
