//! Files that commands of PowerShell write. Source: its reference, 7.4.

use super::call::CallFile;

/// Parameters that take no value.
const SWITCHES: [&str; 14] = [
    "-force",
    "-recurse",
    "-whatif",
    "-confirm",
    "-verbose",
    "-debug",
    "-passthru",
    "-nonewline",
    "-append",
    "-noclobber",
    "-asbytestream",
    "-container",
    "-usetransaction",
    "-nooverwrite",
];

/// What a command does with the files that it names.
enum Does {
    /// Writes what `-Path` or its first word names.
    Writes,
    Removes,
    /// Writes what `-Destination` or its second word names.
    Copies,
    Moves,
    /// As a move, to another name in the same directory.
    Renames,
}

/// The files that a command writes; `None` for another program.
pub(super) fn files(name: &str, words: &[&str]) -> Option<Vec<CallFile>> {
    let does = match name.to_ascii_lowercase().as_str() {
        "set-content" | "add-content" | "clear-content" | "new-item" | "out-file" | "tee-object" | "ni" => {
            Does::Writes
        }
        "remove-item" | "ri" | "del" | "erase" | "rd" => Does::Removes,
        "copy-item" | "cpi" => Does::Copies,
        "move-item" | "mi" => Does::Moves,
        "rename-item" | "rni" | "ren" => Does::Renames,
        _ => return None,
    };
    let given = Given::of(words);
    let file = |path: String, with_all_below| CallFile { path, with_all_below, perhaps: false };
    let sources = given.values(&["-path", "-literalpath", "-filepath"], 0);
    let to =
        || given.values(&["-destination", "-newname"], usize::from(!given.has(&["-path", "-literalpath"])));
    Some(match does {
        Does::Writes => sources.into_iter().map(|path| file(path, false)).collect(),
        Does::Removes => sources.into_iter().map(|path| file(path, true)).collect(),
        Does::Copies => to().into_iter().map(|path| file(path, true)).collect(),
        Does::Moves => sources.into_iter().chain(to()).map(|path| file(path, true)).collect(),
        Does::Renames => {
            let beside = sources
                .first()
                .and_then(|from| from.rsplit_once('/'))
                .map(|(directory, _)| directory.to_owned());
            let to = to()
                .into_iter()
                .map(|name| beside.as_ref().map_or(name.clone(), |beside| format!("{beside}/{name}")));
            sources.iter().cloned().chain(to).map(|path| file(path, true)).collect()
        }
    })
}

/// Words by parameter and by place; a list has commas between its parts.
struct Given<'w> {
    named: Vec<(String, Vec<&'w str>)>,
    placed: Vec<Vec<&'w str>>,
}

impl<'w> Given<'w> {
    fn of(words: &[&'w str]) -> Self {
        let mut given = Self { named: Vec::new(), placed: Vec::new() };
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let parameter = word.to_ascii_lowercase();
            let is_parameter = word.len() > 1 && word.starts_with('-');
            // `-Confirm:$false` has its value with it.
            if SWITCHES.contains(&parameter.as_str()) || is_parameter && word.contains(':') {
                continue;
            }
            let first = if is_parameter { words.next() } else { Some(word) };
            let mut list: Vec<&str> = Vec::new();
            let mut last = first;
            while let Some(word) = last {
                list.extend(word.split(',').filter(|part| !part.is_empty()));
                let goes_on = word.ends_with(',') || words.peek().is_some_and(|next| next.starts_with(','));
                last = words.next_if(|_| goes_on);
            }
            if is_parameter {
                given.named.push((parameter, list));
            } else {
                given.placed.push(list);
            }
        }
        given
    }

    fn has(&self, parameters: &[&str]) -> bool {
        self.named.iter().any(|(name, _)| parameters.contains(&name.as_str()))
    }

    /// The values of a parameter, else of the word at a place.
    fn values(&self, parameters: &[&str], place: usize) -> Vec<String> {
        let named =
            self.named.iter().find(|(name, _)| parameters.contains(&name.as_str())).map(|(_, list)| list);
        let list = named.or_else(|| self.placed.get(place)).into_iter().flatten();
        list.map(|word| (*word).to_owned()).collect()
    }
}
