//! Decides which messages a person is sent about what agents remember, and when. Pure: it is told what the inbox holds
//! and what time it is, and says what to show; looking and showing are the shell's.
//!
//! Quiet by rule: nothing for what was there before; one digest for each session, once it has been quiet for
//! [`QUIET_MS`]; at once only an alarm, one of a kind at a time, and for a mass delete that goes on one for all of it.
//! A rule that a running session breaks is told at once, too, since it can be stopped: one message for each rule and session.
//! Changes of no known session make a digest for each store and burst. What is reviewed before its digest is due is left out
//! of it. Nothing in a message looks like a secret, and no path is in it that the inbox no longer shows.

pub use crate::wire::{AlarmKind, Notice};
use crate::wire::{BrokenRule, BrokenRules, DesktopSettings, Inbox, InboxGroup, InboxItem};
use retrace_diff::HiddenKind;
use retrace_findings::events::MASS_DELETE_GAP_MICROS;
use retrace_findings::{Config, check_one};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

/// A session that has not written for so long gets its digest: longer than the pauses of a run at work, short enough that
/// the digest is still news.
pub const QUIET_MS: u64 = 5 * 60 * 1000;

/// Sessions remembered as told; the oldest are forgotten.
const MAX_TOLD: usize = 1000;

/// Longest path or title in a message, in characters.
const LONGEST: usize = 60;

/// Deletions of a store that follow each other so closely, in milliseconds, are one mass delete, as for the rule itself.
const SAME_DELETE_MS: u64 = MASS_DELETE_GAP_MICROS / 1000;

/// Replacement in a message for what looks like a secret.
const CONCEALED: &str = "•••";

/// Number of paths a digest names.
const PATHS: usize = 3;

/// Whose digest an item belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Whose {
    Session(String),
    Store(String),
}

#[derive(Debug)]
struct Waiting {
    whose: Whose,
    title: Option<String>,
    /// None for one that is redacted.
    path: Option<String>,
    seen_at: u64,
}

/// Messages sent, and changes that wait.
#[derive(Debug)]
pub struct Notices {
    /// Quiet time of a session before its digest, in milliseconds.
    quiet_ms: u64,
    /// The newest operation that was looked at; `None` before the first scan.
    seen_to: Option<u64>,
    /// By version, in the order of their operations.
    waiting: BTreeMap<(u64, String), Waiting>,
    reported: HashSet<String>,
    reported_order: VecDeque<String>,
    /// Number of findings of a kind in a memory when it was last seen, so that each is told once.
    alarmed: HashMap<(AlarmKind, String), usize>,
    /// When a mass delete of a store was seen last.
    deleting: HashMap<String, u64>,
    /// The newest break of a rule that was looked at; `None` before the first look.
    broken_to: Option<u64>,
    /// Rules and sessions of which a break was told.
    broken_told: HashSet<(String, String)>,
}

impl Default for Notices {
    fn default() -> Self {
        Self::new(QUIET_MS)
    }
}

impl Notices {
    /// Nothing was looked at yet. A session that has not written for `quiet_ms` milliseconds gets its digest.
    #[must_use]
    pub fn new(quiet_ms: u64) -> Self {
        Self {
            quiet_ms,
            seen_to: None,
            waiting: BTreeMap::new(),
            reported: HashSet::new(),
            reported_order: VecDeque::new(),
            alarmed: HashMap::new(),
            deleting: HashMap::new(),
            broken_to: None,
            broken_told: HashSet::new(),
        }
    }

    /// Looks at a page of the inbox, the first, and says what to show now. `now` is in milliseconds of a clock that never
    /// goes back. The first look shows nothing: what is there then was there before.
    pub fn update(&mut self, inbox: &Inbox, settings: &DesktopSettings, now: u64) -> Vec<Notice> {
        let items =
            || inbox.groups.iter().flat_map(|group| group.items.iter().map(move |item| (group, item)));
        let newest = items().map(|(_, item)| item.operation_seq).max().unwrap_or(0);
        let Some(seen_to) = self.seen_to else {
            self.seen_to = Some(newest);
            return Vec::new();
        };
        self.seen_to = Some(seen_to.max(newest));
        self.leave_out_reviewed(inbox);
        // A path that is redacted meanwhile, or that this page does not show, is named no more.
        self.waiting.values_mut().for_each(|waiting| waiting.path = None);
        let mut alarms: BTreeMap<AlarmKind, Vec<Option<String>>> = BTreeMap::new();
        let mut deleted_in = BTreeSet::new();
        for (group, item) in items() {
            let key = (item.operation_seq, item.version_id.clone());
            let path = item.path.as_deref().map(plain);
            let (whose, title) = whose(group, item);
            if let Some(known) = self.waiting.get_mut(&key) {
                // A transcript may be read only after the file was seen.
                (known.whose, known.title, known.path) = (whose, title, path);
            } else if item.operation_seq > seen_to {
                for kind in self.new_alarms(item) {
                    if kind == AlarmKind::MassDelete {
                        deleted_in.insert(item.store_id.as_str());
                    } else {
                        alarms.entry(kind).or_default().push(path.clone());
                    }
                }
                self.waiting.insert(key, Waiting { whose, title, path, seen_at: now });
            }
        }
        deleted_in.retain(|store| self.is_another_delete(store, now));
        // The rule finds all of a burst at once, also those that were deleted before they were many.
        let deleted = items().map(|(_, item)| item).filter(|item| {
            let is_new = self.waiting.contains_key(&(item.operation_seq, item.version_id.clone()));
            is_new
                && deleted_in.contains(item.store_id.as_str())
                && findings_of(item, AlarmKind::MassDelete) > 0
        });
        for item in deleted {
            alarms.entry(AlarmKind::MassDelete).or_default().push(item.path.as_deref().map(plain));
        }
        let mut notices = Vec::new();
        if settings.alarms {
            notices.extend(alarms.into_iter().map(|(kind, paths)| Notice::Alarm {
                kind,
                more: paths.len() as u64 - 1,
                path: paths.into_iter().flatten().next(),
            }));
        }
        notices.extend(self.digests(now).into_iter().filter(|_| settings.digests));
        notices
    }

    /// Looks at the breaks of rules that nobody saw yet, and says what to show now: at once, since the session goes on, and the
    /// first of a rule in a session alone. The first look shows nothing.
    pub fn broken(&mut self, found: &BrokenRules, settings: &DesktopSettings) -> Vec<Notice> {
        let number = |broken: &BrokenRule| broken.id.rsplit('_').next().and_then(|id| id.parse::<u64>().ok());
        let newest = found.broken.iter().filter_map(number).max().unwrap_or(0);
        let Some(seen_to) = self.broken_to else {
            self.broken_to = Some(newest);
            return Vec::new();
        };
        self.broken_to = Some(seen_to.max(newest));
        let mut new: Vec<&BrokenRule> = found
            .broken
            .iter()
            .filter(|broken| number(broken).is_some_and(|number| number > seen_to))
            .collect();
        new.reverse();
        if self.broken_told.len() > MAX_TOLD {
            self.broken_told.clear();
        }
        new.retain(|broken| self.broken_told.insert((broken.rule_id.clone(), broken.session.clone())));
        let notice = |broken: &BrokenRule| Notice::Broken {
            sentence: plain(&broken.sentence),
            what: plain(&broken.what),
            title: broken.title.as_deref().map(plain),
            present: broken.present,
        };
        new.into_iter().filter(|_| settings.alarms).map(notice).collect()
    }

    /// When to look again though nothing happens, in milliseconds of the same clock; `None` when nothing waits.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        self.last_seen().values().min().map(|seen_at| seen_at.saturating_add(self.quiet_ms))
    }

    /// An item that waits and is not in a whole inbox any more was reviewed, or changed again and is there under
    /// another version.
    fn leave_out_reviewed(&mut self, inbox: &Inbox) {
        if inbox.next_before.is_some() {
            return;
        }
        let there: HashSet<&str> =
            inbox.groups.iter().flat_map(|group| &group.items).map(|item| item.version_id.as_str()).collect();
        self.waiting.retain(|(_, version), _| there.contains(version.as_str()));
    }

    /// The kinds of which there are more in a memory than when it was last seen.
    fn new_alarms(&mut self, item: &InboxItem) -> Vec<AlarmKind> {
        let mut new = Vec::new();
        for kind in AlarmKind::ALL {
            let count = findings_of(item, kind);
            let key = (kind, item.memory_id.clone());
            let before = if count == 0 { self.alarmed.remove(&key) } else { self.alarmed.insert(key, count) };
            if count > before.unwrap_or(0) {
                new.push(kind);
            }
        }
        new
    }

    /// True if a delete of many memories seen now is not the one seen last that goes on.
    fn is_another_delete(&mut self, store: &str, now: u64) -> bool {
        let before = self.deleting.insert(store.to_owned(), now);
        before.is_none_or(|before| now.saturating_sub(before) > SAME_DELETE_MS)
    }

    /// When each last wrote.
    fn last_seen(&self) -> HashMap<&Whose, u64> {
        let mut last = HashMap::new();
        for waiting in self.waiting.values() {
            let seen: &mut u64 = last.entry(&waiting.whose).or_default();
            *seen = waiting.seen_at.max(*seen);
        }
        last
    }

    /// The digests that are due. What they tell of waits no longer.
    fn digests(&mut self, now: u64) -> Vec<Notice> {
        let mut due: Vec<Whose> = self
            .last_seen()
            .into_iter()
            .filter(|(_, seen_at)| now.saturating_sub(*seen_at) >= self.quiet_ms)
            .map(|(whose, _)| whose.clone())
            .collect();
        due.sort();
        due.into_iter().filter_map(|whose| self.digest(&whose)).collect()
    }

    /// The digest of one; `None` for a session that had its own already.
    fn digest(&mut self, whose: &Whose) -> Option<Notice> {
        let mut reported = Vec::new();
        self.waiting.retain(|_, waiting| {
            let is_of = waiting.whose == *whose;
            if is_of {
                reported.push((waiting.title.clone(), waiting.path.clone()));
            }
            !is_of
        });
        if let Whose::Session(id) = whose
            && !self.remember(id)
        {
            return None;
        }
        Some(Notice::Digest {
            title: reported.iter().rev().find_map(|(title, _)| title.clone()),
            session: matches!(whose, Whose::Session(_)),
            memories: reported.len() as u64,
            paths: reported.iter().rev().filter_map(|(_, path)| path.clone()).take(PATHS).collect(),
        })
    }

    /// Remembers that a session was told of. False when it was already.
    fn remember(&mut self, id: &str) -> bool {
        if !self.reported.insert(id.to_owned()) {
            return false;
        }
        self.reported_order.push_back(id.to_owned());
        if self.reported_order.len() > MAX_TOLD
            && let Some(oldest) = self.reported_order.pop_front()
        {
            self.reported.remove(&oldest);
        }
        true
    }
}

fn whose(group: &InboxGroup, item: &InboxItem) -> (Whose, Option<String>) {
    let origin = item.origin.as_ref();
    let session = origin.and_then(|origin| origin.session_id.as_ref()).or(group.session.as_ref());
    match session {
        Some(id) => {
            let title = origin.and_then(|origin| origin.title.as_deref()).map(plain);
            (Whose::Session(id.clone()), title.filter(|title| !title.is_empty()))
        }
        None => (Whose::Store(item.store_id.clone()), None),
    }
}

/// Number of findings of a kind in an item.
fn findings_of(item: &InboxItem, kind: AlarmKind) -> usize {
    item.findings.iter().filter(|finding| AlarmKind::of_rule(&finding.rule) == Some(kind)).count()
}

/// A text of somebody else as a message may hold it: on one line, not long, without what looks like a secret, and with a
/// sign in place of each that is not seen, so that nothing in it can reorder or hide the rest.
fn plain(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut seen = without_secrets(&one_line);
    let hidden = retrace_diff::hidden(&seen);
    // A message shows comments as they are. From behind, so that the places before stay right.
    for hidden in hidden.iter().rev() {
        if hidden.kind != HiddenKind::HtmlComment {
            seen.replace_range(hidden.range.clone(), "\u{fffd}");
        }
    }
    if seen.chars().count() <= LONGEST {
        return seen;
    }
    let cut: String = seen.chars().take(LONGEST - 1).collect();
    format!("{cut}…")
}

/// One line without what looks like a secret: it leaves the app for a service that keeps what it shows.
fn without_secrets(line: &str) -> String {
    let mut rest = line.to_owned();
    let found = check_one("", line.as_bytes(), &Config::default().with_every_place());
    let mut secrets: Vec<_> = found
        .iter()
        .filter(|finding| AlarmKind::of_rule(&finding.rule.id) == Some(AlarmKind::Secret))
        .filter_map(|finding| finding.span.as_ref().map(|span| span.bytes.clone()))
        .collect();
    secrets.sort_by_key(|bytes| std::cmp::Reverse((bytes.start, bytes.end)));
    let mut end = rest.len();
    for bytes in secrets {
        // Two formats may fit the same text.
        let range = bytes.start..bytes.end.min(end);
        end = range.start;
        if rest.get(range.clone()).is_some() {
            rest.replace_range(range, CONCEALED);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::{AlarmKind, Notice, Notices, QUIET_MS, plain};
    use crate::wire::{BrokenRules, DesktopSettings, Inbox};
    use serde_json::{Value, json};

    fn item(seq: u64, path: &str, rules: &[&str], session: Option<&str>) -> Value {
        let finding = |rule: &&str| {
            json!({"rule": rule, "severity": "error", "path": path, "line": 1, "column": 1,
                "message": "m", "remedy": "r"})
        };
        let origin = session.map(|id| json!({"confidence": "likely", "session_id": id, "title": "Tidy up"}));
        json!({
            "store_id": "memstore_a", "memory_id": format!("mem_{path}"), "path": path, "verb": "changed",
            "version_id": format!("memver_{seq}"), "versions": 1, "operation_seq": seq,
            "created_at": "2026-11-20T09:00:00Z", "source": "scan", "tokens_kind": "counted offline",
            "reappeared": false, "kind": crate::wire::MemoryKind::default(), "origin": origin,
            "findings": rules.iter().map(finding).collect::<Vec<_>>(),
        })
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
    fn inbox(items: Vec<Value>) -> Inbox {
        let total = items.len();
        let group =
            json!({"id": "group_1", "started_at": "", "ended_at": "", "total": total, "items": items});
        serde_json::from_value(json!({"groups": [group], "total": total, "groups_total": 1}))
            .expect("an inbox")
    }

    /// As after a first scan that found nothing.
    fn begun() -> Notices {
        let mut notices = Notices::default();
        assert_eq!(notices.update(&inbox(vec![]), &DesktopSettings::default(), 0), []);
        notices
    }

    fn broken(numbers: &[u64], rule: &str, session: &str) -> BrokenRules {
        let one = |number: &u64| {
            json!({"id": format!("break_{number}"), "rule_id": rule, "sentence": "pnpm, never npm", "source": null,
                "what": "npm ci", "session": session, "title": null, "transcript": "/s.jsonl", "subagent": false,
                "turn": 3, "line": 9, "at": null, "found_at": "2026-11-20T09:00:00Z", "present": false,
                "cause": "cut", "grade": "recorded", "at_end": false, "quiet_minutes": null, "seen_at": null,
                "seen_by": null})
        };
        let all: Vec<Value> = numbers.iter().map(one).collect();
        serde_json::from_value(json!({"broken": all, "total": all.len()})).expect("breaks")
    }

    #[test]
    fn a_broken_rule_is_told_once_for_each_session() {
        let settings = DesktopSettings::default();
        let mut notices = Notices::default();
        assert_eq!(notices.broken(&broken(&[1], "rule_1", "a"), &settings), []);
        let told = Notice::Broken {
            sentence: "pnpm, never npm".to_owned(),
            what: "npm ci".to_owned(),
            title: None,
            present: Some(false),
        };
        assert_eq!(
            notices.broken(&broken(&[3, 2, 1], "rule_1", "a"), &settings),
            std::slice::from_ref(&told)
        );
        assert_eq!(notices.broken(&broken(&[4, 3, 2, 1], "rule_1", "a"), &settings), []);
        assert_eq!(notices.broken(&broken(&[5], "rule_1", "b"), &settings), [told]);
        let quiet = DesktopSettings { alarms: false, ..settings };
        assert_eq!(notices.broken(&broken(&[6], "rule_2", "b"), &quiet), []);
    }

    #[test]
    fn what_was_there_before_is_no_news() {
        let mut notices = Notices::default();
        let old = || inbox(vec![item(7, "a.md", &["secret/aws"], Some("s1"))]);
        let settings = DesktopSettings::default();
        for now in [0, 1, QUIET_MS * 3] {
            assert_eq!(notices.update(&old(), &settings, now), []);
        }
        assert_eq!(notices.due(), None);
    }

    #[test]
    fn a_session_gets_one_digest_once_it_is_quiet() {
        let settings = DesktopSettings::default();
        let mut notices = begun();
        let first = vec![item(1, "a.md", &[], Some("s1"))];
        let second = vec![item(2, "b.md", &["limits/index"], Some("s1")), item(1, "a.md", &[], Some("s1"))];
        assert_eq!(notices.update(&inbox(first), &settings, 10), []);
        assert_eq!(notices.update(&inbox(second.clone()), &settings, 20), []);
        assert_eq!(notices.due(), Some(20 + QUIET_MS));
        assert_eq!(notices.update(&inbox(second.clone()), &settings, 19 + QUIET_MS), [], "still at work");
        let digest = Notice::Digest {
            title: Some("Tidy up".to_owned()),
            session: true,
            memories: 2,
            paths: vec!["b.md".to_owned(), "a.md".to_owned()],
        };
        assert_eq!(notices.update(&inbox(second.clone()), &settings, 20 + QUIET_MS), [digest]);
        let third = [vec![item(3, "c.md", &[], Some("s1"))], second].concat();
        assert_eq!(notices.update(&inbox(third.clone()), &settings, 21 + QUIET_MS), []);
        assert_eq!(notices.update(&inbox(third), &settings, 30 + QUIET_MS * 2), [], "it had its digest");
        assert_eq!(notices.due(), None);
    }

    #[test]
    fn changes_of_nobody_known_get_a_digest_a_burst_and_a_session_found_later_counts() {
        let settings = DesktopSettings::default();
        let mut notices = begun();
        notices.update(&inbox(vec![item(1, "a.md", &[], None)]), &settings, 0);
        let reported = notices.update(&inbox(vec![item(1, "a.md", &[], None)]), &settings, QUIET_MS);
        assert!(matches!(reported[..], [Notice::Digest { session: false, memories: 1, .. }]), "{reported:?}");
        notices.update(&inbox(vec![item(2, "a.md", &[], None)]), &settings, QUIET_MS + 1);
        let reported =
            notices.update(&inbox(vec![item(2, "a.md", &[], Some("s9"))]), &settings, 2 * QUIET_MS + 1);
        assert!(matches!(reported[..], [Notice::Digest { session: true, memories: 1, .. }]), "{reported:?}");
    }

    #[test]
    fn what_is_reviewed_meanwhile_is_left_out() {
        let settings = DesktopSettings::default();
        let mut notices = begun();
        notices.update(&inbox(vec![item(1, "a.md", &[], Some("s1"))]), &settings, 0);
        assert_eq!(notices.update(&inbox(vec![]), &settings, 1), []);
        assert_eq!(notices.due(), None);
        assert_eq!(notices.update(&inbox(vec![]), &settings, QUIET_MS), []);
    }

    #[test]
    fn alarms_come_at_once_one_of_a_kind_and_each_finding_once() {
        let settings = DesktopSettings::default();
        let mut notices = begun();
        let rules = ["secret/aws", "hidden/bidi", "links/broken"];
        let page = vec![
            item(2, "b.md", &["secret/x"], None),
            item(1, "a.md", &rules, None),
            item(3, "c.md", &["events/mass-delete", "events/race"], None),
        ];
        let reported = notices.update(&inbox(page), &settings, 0);
        let alarm = |kind, path: &str, more| Notice::Alarm { kind, path: Some(path.to_owned()), more };
        assert_eq!(
            reported,
            [
                alarm(AlarmKind::Secret, "b.md", 1),
                alarm(AlarmKind::MassDelete, "c.md", 0),
                alarm(AlarmKind::HiddenText, "a.md", 0)
            ]
        );
        assert_eq!(notices.update(&inbox(vec![item(4, "a.md", &rules, None)]), &settings, 1), []);
        let again = inbox(vec![item(5, "a.md", &["secret/aws", "secret/aws"], None)]);
        assert_eq!(notices.update(&again, &settings, 2), [alarm(AlarmKind::Secret, "a.md", 0)]);
    }

    #[test]
    fn a_mass_delete_is_reported_once_however_long_it_takes() {
        let settings = DesktopSettings::default();
        let mut notices = begun();
        let deleted = |count: u64, rules: &[&str]| {
            let items = (1..=count).rev().map(|seq| item(seq, &format!("{seq}.md"), rules, None)).collect();
            inbox(items)
        };
        let rule = ["events/mass-delete"];
        assert_eq!(notices.update(&deleted(4, &[]), &settings, 0), [], "an agent may tidy");
        let reported = notices.update(&deleted(5, &rule), &settings, 1_000);
        assert_eq!(
            reported,
            [Notice::Alarm { kind: AlarmKind::MassDelete, path: Some("5.md".to_owned()), more: 4 }],
            "with those that were deleted before"
        );
        let mut now = 1_000;
        for count in 6..12 {
            now += 59_000;
            assert_eq!(notices.update(&deleted(count, &rule), &settings, now), [], "it goes on");
        }
        now += 61_000;
        let reported = notices.update(&deleted(12, &rule), &settings, now);
        assert!(matches!(reported[..], [Notice::Alarm { kind: AlarmKind::MassDelete, .. }]), "{reported:?}");
    }

    #[test]
    fn a_path_that_is_redacted_meanwhile_is_not_named() {
        let settings = DesktopSettings::default();
        let mut notices = begun();
        notices.update(&inbox(vec![item(1, "customer.md", &[], Some("s1"))]), &settings, 0);
        let mut redacted = item(1, "customer.md", &[], Some("s1"));
        redacted["path"] = Value::Null;
        let reported = notices.update(&inbox(vec![redacted]), &settings, QUIET_MS);
        assert!(
            matches!(&reported[..], [Notice::Digest { memories: 1, paths, .. }] if paths.is_empty()),
            "{reported:?}"
        );
    }

    #[test]
    fn a_single_sign_of_no_harm_is_no_alarm() {
        assert_eq!(AlarmKind::of_rule("hidden/other"), None);
        assert_eq!(AlarmKind::of_rule("hidden/tag"), Some(AlarmKind::HiddenText));
    }

    #[test]
    fn what_is_switched_off_stays_silent() {
        let settings = DesktopSettings { alarms: false, digests: false, ..DesktopSettings::default() };
        let mut notices = begun();
        let page = || inbox(vec![item(1, "a.md", &["secret/aws"], Some("s1"))]);
        assert_eq!(notices.update(&page(), &settings, 0), []);
        assert_eq!(notices.update(&page(), &settings, QUIET_MS), []);
        assert_eq!(notices.due(), None, "nothing is kept for later");
    }

    #[test]
    fn texts_of_others_cannot_hide_or_reorder_anything() {
        assert_eq!(plain("a\u{202e}b\u{200b}\nc  d"), "a\u{fffd}b\u{fffd} c d");
        assert_eq!(plain("<!-- x --> y"), "<!-- x --> y");
        assert_eq!(plain(&"é".repeat(80)).chars().count(), 60);
    }

    #[test]
    fn nothing_that_looks_like_a_secret_leaves_the_app() {
        // Put together here so that no scanner takes this file for a leak.
        let key = ["sk", "live", "9vQ2mT7xKd4RbW8nZs3LpY6c"].join("_");
        assert_eq!(plain(&format!("Use {key} for the shop, {key}!")), "Use ••• for the shop, •••!");
        assert_eq!(plain(&format!("keys/{key}.md")), "keys/•••.md");
    }
}
