//! Every rule with what people are told about it.

use crate::finding::Severity;
use crate::secrets;
use std::collections::HashMap;
use std::sync::OnceLock;

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// `group/name`, stable.
    pub id: String,
    /// Name for people: the second part of the id in words, or what kind of secret it finds.
    pub name: String,
    /// Severity of its findings unless the configuration says otherwise.
    pub severity: Severity,
    /// True if it is on unless the configuration says otherwise. A rule whose precision on real memories was measured
    /// below 80 %, or could not be measured, is off (docs/FINDINGS.md).
    pub on: bool,
    /// Explanation of what it searches for and why that matters.
    pub explanation: String,
    /// Advice for its findings.
    pub remedy: String,
    /// True if what it finds is a secret or personal data, and is masked everywhere.
    pub sensitive: bool,
}

impl Rule {
    /// The part before the slash.
    #[must_use]
    pub fn group(&self) -> &str {
        self.id.split('/').next().unwrap_or(&self.id)
    }

    /// True if `selector` names this rule: its id, or its group.
    #[must_use]
    pub fn is_named(&self, selector: &str) -> bool {
        self.id == selector || self.group() == selector
    }
}

/// All rules, those of code first, then those of the set of secrets.
#[must_use]
pub fn rules() -> &'static [Rule] {
    static ALL: OnceLock<Vec<Rule>> = OnceLock::new();
    ALL.get_or_init(|| CODED.iter().map(Coded::rule).chain(secrets::rules()).collect())
}

/// The rule with this id.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    static BY_ID: OnceLock<HashMap<&str, &Rule>> = OnceLock::new();
    BY_ID.get_or_init(|| rules().iter().map(|rule| (rule.id.as_str(), rule)).collect()).get(id).copied()
}

/// The rule with an id that stands in this crate.
pub(crate) fn known(id: &str) -> &'static Rule {
    rule(id).expect("the ids used in this crate are in the table, which a test checks")
}

struct Coded {
    id: &'static str,
    severity: Severity,
    on: bool,
    explanation: &'static str,
    remedy: &'static str,
}

impl Coded {
    fn rule(&self) -> Rule {
        Rule {
            id: self.id.to_owned(),
            name: self.id.split('/').next_back().unwrap_or(self.id).replace('-', " "),
            severity: self.severity,
            on: self.on,
            explanation: self.explanation.to_owned(),
            remedy: self.remedy.to_owned(),
            sensitive: self.id.starts_with("personal/"),
        }
    }
}

macro_rules! coded {
    ($($id:literal $severity:ident $on:ident $explanation:literal $remedy:literal)+) => {
        &[$(Coded {
            id: $id,
            severity: Severity::$severity,
            on: coded!(@$on),
            explanation: $explanation,
            remedy: $remedy,
        }),+]
    };
    (@on) => { true };
    (@off) => { false };
}

const CODED: &[Coded] = coded! {
    "limits/index-cut" Warning on
    "An index (MEMORY.md) is loaded up to 200 lines or 25,000 bytes, front matter and block comments not counted; what follows is never loaded."
    "Move entries below the cut into topic files, or shorten the lines above it."

    "limits/index-line" Note on
    "A line of an index should be a short pointer; one of over 200 characters spends what every session pays for."
    "Keep the title and one short hook; move the rest into the topic file."

    "limits/instructions-size" Warning on
    "An instruction file (CLAUDE.md, AGENTS.md, GEMINI.md) of over 40,000 characters is loaded whole into every session."
    "Split it, and import or scope the parts that not every session needs."

    "limits/hosted-size" Note on
    "A hosted memory store takes at most 102,400 bytes in one memory."
    "Split the file before it goes to a hosted store."

    "limits/hosted-path" Note on
    "A hosted memory store takes paths of at most 1,024 bytes and 20 segments, in Unicode NFC, without control or format characters."
    "Rename the file before it goes to a hosted store."

    "limits/hosted-count" Note on
    "A hosted memory store takes at most 2,000 memories."
    "Merge or remove memories before they go to a hosted store."

    "limits/view-lines" Warning on
    "The memory tool refuses to show a file of more than 999,999 lines, the empty piece after a final line feed counted."
    "Split the file; the agent cannot open it."

    "limits/not-checked" Note on
    "The file is too large to be read here, or could not be read, and was not checked."
    "Make it smaller or readable, or leave it out with `exclude`."

    "links/missing-file" Warning on
    "A link leads to a file that is not in the directory: an agent follows it into an error."
    "Correct the link, or remove the line."

    "links/orphan" Note on
    "A topic file that no index links to is found by nobody."
    "Add a line to the index, or remove the file."

    "links/wiki" Note on
    "A [[link]] names a memory that does not exist."
    "Correct the name, or write the memory."

    "links/import" Warning on
    "An @import of an instruction file leads to nothing, so what it should bring in is missing in every session."
    "Correct the path, or remove the import."

    "front-matter/invalid" Warning on
    "The front matter is not valid YAML, or is not closed; programs that pick memories by name and description do not see them."
    "Quote values that hold a colon and a space, a quote or a leading special character; close the block with ---."

    "front-matter/unknown-type" Note on
    "The type is none of user, feedback, project and reference."
    "Use one of the four types."

    "front-matter/name-twice" Note on
    "Two memories of one directory have the same name, so a [[link]] to it is ambiguous."
    "Rename one, or merge them."

    "personal/email" Warning on
    "An e-mail address of a person."
    "Redact it unless it has to be there; allow your own in the configuration."

    "personal/card" Error on
    "A payment card number: length, issuer prefix and checksum (Luhn) fit."
    "Redact it, history included."

    "hidden/zero-width" Warning on
    "A character without width: a person does not see it, a model reads it."
    "Remove it; its history shows where it came in."

    "hidden/bidi" Error on
    "A control character that changes the order in which text is shown, so that it reads otherwise than it is."
    "Remove it; look at who wrote the line."

    "hidden/tag" Error on
    "Tag characters: an invisible alphabet, used to hide instructions."
    "Remove them; look at who wrote the line."

    "hidden/control" Warning on
    "A control character other than tab and line ends."
    "Remove it."

    "hidden/other" Note on
    "Another character that is not shown: a soft hyphen, a filler, a stray variation selector, a byte that is not UTF-8."
    "Remove it, or save the file as UTF-8."

    "hidden/comment" Note on
    "An HTML comment holds sentences that a rendered view does not show."
    "Move the text into sight, or remove it."

    "hidden/path" Warning on
    "A path holds characters that are not seen, or letters of one script that look like those of another."
    "Rename the file."

    "hostile/instructions" Error on
    "Text that speaks to the model to override its instructions or to keep something from the user."
    "Find out who wrote it, roll it back, and look at what else came with it."

    "hostile/tool-call" Warning on
    "Text that looks like a part of the conversation's own format: a tool call, a role mark, a system reminder."
    "Rewrite it so that it cannot be taken for one, or roll it back."

    "hostile/exfiltration" Error on
    "Text that would send data out: a command that uploads credentials, an address of a request catcher, an image address that carries data."
    "Find out who wrote it, roll it back, and look at what else came with it."

    "hostile/remote-code" Warning on
    "A command that runs what an address answers, unseen: an agent that follows the memory runs it."
    "Name the package instead, or a script that is pinned and checked; look at who wrote it."

    "hostile/mention" Note on
    "A quotation or a description of text that is aimed at a model, as in a note about prompt injection. It is no injection by itself."
    "Keep it if it is about such text; if it is meant to be followed, roll it back."

    "truth/file" Note off
    "A memory names a file that the repository does not have."
    "Correct the memory, or remove what is no longer true."

    "truth/script" Note on
    "A memory names a script that package.json does not have."
    "Correct the memory, or remove what is no longer true."

    "truth/command" Note off
    "A memory names a command whose script, recipe or crate the repository does not have."
    "Correct the memory, or remove what is no longer true."

    "truth/make-target" Note off
    "A memory names a make target that the Makefile does not have."
    "Correct the memory, or remove what is no longer true."

    "truth/package" Note off
    "A memory names a scoped package that no package.json depends on."
    "Correct the memory, or remove what is no longer true."

    "truth/branch" Note off
    "A memory names a branch that the repository does not have."
    "Correct the memory, or remove what is no longer true."

    "truth/port" Note off
    "A memory names a port that no configuration file of the repository mentions."
    "Correct the memory, or remove what is no longer true."

    "truth/date-past" Note off
    "Refers to a future date that has passed."
    "Say what happened, or remove the line."

    "use/never-present" Note on
    "No session of the last 30 days had the lines before it, though some could have. Sessions that do not tell what they loaded do not count."
    "Open its reach to see why. Move lines that are cut into a topic; link what nobody opens where it is needed, or remove it."

    "similar/near-duplicate" Note on
    "Two memories say nearly the same in the same words."
    "Merge them, and keep one."

    "similar/contradiction" Note off
    "Two lines say the same of different values, or one says always what the other says never."
    "Find out which is true, and correct the other."

    "events/mass-delete" Error on
    "Most of a directory's memories, or very many of them, were deleted within a minute."
    "Check who deleted them, and put back what should have stayed."

    "events/index-shrank" Warning on
    "An index lost half of its lines or more in one change: what it linked to is found by nobody any more."
    "Look at the difference; roll the index back if the entries were not moved on purpose."

    "events/unknown-writer" Warning on
    "Nobody known made the change, in a directory where nearly all other changes have a known writer."
    "Look at what it says before a session reads it; roll it back if nobody can account for it."

    "events/redacted-back" Error on
    "A memory on disk holds something that was redacted before: somebody wrote it again."
    "Redact it again in file and history, find out who wrote it, and exchange the secret."

    "events/race" Warning on
    "Two sessions wrote the same file at the same time; one of them worked from what the other had replaced."
    "Look at both versions, and put back what was lost."
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_rule_is_named_once_and_explained() {
        let ids: BTreeSet<&str> = rules().iter().map(|rule| rule.id.as_str()).collect();
        assert_eq!(ids.len(), rules().len());
        for rule in rules() {
            assert!(rule.id.split('/').count() == 2 && !rule.group().is_empty(), "{}", rule.id);
            assert!(rule.explanation.ends_with('.') && rule.remedy.ends_with('.'), "{}", rule.id);
            assert_eq!(rule.sensitive, matches!(rule.group(), "secret" | "personal"), "{}", rule.id);
            assert!(rule.is_named(&rule.id) && rule.is_named(rule.group()));
        }
    }
}
