//! Personal data with a shape: e-mail addresses and payment card numbers.

use crate::config::Config;
use regex::Regex;
use std::ops::Range;
use std::sync::OnceLock;

/// Domains that belong to nobody (RFC 2606, RFC 6761), or to a service rather than a person.
const NOBODYS_DOMAINS: [&str; 13] = [
    "example.com",
    "example.org",
    "example.net",
    "example.edu",
    "test.com",
    "domain.com",
    "email.com",
    "company.com",
    "users.noreply.github.com",
    "noreply.github.com",
    "anthropic.com",
    "acme.com",
    "github.com",
];

/// Endings of such domains.
const NOBODYS_ENDINGS: [&str; 9] = [
    ".example",
    ".test",
    ".invalid",
    ".localhost",
    ".local",
    ".example.com",
    ".example.org",
    ".internal",
    ".lan",
];

/// Mailboxes of a role, not of a person (RFC 2142 and common practice), and of examples.
const ROLES: [&str; 34] = [
    "abuse",
    "admin",
    "bot",
    "billing",
    "contact",
    "do-not-reply",
    "donotreply",
    "example",
    "git",
    "hello",
    "help",
    "hostmaster",
    "info",
    "mailer-daemon",
    "marketing",
    "me",
    "no-reply",
    "noreply",
    "notifications",
    "office",
    "postmaster",
    "privacy",
    "root",
    "sales",
    "security",
    "service",
    "support",
    "system",
    "team",
    "test",
    "user",
    "username",
    "webmaster",
    "you",
];

/// Issuer prefixes of payment cards with the lengths their numbers have (ISO/IEC 7812, the issuers' published ranges).
const ISSUERS: [(&str, &str, &[usize]); 10] = [
    ("4", "4", &[13, 16, 19]),
    ("51", "55", &[16]),
    ("2221", "2720", &[16]),
    ("34", "34", &[15]),
    ("37", "37", &[15]),
    ("6011", "6011", &[16, 19]),
    ("644", "659", &[16, 19]),
    ("3528", "3589", &[16]),
    ("300", "305", &[14]),
    ("62", "62", &[16, 17, 18, 19]),
];

/// Numbers that payment providers publish for tests all fit the checksum; these are the best known.
const TEST_CARDS: [&str; 14] = [
    "4242424242424242",
    "4000056655665556",
    "5555555555554444",
    "2223003122003222",
    "5200828282828210",
    "5105105105105100",
    "378282246310005",
    "371449635398431",
    "6011111111111117",
    "6011000990139424",
    "3056930009020004",
    "3566002020360505",
    "4111111111111111",
    "4012888888881881",
];

/// E-mail addresses of people in `text`.
pub(crate) fn emails(text: &str, config: &Config) -> Vec<Range<usize>> {
    static SHAPE: OnceLock<Regex> = OnceLock::new();
    let shape = SHAPE.get_or_init(|| {
        Regex::new(r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}")
            .expect("a test runs it")
    });
    if memchr::memchr(b'@', text.as_bytes()).is_none() {
        return Vec::new();
    }
    shape
        .find_iter(text)
        .filter(|found| {
            let before = text[..found.start()].chars().next_back();
            let after = text[found.end()..].chars().next();
            // `ssh://git@host`, `a:b@c`, a path or a longer word is no address.
            !before.is_some_and(|letter| {
                letter.is_alphanumeric()
                    || ":/@.#=".contains(letter) && !text[..found.start()].ends_with("mailto:")
            }) && !after.is_some_and(|letter| letter.is_alphanumeric() || "@:/(".contains(letter))
                && is_personal(found.as_str())
                && !config.allows_email(found.as_str())
        })
        .map(|found| found.range())
        .collect()
}

fn is_personal(address: &str) -> bool {
    let lower = address.to_lowercase();
    let Some((mailbox, domain)) = lower.split_once('@') else { return false };
    // A file name such as `logo@2x.png`, a package with its version.
    let file = [
        "png", "jpg", "jpeg", "gif", "svg", "webp", "js", "ts", "md", "json", "py", "rs", "go", "sh",
        "service",
    ]
    .iter()
    .any(|ending| domain.rsplit('.').next() == Some(*ending));
    !file
        && !NOBODYS_DOMAINS.contains(&domain)
        && !NOBODYS_ENDINGS.iter().any(|ending| domain.ends_with(ending))
        && !ROLES.contains(&mailbox.split('+').next().unwrap_or(mailbox))
}

/// Payment card numbers in `text`: digits in groups as on a card or in one run, of an issuer's prefix and length, whose
/// checksum fits.
pub(crate) fn cards(text: &str) -> Vec<Range<usize>> {
    static SHAPE: OnceLock<Regex> = OnceLock::new();
    let shape = SHAPE.get_or_init(|| {
        Regex::new(r"[0-9]{13,19}|[0-9]{4}(?: [0-9]{4}){2,3}(?: [0-9]{1,4})?|[0-9]{4}(?:-[0-9]{4}){2,3}(?:-[0-9]{1,4})?|3[47][0-9]{2}[ -][0-9]{6}[ -][0-9]{5}")
            .expect("a test runs it")
    });
    shape
        .find_iter(text)
        .filter(|found| {
            let before = text[..found.start()].chars().next_back();
            let after = text[found.end()..].chars().next();
            let joined = |letter: char| letter.is_alphanumeric() || "._-/=+#".contains(letter);
            let ended = |letter: char| letter.is_alphanumeric() || "_-/=+".contains(letter);
            !before.is_some_and(joined) && !after.is_some_and(ended) && is_card(found.as_str())
        })
        .map(|found| found.range())
        .collect()
}

fn is_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let issued = ISSUERS.iter().any(|(first, last, lengths)| {
        let prefix = &digits[..first.len().min(digits.len())];
        lengths.contains(&digits.len()) && (*first..=*last).contains(&prefix)
    });
    let distinct = digits.bytes().collect::<std::collections::BTreeSet<_>>().len();
    issued && distinct >= 4 && !TEST_CARDS.contains(&digits.as_str()) && luhn(&digits)
}

/// The checksum of ISO/IEC 7812-1, annex B.
fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(index, byte)| {
            let digit = u32::from(byte.wrapping_sub(b'0'));
            match (index % 2, digit) {
                (0, digit) => digit,
                (_, digit) if digit > 4 => digit * 2 - 9,
                (_, digit) => digit * 2,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_people() {
        let found = |text: &str| emails(text, &Config::default()).len();
        for text in [
            "write to jo.doe@firm.io.",
            "<jo@mail.co.uk>",
            "mailto:jo@firm.io",
            "(Jo: jo+x@firm.io)",
            "`jo@firm.io`",
        ] {
            assert_eq!(found(text), 1, "{text}");
        }
        for text in [
            "jo@example.com",
            "noreply@firm.io",
            "git@github.com:a/b.git",
            "ssh://git@host.io/x",
            "postgres://a:b@host.io/x",
            "logo@2x.png",
            "react@18.2.0",
            "@scope/pkg",
            "user@host",
            "a@b.test",
            "actions/checkout@v4.1.md",
            "getty@tty1.service",
            "1+bot@users.noreply.github.com",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
        let config = Config::parse("allow-emails = [\"@firm.io\"]").unwrap();
        assert!(emails("jo@firm.io", &config).is_empty());
    }

    #[test]
    fn cards_by_checksum() {
        // Made numbers: an issuer's prefix, digits, and the check digit that fits.
        let card =
            |stem: &str| (0..10).map(|digit| format!("{stem}{digit}")).find(|number| luhn(number)).unwrap();
        let (visa, amex) = (card("453912873465019"), card("37461928374650"));
        let grouped = format!("{} {} {} {}", &visa[..4], &visa[4..8], &visa[8..12], &visa[12..]);
        for text in [visa.clone(), grouped, format!("card: {amex}.")] {
            assert_eq!(cards(&text).len(), 1, "{text}");
        }
        let wrong = format!("{}{}", &visa[..15], (visa.as_bytes()[15] - b'0' + 1) % 10);
        for text in [
            wrong,
            "4242424242424242".to_owned(),
            format!("id-{visa}"),
            format!("{visa}0000"),
            "4444444444444448".to_owned(),
            "1699999999999".to_owned(),
            format!("0.{visa}"),
        ] {
            assert_eq!(cards(&text).len(), 0, "{text}");
        }
    }
}
