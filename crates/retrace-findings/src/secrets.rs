//! Secrets by their formats, which are data: `data/secrets.toml`.
//!
//! One pass over a file finds the keywords of all formats; only where one stands are expressions tried. What looks like an
//! example, or is too regular for its format, is no secret.
//!
//! Deliberately absent: asking a provider whether a secret is live.

use crate::finding::Severity;
use crate::registry::Rule;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

/// The set as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    placeholders: Vec<String>,
    default_passwords: Vec<String>,
    rule: Vec<WrittenRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    id: String,
    name: String,
    regex: String,
    keywords: Vec<String>,
    /// The secret is the first of the expression's groups from this one on that takes part; 0 is the whole.
    #[serde(default)]
    group: usize,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    shape: Shape,
    source: String,
    licence: String,
}

/// Form of the secret besides fitting the expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shape {
    /// Nothing more.
    #[default]
    Any,
    /// Letters and digits mixed, and no path, call or reference.
    Random,
    /// A password that is no well-known default.
    Credentials,
    /// A password as people write it beside its name: no word of a sentence, of a schema or of code.
    Password,
    /// A key by the name of its field: mixed as `Random`, and no identifier that merely looks like one.
    Key,
    /// A prefix and a random rest.
    Prefixed,
}

struct Format {
    written: WrittenRule,
    /// Made when a keyword is met for the first time: most runs need few of them.
    regex: OnceLock<Regex>,
}

impl Format {
    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            Regex::new(&self.written.regex)
                .expect("the expressions are part of this crate, and a test reads them")
        })
    }

    /// True unless what stands around it says that it is no secret.
    fn may_stand_at(&self, text: &str, range: &Range<usize>) -> bool {
        match self.written.shape {
            Shape::Random => !is_in_badge(&text[..range.start]),
            // `password = hash2(` is code.
            Shape::Password => !text[range.end..].starts_with(['(', '[']),
            Shape::Key => {
                !text[range.end..].starts_with(['(', '[', '.']) && !names_no_secret(&text[..range.start])
            }
            _ => true,
        }
    }
}

struct Set {
    formats: Vec<Format>,
    /// Words of examples, in small letters.
    placeholders: AhoCorasick,
    default_passwords: Vec<String>,
    keywords: AhoCorasick,
    /// For each keyword the formats it stands for.
    formats_of: Vec<usize>,
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    /// The rule's id.
    pub(crate) rule: &'static str,
    /// Short name.
    pub(crate) name: &'static str,
    /// Where the secret itself stands, bytes.
    pub(crate) range: Range<usize>,
}

fn set() -> &'static Set {
    static SET: OnceLock<Set> = OnceLock::new();
    SET.get_or_init(|| {
        let written: Written = toml::from_str(include_str!("../data/secrets.toml"))
            .expect("the rule set is part of this crate, and a test reads it");
        let mut keywords = Vec::new();
        let mut formats_of = Vec::new();
        for (index, rule) in written.rule.iter().enumerate() {
            for keyword in &rule.keywords {
                keywords.push(keyword.clone());
                formats_of.push(index);
            }
        }
        let keywords = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&keywords)
            .expect("the keywords are few and short");
        let formats =
            written.rule.into_iter().map(|rule| Format { written: rule, regex: OnceLock::new() }).collect();
        let placeholders =
            AhoCorasick::new(&written.placeholders).expect("the placeholders are few and short");
        Set { formats, placeholders, default_passwords: written.default_passwords, keywords, formats_of }
    })
}

/// The rules of the set, for the registry. A secret in memory is an error, whatever its kind.
pub(crate) fn rules() -> impl Iterator<Item = Rule> {
    set().formats.iter().map(|format| Rule {
        id: format.written.id.clone(),
        name: format.written.name.clone(),
        severity: Severity::Error,
        on: true,
        explanation: format!(
            "A {} stands in a memory, where every later session and everybody with the file reads it. Format: {} ({}).",
            format.written.name, format.written.source, format.written.licence
        ),
        remedy: "Revoke it with its provider, then redact it from the file and its history.".to_owned(),
        sensitive: true,
    })
}

/// The secrets in `text`, by place. Where two formats claim the same place, the one that stands first in the set wins:
/// general formats stand last.
pub(crate) fn secrets(text: &str) -> Vec<Secret> {
    let set = set();
    let mut tried = vec![false; set.formats.len()];
    for found in set.keywords.find_overlapping_iter(text) {
        tried[set.formats_of[found.pattern().as_usize()]] = true;
    }
    // By start; none overlaps another.
    let mut secrets: BTreeMap<usize, Secret> = BTreeMap::new();
    for (format, _) in set.formats.iter().zip(tried).filter(|(_, tried)| *tried) {
        // One secret may stand in a text a hundred thousand times.
        let mut weighed: HashMap<&str, bool> = HashMap::new();
        for captures in format.regex().captures_iter(text) {
            let groups = format.written.group..captures.len();
            let Some(found) = groups.filter_map(|group| captures.get(group)).next() else { continue };
            let range = without_script(text, found.range());
            let before = secrets.range(..range.end).next_back();
            let taken = before.is_some_and(|(_, other)| other.range.end > range.start);
            let secret = &text[range.clone()];
            if !taken
                && format.may_stand_at(text, &range)
                && *weighed.entry(secret).or_insert_with(|| set.believes(format, secret))
            {
                // Without it the secret stands elsewhere, too.
                let range = range.start..range.start + without_stop(secret).len();
                let secret = Secret { rule: &format.written.id, name: &format.written.name, range };
                secrets.insert(secret.range.start, secret);
            }
        }
    }
    secrets.into_values().collect()
}

/// A place without letters of a script that has no spaces, where they follow others: `パスワードは…です`.
fn without_script(text: &str, range: Range<usize>) -> Range<usize> {
    let is_script = |letter: char| matches!(letter, '\u{1100}'..='\u{11ff}' | '\u{3000}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}');
    match text[range.clone()].find(is_script) {
        Some(at) if at > 0 => range.start..range.start + at,
        _ => range,
    }
}

/// A secret without what ends a sentence or a part of it. Passwords end with `!` and `?` more often than sentences with a password do.
fn without_stop(secret: &str) -> &str {
    match secret.trim_end_matches(['.', ',', ';', ':']) {
        "" => secret,
        rest => rest,
    }
}

impl Set {
    /// True if what fits the expression is a secret and no example.
    fn believes(&self, format: &Format, secret: &str) -> bool {
        let lower = secret.to_lowercase();
        if self.placeholders.is_match(&lower) {
            return false;
        }
        let shaped = match format.written.shape {
            Shape::Any => true,
            Shape::Random => is_random(secret),
            Shape::Key => is_random(secret) && !is_identifier(secret),
            Shape::Prefixed => is_prefixed(secret, format.written.entropy),
            Shape::Password => {
                // `password123` is as well known as `password`.
                let stem = lower.trim_end_matches(['1', '2', '3', '4']);
                !self.default_passwords.iter().any(|known| known == stem || *known == lower)
                    && is_password(secret)
            }
            Shape::Credentials => {
                !self.default_passwords.contains(&lower)
                    && !secret.starts_with(['$', '{', '%', '[', '(', '*', ':'])
            }
        };
        shaped && (format.written.entropy <= 0.0 || entropy(secret) >= format.written.entropy)
    }
}

/// Letters and digits mixed in one word, and nothing that a path, a call, a reference or a version number has.
fn is_random(text: &str) -> bool {
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let odd = text.starts_with(['$', '%', '/', '.', '~', '@', '#', '\\', '&', ':'])
        || text.contains("://")
        || text.contains("::")
        || text.contains("...")
        || text.contains('…')
        || !text.is_ascii();
    let path = text.contains('/') && text.split('/').all(|part| part.len() < 12);
    let words = text
        .split(['-', '_', '.', '/', ':'])
        .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()) || is_word(part));
    letters >= 3 && digits >= 2 && !odd && !path && !words && !is_in_words(text)
}

/// True if what stands before is the address of a badge, whose token is for everybody who reads the page.
fn is_in_badge(before: &str) -> bool {
    last_bytes(before, 40).contains(".svg?")
}

/// Kinds of keys that open nothing.
const NO_SECRET_KEYS: [&str; 12] = [
    "public",
    "pub",
    "host",
    "primary",
    "foreign",
    "partition",
    "sort",
    "cache",
    "object",
    "s3",
    "idempotency",
    "dedup",
];

/// True if the word before `key` says that it opens nothing: a public key, the key of a row or of a cache.
fn names_no_secret(before: &str) -> bool {
    let before = last_bytes(before, 80).to_lowercase();
    let Some((kind, _)) = before.rsplit_once("key") else { return false };
    let kind = kind.trim_end_matches([' ', '_', '-', '.']);
    NO_SECRET_KEYS.iter().any(|name| {
        kind.strip_suffix(name).is_some_and(|rest| !rest.ends_with(|letter: char| letter.is_alphanumeric()))
    })
}

/// The last bytes of a text, cut to whole characters.
fn last_bytes(text: &str, count: usize) -> &str {
    let mut from = text.len().saturating_sub(count);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// True for forms of identifiers: a UUID, a hash of Git or of SHA-2 in full length, a version.
fn is_identifier(text: &str) -> bool {
    let hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let uuid =
        text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && text.split('-').all(hex);
    uuid || (matches!(text.len(), 40 | 64 | 96 | 128) && hex(text))
}

/// `prefix_rest` or `prefix-rest`, whose rest is random.
fn is_prefixed(text: &str, least: f64) -> bool {
    // The id of a call in OpenAI's API; the keys with these letters have a hyphen.
    if text.starts_with("fc_") {
        return false;
    }
    let rest = text.rsplit(['_', '-']).next().unwrap_or(text);
    let letters = rest.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    letters >= 3 && digits >= 2 && !is_word(rest) && !is_in_words(rest) && entropy(rest) >= least
}

/// True for names of code such as `UserSettingsV2Page3`: words that each begin with a capital, and few letters besides. What is
/// random has hardly three small letters in a row.
fn is_in_words(text: &str) -> bool {
    let (mut letters, mut in_words, mut words, mut parts) = (0, 0, 0, 0);
    for part in cased_parts(text) {
        letters += part.len();
        parts += 1;
        let lower = part.to_ascii_lowercase();
        if part.len() >= 3 && lower.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
            in_words += part.len();
            words += usize::from(part.starts_with(|letter: char| letter.is_ascii_uppercase()));
        }
    }
    // Four letters a part on average, and seven of ten in words.
    words >= 2 && letters >= 4 * parts && in_words * 10 >= letters * 7
}

/// Runs of letters, cut before each capital that a small letter follows or that follows one.
fn cased_parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphabetic()).flat_map(|run| {
        let bytes = run.as_bytes();
        let begins = |at: &usize| {
            *at == 0
                || (bytes[*at].is_ascii_uppercase()
                    && (bytes[*at - 1].is_ascii_lowercase()
                        || bytes.get(*at + 1).is_some_and(u8::is_ascii_lowercase)))
        };
        let starts: Vec<usize> = (0..run.len()).filter(begins).collect();
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([run.len()]).collect();
        starts.into_iter().zip(ends).map(move |(start, end)| &run[start..end])
    })
}

/// Names of ways to hash and encode, of types and of products: they stand where a password could.
const NO_PASSWORDS: [&str; 30] = [
    "aes128", "aes256", "argon2", "argon2d", "argon2i", "argon2id", "base32", "base64", "blowfish", "char",
    "gpg2", "hmac", "int32", "int64", "ldap", "md5", "oauth", "oauth1", "oauth2", "pbkdf2", "rsa2048",
    "rsa4096", "scrypt", "sha1", "sha224", "sha256", "sha384", "sha512", "utf8", "varchar",
];

/// A word that a person would take for a password: a letter, and a digit or a sign that words and names do not have.
fn is_password(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let sign = text.contains(['!', '#', '%', '^', '@', '$']);
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let parts: Vec<&str> = text.split(['-', '_', '.', '/', ':']).collect();
    // `user.password2`, `refresh_token_v2`, `2024-03-01`, `v1.2.3`.
    let name = parts.len() > 1
        && parts.iter().all(|part| is_word(part) || part.bytes().all(|byte| byte.is_ascii_digit()));
    let address = text.split_once('@').is_some_and(|(_, host)| host.contains('.'));
    let reference = text.starts_with(['$', '%', '/', '.', '~', '\\', '&', '{', '[', '(', '@', ':', '-'])
        || text.contains("://")
        || text.contains("::")
        || text.contains("->")
        || text.contains("...")
        || text.contains('…')
        || text.contains("()");
    letters >= 2
        && (digit || sign)
        && !name
        && !address
        && !reference
        && !NO_PASSWORDS.contains(&plain.as_str())
        && !is_measure(&plain)
        && !text.chars().all(|letter| letter.is_alphabetic() || "?!*=".contains(letter))
}

/// True for a rule about passwords, such as `min8chars`, and for an amount, such as `1200ms`.
fn is_measure(plain: &str) -> bool {
    let number = |text: &str| text.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let least = ["min", "max", "minimum", "maximum", "atleast"];
    let from = plain.find(|letter: char| letter.is_ascii_digit()).unwrap_or(plain.len());
    let (before, rest) = plain.split_at(from);
    let unit = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let units = ["char", "letter", "digit", "symbol", "byte", "bit"];
    number(rest)
        && (least.contains(&before)
            || units.iter().any(|name| unit.starts_with(name))
            || (before.is_empty() && unit.len() <= 4 && unit.bytes().all(|byte| byte.is_ascii_lowercase())))
}

/// Letters of one case, perhaps a capital first, perhaps a few digits at the end: a word or a name with a number.
fn is_word(text: &str) -> bool {
    let stem = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let rest = stem.get(1..).unwrap_or("");
    text.len() - stem.len() <= 4
        && stem.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (rest.bytes().all(|byte| byte.is_ascii_lowercase())
            || stem.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// Shannon entropy of the characters of `text`, in bits a character.
fn entropy(text: &str) -> f64 {
    // A table for ASCII: nearly every secret is, and one is weighed for each place that fits an expression.
    let mut ascii = [0.0_f64; 128];
    let mut others = BTreeMap::new();
    let mut total = 0.0_f64;
    for letter in text.chars() {
        let count = match ascii.get_mut(letter as usize) {
            Some(count) => count,
            None => others.entry(letter).or_insert(0.0),
        };
        *count += 1.0;
        total += 1.0;
    }
    let met = ascii.iter().chain(others.values()).filter(|count| **count > 0.0);
    met.map(|count| count / total).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `length` characters without a pattern, of those in `alphabet`.
    fn noise(alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        (0..length)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                letters[usize::try_from(state >> 33).unwrap() % letters.len()]
            })
            .collect()
    }

    /// The secrets found, as they stand.
    fn texts(text: &str) -> Vec<&str> {
        secrets(text).into_iter().map(|secret| &text[secret.range]).collect()
    }

    #[test]
    fn what_ends_a_sentence_is_no_part_of_the_secret() {
        for text in [
            "The admin password is Uor0fYeQ8bvUx7.",
            "password: Uor0fYeQ8bvUx7.",
            "- Password: Uor0fYeQ8bvUx7, the user is admin",
            "管理者のパスワードは Uor0fYeQ8bvUx7です。",
            "관리자 비밀번호는 Uor0fYeQ8bvUx7입니다.",
        ] {
            assert_eq!(texts(text), ["Uor0fYeQ8bvUx7"], "{text}");
        }
        assert_eq!(texts("The API key is q8Zt3LmW0xRb7NcV2kYp9aHd."), ["q8Zt3LmW0xRb7NcV2kYp9aHd"]);
        assert_eq!(texts("The admin password is Sommer2024!"), ["Sommer2024!"]);
    }

    const MIXED: &str = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    const HEX: &str = "0123456789abcdef";
    const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

    fn rule_of(text: &str) -> Option<&'static str> {
        secrets(text).first().map(|secret| secret.rule)
    }

    #[test]
    fn the_set_can_be_read_and_says_where_it_comes_from() {
        for format in &set().formats {
            let written = &format.written;
            assert!(written.id.starts_with("secret/"), "{}", written.id);
            assert!(
                !written.source.is_empty() && matches!(written.licence.as_str(), "fact" | "MIT"),
                "{}",
                written.id
            );
            assert!(!written.keywords.is_empty(), "{}", written.id);
            assert!(written.keywords.iter().all(|word| *word == word.to_lowercase()), "{}", written.id);
            assert!(written.group < format.regex().captures_len(), "{}", written.id);
            assert!(!format.regex().is_match(""), "{}", written.id);
        }
    }

    #[test]
    fn formats_by_example() {
        let m = |length| noise(MIXED, length);
        let h = |length| noise(HEX, length);
        let cases = [
            ("secret/anthropic", format!("sk-{}-api03-{}AA", "ant", m(93))),
            ("secret/openai", format!("sk-{}-{}", "proj", m(60))),
            ("secret/openai", format!("sk-{}", m(48))),
            ("secret/openrouter", format!("sk-{}-v1-{}", "or", h(64))),
            ("secret/hugging-face", format!("{}_{}", "hf", m(34))),
            ("secret/aws-access-key", format!("{}{}", "AKIA", noise(UPPER, 16))),
            ("secret/aws-secret-key", format!("aws_secret_access_{} = {}", "key", m(40))),
            ("secret/google-api-key", format!("{}{}", "AIza", m(35))),
            ("secret/github", format!("{}_{}", "ghp", m(36))),
            ("secret/github", format!("{}_{}_{}", "github_pat", m(22), m(59))),
            ("secret/gitlab", format!("{}-{}", "glpat", m(20))),
            ("secret/slack", format!("{}-{}-{}-{}", "xoxb", "2345678901", "3456789012", m(24))),
            (
                "secret/slack-webhook",
                format!("https://hooks.slack.com/{}/T{}/B{}/{}", "services", m(9), m(9), m(24)),
            ),
            ("secret/telegram-bot", format!("{}:AA{}", "823456789", m(33))),
            ("secret/stripe", format!("{}_{}", "sk_live", m(24))),
            ("secret/sendgrid", format!("{}.{}.{}", "SG", m(22), m(43))),
            ("secret/npm", format!("{}_{}", "npm", m(36))),
            ("secret/pypi", format!("{}{}", "pypi-AgEIcHlwaS5vcmc", m(80))),
            ("secret/digitalocean", format!("{}_v1_{}", "dop", h(64))),
            ("secret/linear", format!("{}_{}", "lin_api", m(40))),
            ("secret/jwt", format!("{}{}.eyJ{}.{}", "eyJ", m(20), m(30), m(43))),
            ("secret/bearer", format!("Authorization: {} {}", "Bearer", m(40))),
            ("secret/connection-string", format!("postgres://svc:{}@db.internal:5432/app", m(14))),
            ("secret/connection-string", format!("https://me:{}@git.internal/x.git", m(14))),
            ("secret/assignment", format!("DB_{}={}", "PASSWORD", m(14))),
            ("secret/assignment", format!("- the api {}: `{}`", "token", m(30))),
            ("secret/assignment", format!("API {} (prod): {}", "key", m(24))),
            ("secret/assignment", format!("\"client_{}\": \"{}\"", "secret", m(30))),
            (
                "secret/private-key",
                format!("-----BEGIN {0} KEY-----\n{1}\n-----END {0} KEY-----", "RSA PRIVATE", m(400)),
            ),
        ];
        for (rule, text) in cases {
            assert_eq!(rule_of(&format!("a line\nbefore {text} after\n")), Some(rule), "{text}");
            assert_eq!(rule_of(&text), Some(rule), "{text}");
        }
    }

    #[test]
    fn passwords_as_people_write_them() {
        for (text, secret) in [
            ("- Password: Kx9!mmtw", "Kx9!mmtw"),
            ("- **Password:** `Tr0ub4dor&3`", "Tr0ub4dor&3"),
            ("- **Password**: winter7storm.", "winter7storm"),
            ("The staging password is hunter2x, ask before you change it.", "hunter2x"),
            ("password for the printer is \"blue7lamp\"", "blue7lamp"),
            ("Admin password (old): Sommer2024!", "Sommer2024!"),
            ("| Password | Qw8rtzui |", "Qw8rtzui"),
            ("the passcode is now 77a41b", "77a41b"),
            ("DB pw -> gr33nTea!", "gr33nTea!"),
            ("pass: Gx9!kk22", "Gx9!kk22"),
            ("DB_PASS=Gr8pw-xyz12", "Gr8pw-xyz12"),
            ("PGPASSWORD=Zx81lamQQ psql", "Zx81lamQQ"),
            ("login: admin / Hq9!zzpP3", "Hq9!zzpP3"),
            ("creds: admin:Passw0rd!9", "Passw0rd!9"),
            ("The password changed to Kx9!mmtw yesterday", "Kx9!mmtw"),
            ("password was reset to Kx9!mmtw", "Kx9!mmtw"),
            ("use password Kx9!mmtw for root", "Kx9!mmtw"),
            ("Password - Kx9!mmtw", "Kx9!mmtw"),
            ("Wi-Fi password – Kx9!mmtw", "Kx9!mmtw"),
            ("the password “Kx9!mmtw” opens it", "Kx9!mmtw"),
            ("password: “Kx9!mmtw”", "Kx9!mmtw"),
            ("curl -s -u admin:S3cretPass9 https://x.test", "S3cretPass9"),
            ("mysql -u root -pS3cr3tPw9 app", "S3cr3tPw9"),
            ("Das Passwort ist Kx9!mmtw", "Kx9!mmtw"),
            ("Kennwort: Kx9!mmtw", "Kx9!mmtw"),
            ("Le mot de passe est Kx9!mmtw", "Kx9!mmtw"),
            ("mot de passe : Kx9!mmtw", "Kx9!mmtw"),
            ("La contraseña es Kx9!mmtw", "Kx9!mmtw"),
            ("Password:\nKx9!mmtw\n", "Kx9!mmtw"),
            ("- **Password:**\n  - `Kx9!mmtw`\n", "Kx9!mmtw"),
            ("パスワードはKx9mmtw2です", "Kx9mmtw2"),
            ("비밀번호: Kx9mmtw2", "Kx9mmtw2"),
            ("密碼：Kx9mmtw2", "Kx9mmtw2"),
        ] {
            let found = secrets(text);
            let shown: Vec<_> = found.iter().map(|secret| &text[secret.range.clone()]).collect();
            assert_eq!(shown, [secret], "{text}");
        }
        for text in [
            "- Password: required",
            "Password is required!",
            "password: string",
            "password: min 12 characters",
            "The password is hashed with argon2id and stored.",
            "Password: SHA256, salted",
            "password is base64-encoded",
            "password: user.password2",
            "password = generatePassword2(16)",
            "password: process.env.DB_PASSWORD2",
            "Password: ${DB_PASS1}",
            "Password: see the vault",
            "password: 2024-03-01",
            "password is jo2@firm.io",
            "| Password | VARCHAR(255) |",
            "password: min8chars!",
            "Password - at least 12chars",
            "tests pass: 1200ms",
            "PASS: test_login2 in 30ms",
            "pass: tests/it/login2.rs",
            "login: POST /api/v1/login2",
            "login: src/auth/login2.ts",
            "login: https://x.test/login2a",
            "credentials: see docs/setup2.md",
            "curl -u user:$PASSWORD2 https://x.test",
            "docker run mysql -p 3306:3306",
            "use password hashing with argon2id",
            "password:\n  type: string2\n",
            "password – see the vault",
            "The password was reset, v2.3.1 asks for it again.",
            "pw: v1.40.2",
            "password=password123",
            "password: <your password2>",
        ] {
            assert_eq!(rule_of(text), None, "{text}");
        }
    }

    #[test]
    fn keys_by_the_name_of_their_field() {
        let (m, h) = (noise(MIXED, 43), noise(HEX, 32));
        for text in [
            format!("{{\"access\": \"{m}\"}}"),
            format!("  \"refresh\" : \"{m}\","),
            format!("\"key\":\"{h}\""),
            format!("'auth': '{m}'"),
            format!("\"x-auth\": \"{m}\""),
            format!("\"session\": \"{m}\""),
            format!("The Stripe key is {}", &m[..24]),
            format!("key: {}", &m[..24]),
            format!("auth: {}", &m[..24]),
            format!("access: '{}'", &m[..24]),
        ] {
            assert_eq!(rule_of(&text), Some("secret/field"), "{text}");
        }
        for text in [
            "{\"key\": \"components.dialog.confirm.button2\"}".to_owned(),
            "\"key\": \"550e8400-e29b-41d4-a716-446655440000\"".to_owned(),
            format!("\"key\": \"{}\"", noise(HEX, 64)),
            "\"auth\": \"src/auth/middleware/session.ts\"".to_owned(),
            "\"access\": \"read_only_for_everybody\"".to_owned(),
            format!("\"sha\": \"{h}\""),
            "\"keywords\": \"one two three\"".to_owned(),
            "{\"key\":\"ArrowDownLeftShift12PressedState\"}".to_owned(),
            format!("public key: {m}"),
            format!("cache_key = {m}"),
            "key: createRandomKey2024ForTenant9(x)".to_owned(),
            "auth: packages/server/src/auth/middleware2.ts".to_owned(),
            format!("the key is {}", noise(HEX, 40)),
        ] {
            assert_eq!(rule_of(&text), None, "{text}");
        }
    }

    #[test]
    fn tokens_with_a_prefix() {
        let (m, h) = (noise(MIXED, 32), noise(HEX, 40));
        for text in [
            format!("`notes_sk_{m}`"),
            format!("the new `tvly-dev-{m}` works"),
            format!("`e2b_{h}`"),
            format!("`api-key-{m}`"),
            format!("sk-{}-{m}", "firm"),
            format!("`{}_{m}`", "lsv2_pt"),
        ] {
            assert_eq!(rule_of(&text), Some("secret/prefixed-token"), "{text}");
        }
        for text in [
            format!("toolu_{}", noise(MIXED, 24)),
            format!("msg_{}", noise(MIXED, 24)),
            format!("fc_{} after sk-", noise(HEX, 50)),
            format!("memver_{}", noise(MIXED, 32)),
            "`access-token-refresh-handler-internals`".to_owned(),
            "`test_auth_internationalization2024`".to_owned(),
            "`risk-assessmentofthewholesystem`".to_owned(),
            "`cache_key_UserProfileSettingsV2Page3`".to_owned(),
            "`api_UsersControllerGetProfile2V3ById`".to_owned(),
            "`auth_Sha256HmacVerifierV2Impl99`".to_owned(),
            format!("commit-{h}"),
        ] {
            assert_eq!(rule_of(&text), None, "{text}");
        }
        assert_eq!(rule_of(&format!("use `Bearer {}`", noise(MIXED, 40))), Some("secret/bearer"));
        assert_eq!(rule_of(&format!("the API key is {}", noise(MIXED, 30))), Some("secret/assignment"));
        assert_eq!(rule_of(&format!("- **API Key:** `{}`", noise(MIXED, 30))), Some("secret/assignment"));
    }

    #[test]
    fn what_only_looks_like_one() {
        for text in [
            "sk-ant-api03-your-key-goes-here-and-nothing-else-at-all",
            "set `ANTHROPIC_API_KEY=sk-ant-...`",
            "AKIAIOSFODNN7EXAMPLE",
            "postgres://postgres:postgres@localhost:5432/app",
            "postgres://user:${PASSWORD}@db/app",
            "postgres://user:<password>@db/app",
            "redis://localhost:6379",
            "https://example.test/a:b@c",
            "password: the one in the vault",
            "token = process.env.GITHUB_TOKEN2 // from the environment",
            "secret: config/secrets/production_2024.yml",
            "tokens: 128000 of context",
            "api_key=getApiKey(config2024)",
            "PASSWORD=changeme123",
            "the token: refresh_token_v2",
            "use tiktoken::o200k_base_singleton;",
            "[![c](https://x.test/gh/a/b/graph/badge.svg?token=Z9kQ3mT7xB)](https://x.test/gh/a/b)",
            "ask-for-it, task-force, risk-register-2024-and-more-words-in-a-row",
            "-----BEGIN PRIVATE KEY----- marks the start",
            "credential: Kubernetes1234",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        ] {
            assert_eq!(rule_of(text), None, "{text}");
        }
    }

    #[test]
    fn one_place_is_one_secret() {
        let text = format!("api_{}=sk-{}-api03-{}AA", "key", "ant", noise(MIXED, 93));
        assert_eq!(secrets(&text).len(), 1);
        assert_eq!(secrets(&text)[0].rule, "secret/anthropic");
    }
}
