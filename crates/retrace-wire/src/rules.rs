//! Rules that memories state, and how sessions fared with them.

use super::{ActorView, PresenceCause, PresenceGrade, RuleKind, RuleOutcome};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use ts_rs::TS;

/// A rule: which calls or paths it is about, by kind, the sentence it comes from and where that stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleFields {
    /// The kind.
    pub kind: RuleKind,
    /// The program without its directory; `*` for any. Of kinds about one command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Words that its arguments hold: options anywhere, other words in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Of `command_form`: words that the call holds, or `!` and a text that it does not. Of `text_form`: a text that each place
    /// holds, or `!` and a text that none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Of `order`: the command that comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Of `order`: the command that may come then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Of `path_never` and `text_form`: patterns of paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Of `text_form`: the text with which each place begins that must have the form; none where a write is one place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The sentence.
    pub sentence: String,
    /// Where it stands: `STORE:PATH:LINE`, or a file.
    pub source: Option<String>,
}

/// A rule that a person confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryRule {
    /// Its id, such as `rule_3`.
    pub rule_id: String,
    /// The rule.
    #[serde(flatten)]
    pub rule: RuleFields,
    /// When it was confirmed.
    pub added_at: String,
    /// When it was taken off the list; null while it is on it.
    pub removed_at: Option<String>,
    /// Hooks that guard it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<RuleGuard>,
}

/// A hook that guards a rule: an agent's settings have a call judged before it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleGuard {
    /// The settings.
    pub settings: String,
    /// True if it reminds the model and lets the call be made.
    pub remind: bool,
    /// When it was put in.
    pub since: String,
    /// True if it stands there now.
    pub in_place: bool,
}

/// Makes a rule a guard, or takes the guard off again.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct GuardRule {
    /// The rule's id.
    pub rule: String,
    /// True to remind the model of the rule; without it the call is refused.
    #[serde(default)]
    pub remind: bool,
    /// True to take the guard off.
    #[serde(default)]
    pub remove: bool,
    /// A settings file, absolute. Without it and `project`, the settings of this user, or of the guard that is taken off.
    #[serde(default)]
    pub settings: Option<String>,
    /// The settings that a directory has for this user alone.
    #[serde(default)]
    pub project: Option<String>,
    /// True to change nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// SHA-256 that the settings must have, `absent` where there must be none.
    #[serde(default)]
    pub expect: Option<String>,
}

/// What was changed in the settings, or would be.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct GuardedRule {
    /// True if nothing was changed.
    pub dry_run: bool,
    /// The rule, with its guards.
    pub rule: MemoryRule,
    /// The settings.
    pub settings: String,
    /// What the hook runs.
    pub command: String,
    /// True if it reminds the model and lets the call be made.
    pub remind: bool,
    /// Hash of the settings before; `absent` where there were none.
    pub from_sha256: String,
    /// Hash of the settings after; `absent` where there are none.
    pub to_sha256: String,
    /// The edit, with the lines around it.
    pub lines: Vec<SettingsLine>,
    /// How often the hook would have fired on recorded sessions; null where a guard is taken off.
    pub back_test: Option<BackTest>,
}

/// What an undo makes of a rule or of breaks of rules, or would make of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UndoneRuleAct {
    /// What becomes of them.
    pub becomes: super::RuleStanding,
    /// The rule whose place on the list changes; null with breaks.
    pub rule_id: Option<String>,
    /// Its sentence; null with breaks, and where a redaction took it out.
    pub sentence: Option<String>,
    /// The breaks, by id, oldest first; empty with a rule.
    pub broken: Vec<String>,
    /// When the act was that is undone.
    pub created_at: String,
}

/// A line of settings.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SettingsLine {
    /// Its change.
    pub tag: super::LineTag,
    /// Its text.
    pub text: String,
}

/// A guard held against recorded sessions: each call judged as the hook would have judged it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct BackTest {
    /// Sessions in which the settings are in force and the rule counts.
    pub sessions: u64,
    /// Calls that it would have been asked about.
    pub calls: u64,
    /// Of these: calls that it would have stopped, or reminded of.
    pub fired: u64,
    /// Of the fired ones: the call broke the rule.
    pub broken: u64,
    /// Of the fired ones: the person had asked for the call, so that the guard would have been wrong.
    pub wrongly: u64,
    /// Of the fired ones: the rule did not stand there yet.
    pub predates: u64,
    /// The newest fired ones.
    pub cases: Vec<RuleCase>,
}

/// Asks for the rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MemoryRulesReq {
    /// True to list those that were taken off as well.
    #[serde(default)]
    pub removed: bool,
}

/// Rules, in the order in which they were confirmed.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MemoryRules {
    /// The rules.
    pub rules: Vec<MemoryRule>,
}

/// Confirms a rule.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AddMemoryRule {
    /// The rule, with the fields of `RuleFields`; lists may be one text.
    #[ts(type = "unknown")]
    pub rule: Value,
    /// True to keep it off the list: a proposal that a person dismissed is not made again.
    #[serde(default)]
    pub dismissed: bool,
}

/// Confirms several rules at once.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AddMemoryRules {
    /// The rules, each as in `AddMemoryRule`.
    #[ts(type = "unknown[]")]
    pub rules: Vec<Value>,
}

/// Takes a rule off the list, or puts it back.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ListMemoryRule {
    /// Its id.
    pub rule: String,
    /// True to put it back.
    #[serde(default)]
    pub put_back: bool,
}

/// Asks for sentences that look like rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ProposeRulesReq {
    /// Of this store alone, id or name.
    #[serde(default)]
    pub store: Option<String>,
    /// Of a file that is in no store, absolute.
    #[serde(default)]
    pub file: Option<String>,
    /// True to read what people said in sessions as well.
    #[serde(default)]
    pub sessions: bool,
}

/// Sentences that look like rules. None counts before it is confirmed.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ProposedRules {
    /// The proposals, by source and line. Rules that are confirmed already are left out.
    pub rules: Vec<RuleFields>,
}

/// Asks how sessions fared with the rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct AdherenceReq {
    /// One rule, by id; every rule on the list without it.
    #[serde(default)]
    pub rule: Option<String>,
    /// Only what was done since this time, RFC 3339.
    #[serde(default)]
    pub since: Option<String>,
    /// True to give the cases as well, the newest first.
    #[serde(default)]
    pub cases: bool,
}

/// How sessions fared with the rules.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Adherence {
    /// One row a rule.
    pub rules: Vec<RuleLedger>,
    /// Sessions on this machine that were read.
    pub sessions: u64,
    /// Transcripts that could not be read, with the reason.
    pub problems: Vec<Message>,
}

/// How sessions fared with one rule.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RuleLedger {
    /// The rule's id.
    pub rule_id: String,
    /// The rule.
    #[serde(flatten)]
    pub rule: RuleFields,
    /// Points at which it applied: followed, broken, excepted and undecidable ones.
    pub opportunities: u64,
    /// It was followed.
    pub followed: u64,
    /// It was not.
    pub broken: u64,
    /// Of the broken ones: the rule was before the model.
    pub broken_present: u64,
    /// Of those: that it was is inferred, not recorded. Absent where all of it is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub broken_inferred: Option<u64>,
    /// Of the broken ones: it was not, by cause.
    pub broken_absent: BTreeMap<String, u64>,
    /// Of the broken ones: the session does not tell whether it was.
    pub broken_unknown: u64,
    /// It was not followed, and the person had asked for that.
    pub excepted: u64,
    /// The rule did not stand there then: not yet, or no longer.
    pub predates: u64,
    /// The session does not tell.
    pub undecidable: u64,
    /// Sessions with at least one opportunity.
    pub sessions: u64,
    /// Tokens of its line, as the newest models count: what it costs a session that loads it.
    pub tokens_per_session: u64,
    /// When it last applied.
    pub last_at: Option<String>,
    /// Hooks that guard it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<RuleGuard>,
    /// Directory of the project that its source belongs to; null where it belongs to none, or to one that is not here.
    pub project: Option<String>,
    /// The wordings of its line, the oldest first, each with how it fared while it stood.
    pub by_version: Vec<RuleWording>,
    /// Cases, the newest first, where asked for; at most 500.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<RuleCase>,
}

/// One wording of a rule's line.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RuleWording {
    /// The version that brought it; null for the time before the line first stood there. After it was gone nothing is counted.
    pub version_id: Option<String>,
    /// When that was.
    pub since: Option<String>,
    /// The line then; null where the version was redacted, and before the line stood there.
    pub line: Option<String>,
    /// Its number then, from 1.
    pub number: Option<u64>,
    /// Points at which it applied.
    pub opportunities: u64,
    /// It was followed.
    pub followed: u64,
    /// It was not.
    pub broken: u64,
    /// It was not, and the person had asked for that.
    pub excepted: u64,
    /// The session does not tell.
    pub undecidable: u64,
}

/// A point at which a rule applied.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RuleCase {
    /// What became of it.
    pub outcome: RuleOutcome,
    /// The call or the path that counts.
    pub what: String,
    /// The session's id.
    pub session: String,
    /// The session's title, where it has one.
    pub title: Option<String>,
    /// The transcript.
    pub transcript: String,
    /// True if a subagent did it.
    pub subagent: bool,
    /// The turn, from 1.
    pub turn: Option<u64>,
    /// Line of the transcript, from 1.
    pub line: u64,
    /// When.
    pub at: Option<String>,
    /// Of a broken one: true if the rule was before the model; null where the session does not tell.
    pub present: Option<bool>,
    /// Why it was not.
    pub cause: Option<PresenceCause>,
    /// How well that is known; absent where it is not known whether the rule was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub grade: Option<PresenceGrade>,
}

/// Judges one call before it is made.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CheckRuleReq {
    /// One rule, by id; every rule on the list without it.
    #[serde(default)]
    pub rule: Option<String>,
    /// Name of the tool.
    pub tool: String,
    /// Its input.
    #[ts(type = "unknown")]
    pub input: Value,
    /// The directory it runs in.
    #[serde(default)]
    pub directory: Option<String>,
    /// The transcript of its session. With it, rules of other projects are left out.
    #[serde(default)]
    pub transcript: Option<String>,
}

/// Rules that a call would break.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CheckedRule {
    /// The rules; none where the call may be made.
    pub broken: Vec<MemoryRule>,
}

/// Asks for the breaks of rules that were found while sessions ran.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct BrokenRulesReq {
    /// True to list those that were seen as well.
    #[serde(default)]
    pub seen: bool,
    /// Number at most; 200 when absent, 1000 at most.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// Breaks of rules, the newest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct BrokenRules {
    /// The breaks.
    pub broken: Vec<BrokenRule>,
    /// All of them, those that are not listed included.
    pub total: u64,
}

/// A rule that was broken while something recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BrokenRule {
    /// Its id, such as `break_7`.
    pub id: String,
    /// The rule's id.
    pub rule_id: String,
    /// The rule's sentence.
    pub sentence: String,
    /// Where that stands: `STORE:PATH:LINE`, or a file.
    pub source: Option<String>,
    /// The call or the path that broke it; of a rule about the end of a session, the call that was missing there.
    pub what: String,
    /// True if the rule is about the end of a session.
    pub at_end: bool,
    /// Minutes without a call before the end was found, where there were 30 or more; null for other rules.
    pub quiet_minutes: Option<u64>,
    /// The session's id.
    pub session: String,
    /// The session's title, where it has one.
    pub title: Option<String>,
    /// The transcript.
    pub transcript: String,
    /// True if a subagent did it.
    pub subagent: bool,
    /// The turn, from 1.
    pub turn: Option<u64>,
    /// Line of the transcript, from 1.
    pub line: u64,
    /// When the call was made.
    pub at: Option<String>,
    /// When it was found.
    pub found_at: String,
    /// True if the rule's line was before the model; null where the session does not tell.
    pub present: Option<bool>,
    /// Why it was not.
    pub cause: Option<PresenceCause>,
    /// How well that is known.
    pub grade: Option<PresenceGrade>,
    /// When a person saw it and let it be; null while it needs one.
    pub seen_at: Option<String>,
    /// Who.
    pub seen_by: Option<ActorView>,
}

/// Says that a person saw breaks, or takes that back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct SeeBrokenRules {
    /// Their ids.
    pub broken: Vec<String>,
    /// True to put them back among what needs a person.
    #[serde(default)]
    pub put_back: bool,
}
