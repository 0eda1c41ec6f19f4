//! Files that commands write whose content nobody knows from the command alone.

use super::lex::Word;
use crate::path::name_of;

/// How a command names what it writes.
enum Names {
    /// By the value of one of these options, which may stand behind other letters. With the letters that take a value.
    Option(&'static [&'static str], &'static str),
    /// By its last word; what these options take is none. A word before it may be a directory's content.
    Last(&'static [&'static str]),
    /// By every word; what these options take is none.
    All(&'static [&'static str]),
    /// By its first word.
    First,
}

/// The files that a command writes, as it names them. Sources: the manual pages of GNU coreutils, curl, wget, rsync, patch, perl
/// and gawk.
pub(super) fn targets(name: &str, arguments: &[Word]) -> Vec<String> {
    let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    let names = match name {
        "dd" => return words.iter().filter_map(|word| word.strip_prefix("of=")).map(str::to_owned).collect(),
        "perl" => {
            return in_place(&words, &["-e", "-E"], |option| {
                let letters = option.trim_start_matches('-');
                // What follows the letter is the ending of a copy; before it stand letters that take nothing.
                letters
                    .find('i')
                    .is_some_and(|at| letters[..at].bytes().all(|letter| b"0acflnpsw".contains(&letter)))
            });
        }
        "awk" | "gawk" => {
            let inplace = words.windows(2).any(|two| two[0] == "-i" && two[1] == "inplace");
            return if inplace { in_place(&words, &["-i", "-v", "-F", "-f"], |_| true) } else { Vec::new() };
        }
        "ruby" => {
            return in_place(&words, &["-e", "-r", "-I", "-C", "-F"], |option| {
                let letters = option.trim_start_matches('-');
                !option.starts_with("--")
                    && letters
                        .find('i')
                        .is_some_and(|at| letters[..at].bytes().all(|letter| b"0aclnpswSW".contains(&letter)))
            });
        }
        "yq" => return of_yq(&words),
        "gzip" | "bzip2" | "xz" | "gunzip" | "bunzip2" | "unxz" => return packed(name, &words),
        "sponge" => Names::All(&[]),
        "shred" => Names::All(&["-n", "--iterations", "-s", "--size", "--random-source"]),
        "curl" => Names::Option(&["-o", "--output"], "ACDEFHKPQTUXYbcdehmortuwxyz"),
        "wget" => Names::Option(&["-O", "--output-document"], "ABDIOPQRTUXaeilotw"),
        "sort" => Names::Option(&["-o", "--output"], "STkot"),
        "ln" => Names::Last(&["-S", "--suffix"]),
        "install" if words.iter().any(|word| matches!(*word, "-d" | "--directory")) => return Vec::new(),
        "install" => Names::Last(&["-m", "-o", "-g", "-S", "--mode", "--owner", "--group"]),
        "rsync" => Names::Last(&["-e", "-f", "--exclude", "--include", "--filter", "--rsh"]),
        "truncate" => Names::All(&["-s", "-r", "--size", "--reference"]),
        "patch" => Names::First,
        _ => {
            let files = super::powershell::files(name, &words).unwrap_or_default();
            return files.into_iter().map(|file| file.path).collect();
        }
    };
    match names {
        Names::Option(options, with_value) => {
            let of = |at: usize, word: &str| {
                let next = || words.get(at + 1).map(|value| (*value).to_owned());
                if let Some(long) = word.strip_prefix("--") {
                    let (name, value) =
                        long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                    let is_it = options.iter().any(|option| option.strip_prefix("--") == Some(name));
                    return is_it.then(|| value.map_or_else(next, |value| Some(value.to_owned()))).flatten();
                }
                // The first letter that takes a value takes what stands behind it.
                let letters = word.strip_prefix('-')?;
                let at = letters.find(|letter| with_value.contains(letter))?;
                let (given, value) = letters.split_at(at + 1);
                let is_it = options.iter().any(|option| option.strip_prefix('-') == given.get(at..));
                is_it.then(|| if value.is_empty() { next() } else { Some(value.to_owned()) }).flatten()
            };
            words.iter().enumerate().filter_map(|(at, word)| of(at, word)).filter(|to| to != "-").collect()
        }
        Names::Last(values) => {
            let named = plain(&words, values);
            let into = into_directory(&words);
            match (named.split_last(), into) {
                (_, Some(into)) => {
                    let sources = named.iter().filter(|from| **from != into);
                    sources.map(|from| below(into, from)).collect()
                }
                (Some((to, sources)), None) if !sources.is_empty() => {
                    let is_directory = sources.len() > 1 || super::commands::is_directory(to, sources[0]);
                    // Of another machine it is no file here.
                    if name == "rsync" && to.contains(':') {
                        Vec::new()
                    } else if is_directory {
                        sources.iter().map(|from| below(to, from)).collect()
                    } else {
                        vec![(*to).to_owned()]
                    }
                }
                _ => Vec::new(),
            }
        }
        Names::All(values) => plain(&words, values).into_iter().map(str::to_owned).collect(),
        Names::First => plain(&words, &["-i", "-p", "-d", "-o", "-r"])
            .first()
            .map(|to| (*to).to_owned())
            .into_iter()
            .collect(),
    }
}

/// The files that yq changes in place: behind its expression, which stands behind a subcommand where there is one.
fn of_yq(words: &[&str]) -> Vec<String> {
    let is_in_place = |word: &str| {
        matches!(word, "--inplace" | "--in-place")
            || !word.starts_with("--") && word.starts_with('-') && word.contains('i')
    };
    if !words.iter().copied().any(is_in_place) {
        return Vec::new();
    }
    let gives = words.iter().any(|word| matches!(*word, "--from-file" | "--expression"));
    let values =
        ["-p", "-o", "-I", "--input-format", "--output-format", "--indent", "--from-file", "--expression"];
    let mut named = plain(words, &values);
    if named.first().is_some_and(|word| matches!(*word, "e" | "eval" | "ea" | "eval-all")) {
        named.remove(0);
    }
    named.into_iter().skip(usize::from(!gives)).map(str::to_owned).collect()
}

/// The files that a packer writes: the packed one, or the unpacked one, and the other, which is gone unless it is kept.
fn packed(name: &str, words: &[&str]) -> Vec<String> {
    let (ending, mut unpacks) = match name {
        "gzip" => (".gz", false),
        "gunzip" => (".gz", true),
        "bzip2" => (".bz2", false),
        "bunzip2" => (".bz2", true),
        "xz" => (".xz", false),
        _ => (".xz", true),
    };
    let has = |letter: char, long: &str| {
        words.iter().any(|word| {
            *word == long || word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
        })
    };
    if has('c', "--stdout") || has('t', "--test") || has('l', "--list") {
        return Vec::new();
    }
    unpacks |= has('d', "--decompress");
    let keeps = has('k', "--keep");
    let of = |file: &str| {
        let other = match file.strip_suffix(ending) {
            Some(plain) if unpacks => plain.to_owned(),
            _ => format!("{file}{ending}"),
        };
        [Some(other), Some(file.to_owned()).filter(|_| !keeps)].into_iter().flatten()
    };
    plain(words, &["-S", "--suffix", "-T", "--threads"]).into_iter().flat_map(of).collect()
}

/// The directory of `-t DIR`, which comes before what goes there.
pub(super) fn into_directory<'w>(words: &[&'w str]) -> Option<&'w str> {
    words.iter().enumerate().find_map(|(at, word)| match *word {
        "-t" | "--target-directory" => words.get(at + 1).copied(),
        word => word.strip_prefix("--target-directory="),
    })
}

/// The path of a file that is put into a directory.
pub(super) fn below(directory: &str, file: &str) -> String {
    format!("{}/{}", directory.trim_end_matches('/'), name_of(file))
}

/// Words that are no options and no values of these.
pub(super) fn plain<'w>(words: &[&'w str], with_value: &[&str]) -> Vec<&'w str> {
    let (mut named, mut only_words) = (Vec::new(), false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--" if !only_words => only_words = true,
            word if !only_words && with_value.contains(&word) => drop(rest.next()),
            word if !only_words && word.len() > 1 && word.starts_with('-') => {}
            word => named.push(word),
        }
    }
    named
}

/// Files of a program that changes them in place, as one of its options says; the first word is the program's text unless an
/// option gives that.
fn in_place(words: &[&str], with_value: &[&str], is_in_place: impl Fn(&str) -> bool) -> Vec<String> {
    let options = || words.iter().take_while(|word| **word != "--").filter(|word| word.starts_with('-'));
    if !options().any(|option| is_in_place(option)) {
        return Vec::new();
    }
    let gives = |option: &str| option == "-f" || !option.starts_with("--") && option.ends_with(['e', 'E']);
    let given = options().any(|option| gives(option));
    let mut with_value = with_value.to_vec();
    // `-pe` and `-pie` take the text as well.
    with_value.extend(options().filter(|option| gives(option)));
    let named = plain(words, &with_value);
    named.into_iter().skip(usize::from(!given)).map(str::to_owned).collect()
}
