//! Forks (0.169): a fork's rollout copies nothing. Its first line names the thread it goes on from, and the ordinal before which
//! that one's lines are its history; its own go on from there.

use super::{RawLine, RawPayload, Reader};
use crate::lenient::Text;
use crate::lines::each_line;
use crate::{Account, Cause, Session};

/// The thread that a fork goes on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkedFrom {
    /// Its id, which its rollout is named by.
    pub thread: String,
    /// Lines of it from this ordinal on are none of the fork's history.
    pub before: u64,
}

/// What a rollout goes on from; `None` for one that holds its whole history.
pub(crate) fn forked_from(bytes: &[u8]) -> Option<ForkedFrom> {
    let first = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty())?;
    let line: RawLine<'_> = serde_json::from_slice(first).ok()?;
    if line.kind.as_str() != Some("session_meta") {
        return None;
    }
    let payload: RawPayload<'_> = serde_json::from_str(line.payload.0?.get()).ok()?;
    let thread = Text::into_string(payload.forked_from).filter(|thread| !thread.is_empty())?;
    Some(ForkedFrom { thread, before: payload.forked_before.0? })
}

impl Reader {
    /// Takes the history in a rollout that the file goes on from: its lines before an ordinal.
    pub(super) fn read_above(&mut self, bytes: &[u8], before: u64) {
        self.begin_file(bytes);
        self.is_above = true;
        // What is odd in it is told of its own file.
        each_line(bytes, &mut Account::default(), |number, line, account| {
            let ordinal = serde_json::from_slice::<RawLine<'_>>(line).ok().and_then(|raw| raw.ordinal.0);
            if ordinal.unwrap_or(u64::from(number.saturating_sub(1))) < before {
                self.line(0, line, account)
            } else {
                Ok(())
            }
        });
        // How the history came to be what it is was of the other session.
        if let Some(live) = self.transcript.segments.pop() {
            self.transcript.segments = vec![super::segment(Cause::Start, live.messages)];
        }
        self.transcript.session = Session::default();
        (self.is_above, self.inherits, self.inherited_answer) = (false, false, None);
        (self.open, self.total, self.last_answered) = (None, None, None);
        self.unanswered.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codex::read_after;
    use crate::{Block, BlockKind, Origin};

    /// Lines of a thread, numbered from an ordinal.
    fn rollout(first: u64, lines: &[(&str, String)]) -> Vec<u8> {
        let numbered = lines.iter().zip(first..).map(|((kind, payload), ordinal)| {
            format!("{{\"timestamp\":\"2026-11-20T10:00:00.000Z\",\"ordinal\":{ordinal},\"type\":\"{kind}\",\"payload\":{payload}}}\n")
        });
        numbered.collect::<String>().into_bytes()
    }

    fn meta(id: &str, from: Option<(&str, u64)>) -> (&'static str, String) {
        let from = from.map_or_else(String::new, |(thread, before)| {
            format!(",\"forked_from_id\":\"{thread}\",\"forked_from_ordinal_exclusive\":{before}")
        });
        ("session_meta", format!("{{\"id\":\"{id}\",\"cwd\":\"/w\"{from}}}"))
    }

    fn said(role: &str, label: &str, text: &str) -> (&'static str, String) {
        let kind = if role == "assistant" { "output_text" } else { "input_text" };
        (
            "response_item",
            format!(
                "{{\"type\":\"message\",\"role\":\"{role}\",\"content\":[{{\"type\":\"{kind}\",\"text\":\"{text}\"}}],\"internal_chat_message_metadata_passthrough\":{{\"content_item_kinds\":[\"{label}\"]}}}}"
            ),
        )
    }

    fn used(response: &str) -> (&'static str, String) {
        (
            "token_usage_record",
            format!(
                "{{\"response_id\":\"{response}\",\"usage\":{{\"input_tokens\":10,\"output_tokens\":2,\"total_tokens\":12}}}}"
            ),
        )
    }

    fn texts(transcript: &crate::Transcript, request: usize) -> Vec<&str> {
        let text = |block: &'_ Block| matches!(block.kind, BlockKind::Text { .. });
        let sent = transcript.sent(&transcript.requests[request]);
        let blocks = sent.flat_map(|(_, message)| message.blocks.iter().filter(|block| text(block)));
        blocks
            .map(|block| match &block.kind {
                BlockKind::Text { text } => text.as_str(),
                _ => "",
            })
            .collect()
    }

    #[test]
    fn what_a_review_found_is_no_answer_of_the_thread_it_is_told_in() {
        let ended = (
            "event_msg",
            r#"{"type":"item_completed","item":{"type":"ExitedReviewMode","id":"i"}}"#.to_owned(),
        );
        let bytes = rollout(
            0,
            &[
                meta("t-1", None),
                said("user", "user.text", "Found"),
                ended,
                said("assistant", "unknown", "No findings."),
                said("user", "user.text", "Go on"),
                said("assistant", "unknown", "Yes"),
                used("resp_1"),
            ],
        );
        let transcript = read_after(&bytes, &[]).transcripts.remove(0);
        assert_eq!(transcript.requests.len(), 1);
        assert_eq!(texts(&transcript, 0), ["Found", "No findings.", "Go on"]);
        assert_eq!(transcript.messages[1].origin, Origin::Synthetic);
    }

    #[test]
    fn a_fork_goes_on_from_the_lines_before_its_ordinal() {
        let one = rollout(
            0,
            &[
                meta("t-1", None),
                said("user", "user.text", "One"),
                said("assistant", "unknown", "Answer one"),
                used("resp_1"),
                said("user", "user.text", "Behind the fork"),
                said("assistant", "unknown", "Not sent"),
                used("resp_2"),
            ],
        );
        let two = rollout(
            4,
            &[
                meta("t-2", Some(("t-1", 4))),
                said("user", "user.text", "Two"),
                said("assistant", "unknown", "Answer two"),
                used("resp_3"),
            ],
        );
        let three =
            rollout(8, &[meta("t-3", Some(("t-2", 8))), said("user", "user.text", "Three"), used("resp_4")]);
        assert_eq!(forked_from(&one), None);
        assert_eq!(forked_from(&two), Some(ForkedFrom { thread: "t-1".to_owned(), before: 4 }));
        let fork = read_after(&two, &[(one.clone(), 4)]).transcripts.remove(0);
        assert_eq!(texts(&fork, 0), ["One", "Answer one", "Two"]);
        assert_eq!((fork.requests.len(), fork.requests[0].id.as_str()), (1, "resp_3"));
        assert_eq!((fork.session.id.as_deref(), fork.session.title.as_deref()), (Some("t-2"), Some("Two")));
        assert!(fork.messages[..2].iter().all(|message| message.line == 0));
        assert_eq!((fork.messages[2].line, fork.messages[2].origin), (2, Origin::Typed));
        let deeper = read_after(&three, &[(one, 4), (two.clone(), 8)]).transcripts.remove(0);
        assert_eq!(texts(&deeper, 0), ["One", "Answer one", "Two", "Answer two", "Three"]);
        // Without the one above there is what its own lines hold.
        assert_eq!(texts(&read_after(&two, &[]).transcripts[0], 0), ["Two"]);
    }
}
