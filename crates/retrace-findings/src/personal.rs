//! Personal data with a shape: e-mail addresses and payment card numbers.

use crate::config::Config;
use regex::Regex;
use std::ops::Range;
use std::sync::OnceLock;

/// Domains that belong to nobody (RFC 2606, RFC 6761), or to a service rather than a person.
const NOBODYS_DOMAINS: [&str; 10] = [
    "users.noreply.github.com",
    "noreply.github.com",
    "anthropic.com",
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "googlegroups.com",
    "group.calendar.google.com",
    "resource.calendar.google.com",
    "slack.com",
];

/// Endings of such domains, and of names of machines.
const NOBODYS_ENDINGS: [&str; 17] = [
    ".example",
    ".test",
    ".invalid",
    ".localhost",
    ".local",
    ".example.com",
    ".example.org",
    ".internal",
    ".lan",
    ".home.arpa",
    ".ts.net",
    ".amazonaws.com",
    ".cloudapp.azure.com",
    // Service accounts of Google Cloud: `NAME@PROJECT.iam.gserviceaccount.com` and its siblings.
    ".gserviceaccount.com",
    ".ingest.sentry.io",
    ".noreply.github.com",
    ".zoho-bot.com",
];

/// First labels of domains that stand for any domain.
const ANY_DOMAIN: [&str; 20] = [
    "acme",
    "abc",
    "bar",
    "company",
    "corp",
    "domain",
    "email",
    "example",
    "foo",
    "foobar",
    "host",
    "mail-server",
    "mycompany",
    "mydomain",
    "myserver",
    "server",
    "site",
    "test",
    "yourcompany",
    "yourdomain",
];

/// Mailboxes that stand for any person.
const ANYBODY: [&str; 22] = [
    "a",
    "b",
    "bar",
    "doe",
    "email",
    "example",
    "firstname",
    "foo",
    "foobar",
    "jane.doe",
    "janedoe",
    "john.doe",
    "johndoe",
    "me",
    "name",
    "somebody",
    "someone",
    "test",
    "user",
    "username",
    "you",
    "yourname",
];

/// Mailboxes of a role, not of a person (RFC 2142 and common practice).
const ROLES: [&str; 55] = [
    "abuse",
    "admin",
    "administrator",
    "alerts",
    "billing",
    "careers",
    "centos",
    "coc",
    "conduct",
    "contact",
    "debian",
    "deploy",
    "dev",
    "developers",
    "do-not-reply",
    "donotreply",
    "ec2-user",
    "engineering",
    "feedback",
    "git",
    "hello",
    "help",
    "hostmaster",
    "info",
    "jobs",
    "legal",
    "mailer-daemon",
    "marketing",
    "no-reply",
    "noreply",
    "notifications",
    "office",
    "opc",
    "opencode",
    "opensource",
    "ops",
    "oss",
    "pi",
    "postgres",
    "postmaster",
    "press",
    "privacy",
    "reply",
    "report",
    "root",
    "sales",
    "secure",
    "security",
    "service",
    "support",
    "system",
    "team",
    "ubuntu",
    "vagrant",
    "webmaster",
];

/// Parts of a mailbox's name that say that no person reads it: `svc-backup`, `deploy-bot`, `ci.runner`.
const MACHINES: [&str; 14] = [
    "automation",
    "bot",
    "ci",
    "cicd",
    "daemon",
    "jenkins",
    "noreply",
    "robot",
    "runner",
    "sa",
    "service",
    "serviceaccount",
    "svc",
    "terraform",
];

/// Programs whose argument `user@host` is a login on a machine.
const LOGINS: [&str; 10] =
    ["ssh", "scp", "sftp", "rsync", "mosh", "autossh", "sshfs", "ssh-copy-id", "sshpass", "rclone"];

/// Bytes of a line before an address in which such a program is searched for.
const LOGIN_REACH: usize = 160;

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
                && !is_login(text, found.start())
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
    let plain = mailbox.split('+').next().unwrap_or(mailbox);
    let mut labels = domain.split('.');
    let label = labels.next().unwrap_or(domain);
    // `example.co.uk` and `example.com` alike, but no part of a longer name.
    let any_domain = labels.count() <= 2 && (ANY_DOMAIN.contains(&label) || is_filler(label));
    let machine = plain.split(['-', '_', '.']).any(|part| MACHINES.contains(&part));
    !file
        && !any_domain
        && !domain.starts_with("lists.")
        && !NOBODYS_DOMAINS.contains(&domain)
        && !NOBODYS_ENDINGS.iter().any(|ending| domain.ends_with(ending))
        && !ROLES.contains(&plain)
        && !ANYBODY.contains(&plain)
        && !is_filler(plain)
        && !machine
        && !plain.starts_with("your")
        && !label.starts_with("your-")
}

/// `xxx`, `aaa`: one letter over and over.
fn is_filler(text: &str) -> bool {
    let first = text.chars().next();
    text.len() >= 2 && text.chars().all(|letter| Some(letter) == first)
}

/// True if what stands at `start` is the argument of a program that logs in: `ssh -p 22 deploy@web.firm.io`. Prose between
/// the two makes an address of it.
fn is_login(text: &str, start: usize) -> bool {
    let mut from = start.saturating_sub(LOGIN_REACH);
    from += memchr::memrchr(b'\n', &text.as_bytes()[from..start]).map_or(0, |at| at + 1);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let words: Vec<&str> = text[from..start].split_whitespace().collect();
    let is_program = |word: &&str| {
        let name = word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
        LOGINS.contains(&name.rsplit('/').next().unwrap_or(name))
    };
    let Some(program) = words.iter().rposition(is_program) else { return false };
    // Words that may stand between: options, their values, files. Three words that are none of these are a sentence.
    let after = &words[program + 1..];
    let prose = |word: &&&str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let closed = text[from..start].matches('`').count().is_multiple_of(2) && words[program].contains('`');
    !closed && after.iter().filter(prose).count() < 3
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
            "for access over ssh write to the owner at jo@firm.io",
            "use `ssh web`; questions to jo@firm.io",
            "jo@example-firm.io",
            "jo@abc.firm.io.net.org",
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
            "ssh deploy@web.firm.io",
            "- Login: `ssh -i ~/.ssh/firm -p 2222 jo@web.firm.io`",
            "scp out.tar.gz jo@web.firm.io /tmp",
            "rsync -avz dist/ jo@web.firm.io",
            "$ ssh-copy-id jo@web.firm.io",
            "xxx@xxx.com",
            "jo@xxx.com",
            "aaa@firm.io",
            "your.name@firm.io",
            "john.doe@firm.io",
            "someone@yourcompany.com",
            "jo@example.co.uk",
            "backup@firm-prod.iam.gserviceaccount.com",
            "123456-compute@developer.gserviceaccount.com",
            "svc-backup@firm.io",
            "dev@lists.firm.org",
            "opensource@firm.io",
            "deploy-bot@firm.io",
            "ec2-user@ec2-3-1-2-3.compute.amazonaws.com",
            "ubuntu@build.firm.io",
            "c_0123abc@group.calendar.google.com",
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
