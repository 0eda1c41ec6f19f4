//! The six commands.

use crate::error::{libc_codes, shown_path};
use crate::guard::added;
use crate::input::{self, Command};
use crate::observe::{Change, Observer};
use crate::path::{self, Step};
use crate::pending::{Pending, Undo};
use crate::walk::{Leaf, Lost, Name, Place, Tree, rel_path};
use crate::{Answer, Dialect, GuardMode, OpenError, Options, ToolError, edit, render};
use retrace_files::{DEPTH_LIMIT, Done, FileError, LARGEST_READ, Root, RootError};
use retrace_model::{RelPath, Sha256};
use rustix::io::Errno;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Number of attempts at an edit of a file that somebody else writes meanwhile.
const ATTEMPTS: u64 = 16;

/// The memory tool over one directory. It holds no state between calls, so that any number of processes may serve the
/// same directory.
#[derive(Debug)]
pub struct MemoryTool {
    root: PathBuf,
    options: Options,
}

impl MemoryTool {
    /// Opens the directory the model sees as `/memories`, and makes it if the options say so.
    ///
    /// # Errors
    /// [`OpenError`] when it is not there, is no directory, may not be read or cannot be made.
    pub fn open(root: &Path, options: Options) -> Result<Self, OpenError> {
        if options.make_root && !root.exists() {
            make_private(root).map_err(|source| OpenError::Make { path: root.to_owned(), source })?;
        }
        Root::open(root)?;
        Ok(Self { root: root.to_owned(), options })
    }

    /// The directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// True if an input asks for a change. One that cannot be read asks for none.
    #[must_use]
    pub fn changes(input: &Value) -> bool {
        !matches!(input::read(input, Dialect::Docs), Ok(Command::View { .. }) | Err(_))
            || input.get("insert_line").is_some_and(Value::is_string)
    }

    /// Answers one call: `input` is the `input` of the `tool_use` block. `observer` is told of every change.
    pub fn call(&self, input: &Value, observer: &mut dyn Observer) -> Answer {
        let (answer, pending) = self.call_pending(input, observer);
        pending.let_go();
        answer
    }

    /// As [`MemoryTool::call`], for a caller that may have to take the call back: what it displaced stays beside the
    /// files until [`Pending::let_go`], and other calls that change something wait for that.
    pub fn call_pending(&self, input: &Value, observer: &mut dyn Observer) -> (Answer, Pending) {
        let mut pending = Pending::new(&self.options);
        match self.answer(input, observer, &mut pending) {
            Ok(content) => (Answer { content, is_error: false }, pending),
            Err(error) => {
                // Steps before the failed one are taken back.
                pending.take_back_steps();
                (Answer { content: error.text(self.options.dialect), is_error: true }, pending)
            }
        }
    }

    fn answer(
        &self,
        input: &Value,
        observer: &mut dyn Observer,
        pending: &mut Pending,
    ) -> Result<String, ToolError> {
        let command = input::read(input, self.options.dialect)?;
        let tree = Tree::open(&self.root).map_err(|error| {
            let code = error.raw_os_error().unwrap_or(libc_codes::ENOENT);
            system("", code, "open", shown_path([]))
        })?;
        if !matches!(command, Command::View { .. }) {
            // An edit checks what it replaces, but three at once could leave one of them in a hidden file only.
            tree.one_at_a_time();
        }
        let mut root = Root::open(&self.root).map_err(|error| {
            let code = match error {
                RootError::Missing { .. } | RootError::Moved { .. } => libc_codes::ENOENT,
                RootError::Denied { .. } => libc_codes::EACCES,
                RootError::NotADirectory { .. } => libc_codes::ENOTDIR,
                RootError::Io { source, .. } => source.raw_os_error().unwrap_or(libc_codes::ENOENT),
            };
            system("", code, "open", shown_path([]))
        })?;
        let wanted = self.options.identity;
        if wanted.is_some_and(|wanted| root.identity() != wanted || !tree.is(wanted)) {
            // Somebody put another directory in its place.
            return Err(system("", libc_codes::ENOENT, "open", shown_path([])));
        }
        root.set_holding(true);
        let mut call = Call { tree, root, options: &self.options, observer, undo: Vec::new() };
        let answer = match command {
            Command::View { path, range } => call.view(&path, range),
            Command::Create { path, text } => call.create(&path, &text),
            Command::Replace { path, old, new } => call.replace(&path, &old, &new),
            Command::Insert { path, line, text } => call.insert(&path, line, &text),
            Command::Delete { path } => call.delete(&path),
            Command::Rename { from, to } => call.rename(&from, &to),
        };
        let Call { tree, root, undo, .. } = call;
        pending.is_of(tree, root, undo);
        answer
    }
}

/// Makes a directory and those above it that are missing, each mode 0700, and waits until they are on the disk: a directory
/// that is missing after a power failure looks as if somebody had removed it with all that was in it.
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    let missing =
        path.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists()).count();
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    for made in path.ancestors().take(missing) {
        let above = made.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // One that may not be read cannot be waited for.
        if let Ok(above) = std::fs::File::open(above) {
            above.sync_all()?;
        }
    }
    Ok(())
}

/// A failure of the host.
fn system(path: &str, code: i32, call: &'static str, shown: String) -> ToolError {
    ToolError::System { path: path.to_owned(), code, call, shown, shown_to: None }
}

/// Treatment of a link at the end of a path.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Follow,
    Keep,
}

struct Call<'c> {
    tree: Tree,
    root: Root,
    options: &'c Options,
    observer: &'c mut dyn Observer,
    /// Steps done, with what undoes each.
    undo: Vec<Undo>,
}

impl Call<'_> {
    fn dialect(&self) -> Dialect {
        self.options.dialect
    }

    /// Where a path leads. `py` acts on what links lead to; `ts` validates that and acts on the last name as it is, as does
    /// `docs` where it does not read or edit.
    fn place(&self, path: &str, last: Last) -> Result<Place, ToolError> {
        let steps = path::steps(path, self.dialect())?;
        let shown = || shown_steps(&steps);
        let dialect = self.dialect();
        let lost = |lost| match (lost, dialect) {
            (Lost::Outside, Dialect::Py) => ToolError::Escapes { path: path.to_owned() },
            (Lost::Outside, _) => ToolError::EscapesByLink { path: path.to_owned() },
            (Lost::Loop(_), Dialect::Ts) => ToolError::Loop { path: path.to_owned(), shown: shown() },
            (Lost::Loop(names), _) => {
                ToolError::Loop { path: path.to_owned(), shown: shown_path(names.iter().map(Vec::as_slice)) }
            }
            (Lost::Refused(code), _) => system(path, code.raw_os_error(), "realpath", shown()),
        };
        let followed = (dialect == Dialect::Ts || dialect == Dialect::Py || last == Last::Follow)
            .then(|| self.tree.walk(&steps, true).map_err(lost))
            .transpose()?;
        if let (Dialect::Ts, Some(place)) = (dialect, &followed) {
            match place.leaf {
                Leaf::BelowAFile => return Err(system(path, libc_codes::ENOTDIR, "realpath", shown())),
                Leaf::TooLong => return Err(system(path, libc_codes::ENAMETOOLONG, "realpath", shown())),
                _ => {}
            }
        }
        match (followed, last) {
            (Some(place), Last::Follow) => Ok(place),
            (Some(place), Last::Keep) if dialect == Dialect::Py => Ok(place),
            _ => self.tree.walk(&steps, false).map_err(lost),
        }
    }

    fn view(&mut self, path: &str, range: Option<(i64, i64)>) -> Result<String, ToolError> {
        let place = self.place(path, Last::Follow)?;
        let characters = self.options.view_characters;
        match &place.leaf {
            Leaf::Directory(stat) => {
                let bytes = u64::try_from(stat.st_size).unwrap_or(0);
                let entries = self.tree.list(&place.directory, self.dialect());
                Ok(render::directory(path, bytes, &entries, self.dialect(), range, characters))
            }
            Leaf::File(_) => {
                let (text, _) = self.read(path, &place)?;
                render::file(path, &text, range, characters)
            }
            Leaf::Special | Leaf::Link => Err(ToolError::UnsupportedType { path: path.to_owned() }),
            Leaf::Missing if self.dialect() == Dialect::Ts && place.dangling => {
                Err(ToolError::UnsupportedType { path: path.to_owned() })
            }
            Leaf::Missing | Leaf::BelowAFile => Err(ToolError::ViewMissing { path: path.to_owned() }),
            Leaf::TooLong => Err(too_long(path, &place)),
        }
    }

    /// A file's text, and the hash of its bytes.
    fn read(&self, path: &str, place: &Place) -> Result<(String, Sha256), ToolError> {
        let rel_path = place.rel_path().ok_or_else(|| ToolError::Vanished { path: path.to_owned() })?;
        let limit = self.options.max_file_bytes;
        let content = self.root.read(&rel_path, limit).map_err(|error| while_reading(path, place, &error))?;
        let Some(bytes) = content.bytes else {
            return Err(ToolError::TooLarge { path: path.to_owned(), bytes: content.size, limit });
        };
        let text = match (String::from_utf8(bytes), self.dialect()) {
            (Ok(text), _) => text,
            (Err(error), Dialect::Ts) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            (Err(error), _) => {
                let (at, length) = (error.utf8_error().valid_up_to(), error.utf8_error().error_len());
                let bytes = error.into_bytes();
                return Err(ToolError::NotText { path: path.to_owned(), at, length, bytes });
            }
        };
        Ok((text, content.sha256))
    }

    fn create(&mut self, path: &str, text: &str) -> Result<String, ToolError> {
        let place = self.place(path, Last::Keep)?;
        match place.leaf {
            Leaf::Missing => {}
            Leaf::BelowAFile => {
                let shown = shown_path(place.names());
                return Err(system(path, libc_codes::ENOTDIR, "open", shown));
            }
            Leaf::TooLong => return Err(too_long(path, &place)),
            _ => return Err(ToolError::Exists { path: path.to_owned() }),
        }
        self.check_reachable(path, &place)?;
        let rel_path = place.rel_path().ok_or_else(|| ToolError::Exists { path: path.to_owned() })?;
        let note = self.check(path, ("", text), ("", path))?;
        self.before(std::slice::from_ref(&rel_path))?;
        let random = (self.options.random)();
        let done = self.root.create_private(&rel_path, text.as_bytes(), random, &*self.options.steps);
        let done = done.map_err(|error| match error {
            FileError::Moved { .. }
            | FileError::IsDirectory { .. }
            | FileError::Link { .. }
            | FileError::NotAFile { .. } => ToolError::Exists { path: path.to_owned() },
            error => of_file(path, &place, "open", &error),
        })?;
        self.undo.extend(done.held.map(Undo::File));
        self.observer.changed(&Change::Written { path: &rel_path, bytes: text.as_bytes(), seen: done.seen });
        Ok(format!("File created successfully at: {path}{note}"))
    }

    /// Refuses what lies deeper than directories are examined, or beyond a link that leads nowhere where the dialect
    /// does not make what is missing behind links.
    fn check_reachable(&self, path: &str, place: &Place) -> Result<(), ToolError> {
        if place.depth() > DEPTH_LIMIT {
            return Err(ToolError::TooDeep { path: path.to_owned(), limit: DEPTH_LIMIT });
        }
        if place.beyond_a_dangling_link && self.dialect() != Dialect::Py {
            let above = place.names().take(place.depth() - 1);
            return Err(system(path, libc_codes::ENOENT, "mkdir", shown_path(above)));
        }
        Ok(())
    }

    /// Checks that a content may be written under a name; answers what is to be added to the answer. Both as they are
    /// before and after: a name is kept, listed and told as a content is.
    fn check(&self, path: &str, text: (&str, &str), name: (&str, &str)) -> Result<String, ToolError> {
        let (before, after) = text;
        let (bytes, limit) = (after.len() as u64, self.options.max_file_bytes);
        if bytes > limit {
            return Err(ToolError::TooLarge { path: path.to_owned(), bytes, limit });
        }
        if let Some(kept_out) = self.options.kept_out.as_deref() {
            let mut found = added(kept_out, before, after);
            found.extend(
                added(kept_out, name.0, name.1).into_iter().map(|what| format!("in its name: {what}")),
            );
            if !found.is_empty() {
                return Err(ToolError::Sensitive { path: path.to_owned(), found });
            }
        }
        let Some(guard) = self.options.guard.as_deref().filter(|_| self.options.guard_mode != GuardMode::Off)
        else {
            return Ok(String::new());
        };
        let mut found = added(guard, before, after);
        found.extend(added(guard, name.0, name.1).into_iter().map(|what| format!("in its name: {what}")));
        match self.options.guard_mode {
            _ if found.is_empty() => Ok(String::new()),
            GuardMode::Refuse => Err(ToolError::Sensitive { path: path.to_owned(), found }),
            _ => Ok(format!("\nWarning: it holds something sensitive: {}", found.join("; "))),
        }
    }

    fn before(&mut self, paths: &[RelPath]) -> Result<(), ToolError> {
        self.observer.before(paths).map_err(|reason| ToolError::Unobserved { reason: reason.0 })?;
        self.root.set_durable(self.observer.durable());
        Ok(())
    }

    fn replace(&mut self, path: &str, old: &str, new: &str) -> Result<String, ToolError> {
        let place = self.place(path, Last::Follow)?;
        match place.leaf {
            Leaf::File(_) => {}
            Leaf::TooLong => return Err(too_long(path, &place)),
            Leaf::Missing | Leaf::BelowAFile => {
                return Err(ToolError::ReplaceMissing { path: path.to_owned() });
            }
            _ => return Err(ToolError::ReplaceNotAFile { path: path.to_owned() }),
        }
        let dialect = self.dialect();
        let mut snippet = String::new();
        let note = self.edit(path, &place, &mut |text| {
            let edited = edit::replace(path, text, old, new, dialect)?;
            snippet = render::snippet(&edited.text, edited.line);
            Ok(edited.text)
        })?;
        Ok(format!(
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}{note}"
        ))
    }

    fn insert(&mut self, path: &str, line: i64, text: &str) -> Result<String, ToolError> {
        let place = self.place(path, Last::Follow)?;
        match place.leaf {
            Leaf::File(_) => {}
            Leaf::TooLong => return Err(too_long(path, &place)),
            Leaf::Missing | Leaf::BelowAFile => {
                return Err(ToolError::InsertMissing { path: path.to_owned() });
            }
            _ => return Err(ToolError::InsertNotAFile { path: path.to_owned() }),
        }
        let dialect = self.dialect();
        let note = self.edit(path, &place, &mut |before| edit::insert(before, line, text, dialect))?;
        Ok(format!("The file {path} has been edited.{note}"))
    }

    /// Reads, changes and writes a file; again when somebody else wrote it in between.
    fn edit(
        &mut self,
        path: &str,
        place: &Place,
        change: &mut dyn FnMut(&str) -> Result<String, ToolError>,
    ) -> Result<String, ToolError> {
        // Where `ts` meets a link, it replaces the link itself.
        let kept = match self.dialect() {
            Dialect::Ts => Some(self.place(path, Last::Keep)?).filter(|kept| matches!(kept.leaf, Leaf::Link)),
            _ => None,
        };
        for _ in 0..ATTEMPTS {
            let (before, hash) = self.read(path, place)?;
            let after = change(&before)?;
            let note = self.check(path, (&before, &after), (path, path))?;
            let target = kept.as_ref().unwrap_or(place);
            let rel_path = target.rel_path().ok_or_else(|| ToolError::Vanished { path: path.to_owned() })?;
            self.before(std::slice::from_ref(&rel_path))?;
            let random = (self.options.random)();
            let written = match kept {
                Some(_) => self.write_over_link(path, target, after.as_bytes(), random)?,
                None => self.write(path, target, &rel_path, hash, after.as_bytes(), random)?,
            };
            if let Some(seen) = written {
                self.observer.changed(&Change::Written { path: &rel_path, bytes: after.as_bytes(), seen });
                return Ok(note);
            }
        }
        Err(ToolError::Unstable { path: path.to_owned() })
    }

    /// `None` when the file is not what it was any more. The SDKs make it mode 0600 with every edit; the page says nothing
    /// of modes, and a file that its owner opened to others stays open to them.
    #[allow(clippy::option_option, reason = "written or not, and what is known of it")]
    fn write(
        &mut self,
        path: &str,
        place: &Place,
        rel_path: &RelPath,
        hash: Sha256,
        bytes: &[u8],
        random: u64,
    ) -> Result<Option<Option<retrace_model::Seen>>, ToolError> {
        let written: Result<Done, FileError> = match self.dialect() {
            Dialect::Docs => {
                let expected = retrace_files::Expected::Hash(hash);
                self.root.replace(rel_path, expected, bytes, random, &*self.options.steps)
            }
            Dialect::Py | Dialect::Ts => {
                self.root.replace_private(rel_path, hash, bytes, random, &*self.options.steps)
            }
        };
        match written {
            Ok(done) => {
                self.undo.extend(done.held.map(Undo::File));
                Ok(Some(done.seen))
            }
            Err(FileError::Moved { .. } | FileError::Unstable { .. }) => Ok(None),
            Err(error) => Err(of_file(path, place, "rename", &error)),
        }
    }

    #[allow(clippy::option_option, reason = "written or not, and what is known of it")]
    fn write_over_link(
        &mut self,
        path: &str,
        place: &Place,
        bytes: &[u8],
        random: u64,
    ) -> Result<Option<Option<retrace_model::Seen>>, ToolError> {
        let names: Vec<Name> = place.names().map(<[u8]>::to_vec).collect();
        match self.tree.replace_link(&names, bytes, random) {
            Ok(temporary) => {
                self.undo.push(Undo::Exchanged { names, temporary });
                Ok(Some(None))
            }
            Err(Errno::EXIST) => Err(ToolError::Unstable { path: path.to_owned() }),
            Err(code) => Err(system(path, code.raw_os_error(), "rename", shown_path(place.names()))),
        }
    }

    fn delete(&mut self, path: &str) -> Result<String, ToolError> {
        let place = self.place(path, Last::Keep)?;
        if place.is_root() {
            return Err(ToolError::DeleteRoot);
        }
        let missing = || ToolError::DeleteMissing { path: path.to_owned() };
        let names: Vec<Name> = place.names().map(<[u8]>::to_vec).collect();
        let refused = |code: Errno| match code {
            Errno::NOENT => missing(),
            code => system(path, code.raw_os_error(), "rm", shown_path(place.names())),
        };
        match place.leaf {
            Leaf::File(_) => self.delete_file(path, &place)?,
            Leaf::Directory(_) => self.delete_directory(path, &place, &names)?,
            Leaf::Link => self.set_aside(&names).map(drop).map_err(refused)?,
            Leaf::Special if self.dialect() != Dialect::Py => {
                self.set_aside(&names).map(drop).map_err(refused)?;
            }
            Leaf::TooLong => return Err(too_long(path, &place)),
            Leaf::Special | Leaf::Missing | Leaf::BelowAFile => return Err(missing()),
        }
        Ok(format!("Successfully deleted {path}"))
    }

    fn delete_file(&mut self, path: &str, place: &Place) -> Result<(), ToolError> {
        let missing = || ToolError::DeleteMissing { path: path.to_owned() };
        let rel_path = place.rel_path().ok_or_else(missing)?;
        for _ in 0..ATTEMPTS {
            // Read before the caller is told, who records what stands there: what came after that is not deleted.
            let hash = match self.root.read(&rel_path, 0) {
                Ok(content) => content.sha256,
                Err(FileError::Missing { .. }) => return Err(missing()),
                Err(error) => return Err(of_file(path, place, "rm", &error)),
            };
            self.before(std::slice::from_ref(&rel_path))?;
            let random = (self.options.random)();
            match self.root.delete(&rel_path, hash, false, random, &*self.options.steps) {
                Ok(done) => {
                    self.undo.extend(done.held.map(Undo::File));
                    self.observer.changed(&Change::Removed { path: &rel_path });
                    return Ok(());
                }
                Err(FileError::Moved { .. } | FileError::Unstable { .. }) => {}
                Err(error) => return Err(of_file(path, place, "rm", &error)),
            }
        }
        Err(ToolError::Unstable { path: path.to_owned() })
    }

    /// Renames a directory to a hidden name, looks whether all in it is what the caller was told of, and leaves it
    /// there: it is removed when the call is let go of.
    fn delete_directory(&mut self, path: &str, place: &Place, names: &[Name]) -> Result<(), ToolError> {
        let refused = |code: Errno| match code {
            Errno::NOENT => ToolError::DeleteMissing { path: path.to_owned() },
            code => system(path, code.raw_os_error(), "rm", shown_path(place.names())),
        };
        for _ in 0..ATTEMPTS {
            let reported = self.contents_below(names).map_err(refused)?;
            self.tree.may_remove(names).map_err(refused)?;
            let files: Vec<RelPath> = reported.iter().filter_map(|(file, _)| below(names, file)).collect();
            self.before(&files)?;
            let hidden = self.set_aside(names).map_err(refused)?;
            if self.contents_below(&hidden) == Ok(reported) {
                for path in &files {
                    self.observer.changed(&Change::Removed { path });
                }
                return Ok(());
            }
            // Somebody wrote in it at this very moment.
            self.undo.pop();
            self.tree.rename(&hidden, names).map_err(refused)?;
        }
        Err(ToolError::Unstable { path: path.to_owned() })
    }

    /// Every regular file below a directory, with its hash; none for one that cannot be read.
    #[allow(clippy::type_complexity, reason = "two columns")]
    fn contents_below(&self, names: &[Name]) -> Result<Vec<(Vec<Name>, Option<Sha256>)>, Errno> {
        let files = self.tree.files_below(names)?;
        let hash = |file: &[Name]| Some(self.root.read(&below(names, file)?, 0).ok()?.sha256);
        Ok(files.into_iter().map(|file| (file.clone(), hash(&file))).collect())
    }

    /// Renames what stands at a place to a hidden name beside it, where it stays until the call is let go of.
    fn set_aside(&mut self, names: &[Name]) -> Result<Vec<Name>, Errno> {
        let (name, above) = names.split_last().ok_or(Errno::INVAL)?;
        let hidden = retrace_files::aside_name(name, (self.options.random)());
        let hidden: Vec<Name> = above.iter().cloned().chain([hidden]).collect();
        let before = |step| Errno::from_io_error(&step).unwrap_or(Errno::IO);
        self.options.steps.before(retrace_files::Step::SetAside).map_err(before)?;
        self.tree.rename(names, &hidden)?;
        self.undo.push(Undo::Aside { names: names.to_vec(), hidden: hidden.clone() });
        Ok(hidden)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<String, ToolError> {
        let old = self.place(from, Last::Keep)?;
        let new = self.place(to, Last::Keep)?;
        if old.is_root() {
            return Err(ToolError::RenameRoot);
        }
        // A link that leads nowhere is nothing to the TypeScript client, which renames over it.
        let over = matches!(new.leaf, Leaf::Link)
            && self.dialect() == Dialect::Ts
            && !self.place(to, Last::Follow)?.exists();
        if new.exists() && !over {
            return Err(ToolError::DestinationExists { path: to.to_owned() });
        }
        match new.leaf {
            Leaf::TooLong => return Err(too_long(to, &new)),
            // The system searches for the directory of the source first, but directories below a file are made before that.
            Leaf::BelowAFile
                if new.tail.len() > 2 || !matches!(old.leaf, Leaf::Missing) || old.tail.len() < 2 =>
            {
                return Err(system(to, libc_codes::ENOTDIR, "rename", shown_path(new.names())));
            }
            Leaf::BelowAFile => return Err(ToolError::RenameMissing { path: from.to_owned() }),
            _ => {}
        }
        let missing = || ToolError::RenameMissing { path: from.to_owned() };
        if self.dialect() == Dialect::Docs && !old.exists() {
            return Err(missing());
        }
        self.check_reachable(to, &new)?;
        let note = self.check(to, ("", ""), (from, to))?;
        let target = new.rel_path().ok_or_else(|| ToolError::DestinationExists { path: to.to_owned() })?;
        let made = self
            .root
            .make_private_parents(&target, &*self.options.steps)
            .map_err(|error| of_file(to, &new, "mkdir", &error))?;
        self.undo.push(Undo::Made(made));
        match old.leaf {
            // Making the directories of the destination made the source, which cannot go below itself.
            Leaf::Missing
                if new.depth() > old.depth() && old.names().zip(new.names()).all(|(old, new)| old == new) =>
            {
                return Err(ToolError::System {
                    path: from.to_owned(),
                    code: libc_codes::EINVAL,
                    call: "rename",
                    shown: self.shown(from, &old),
                    shown_to: Some(self.shown(to, &new)),
                });
            }
            Leaf::Missing => return Err(missing()),
            Leaf::TooLong => return Err(too_long(from, &old)),
            Leaf::BelowAFile => {
                return Err(system(from, libc_codes::ENOTDIR, "rename", shown_path(old.names())));
            }
            _ => {}
        }
        self.move_to(from, to, &old, &new, over)?;
        Ok(format!("Successfully renamed {from} to {to}{note}"))
    }

    /// A place as the host names it in errors: the TypeScript client as the path was written, links and all.
    fn shown(&self, path: &str, place: &Place) -> String {
        match (self.dialect(), path::steps(path, self.dialect())) {
            (Dialect::Ts, Ok(steps)) => shown_steps(&steps),
            _ => shown_path(place.names()),
        }
    }

    fn move_to(
        &mut self,
        from: &str,
        to: &str,
        old: &Place,
        new: &Place,
        over: bool,
    ) -> Result<(), ToolError> {
        let names = |place: &Place| place.names().map(<[u8]>::to_vec).collect::<Vec<Name>>();
        let (old_names, new_names) = (names(old), names(new));
        let shown = (self.shown(from, old), self.shown(to, new));
        let not_renamed = |code: Errno| ToolError::System {
            path: from.to_owned(),
            code: code.raw_os_error(),
            call: "rename",
            shown: shown.0.clone(),
            shown_to: Some(shown.1.clone()),
        };
        let refused = |code: Errno| match code {
            Errno::NOENT => ToolError::RenameMissing { path: from.to_owned() },
            Errno::EXIST => ToolError::DestinationExists { path: to.to_owned() },
            code => not_renamed(code),
        };
        let files = match old.leaf {
            Leaf::File(_) => vec![Vec::new()],
            Leaf::Directory(_) => self.tree.files_below(&old_names).map_err(refused)?,
            _ => Vec::new(),
        };
        let moves: Vec<(RelPath, RelPath)> = files
            .iter()
            .filter_map(|file| Some((below(&old_names, file)?, below(&new_names, file)?)))
            .collect();
        let paths: Vec<RelPath> = moves.iter().flat_map(|(from, to)| [from.clone(), to.clone()]).collect();
        self.observer.before_renaming(&paths).map_err(|reason| ToolError::Unobserved { reason: reason.0 })?;
        self.root.set_durable(self.observer.durable());
        if over {
            // The system's answer for both, when the link is not set aside first.
            if old_names == new_names {
                return Ok(());
            }
            if matches!(old.leaf, Leaf::Directory(_)) {
                let inside = new_names.starts_with(&old_names);
                return Err(not_renamed(if inside { Errno::INVAL } else { Errno::NOTDIR }));
            }
            // A link that leads nowhere, which the dialect takes for nothing.
            self.set_aside(&new_names).map_err(refused)?;
        }
        self.tree.rename(&old_names, &new_names).map_err(refused)?;
        self.undo.push(Undo::Renamed { from: old_names.clone(), to: new_names.clone() });
        for (from, to) in &moves {
            self.observer.changed(&Change::Moved { from, to });
        }
        Ok(())
    }
}

fn below(names: &[Name], file: &[Name]) -> Option<RelPath> {
    rel_path(names.iter().chain(file).map(Vec::as_slice))
}

/// A path as text, `..` taken out: how the TypeScript client writes it in errors.
fn shown_steps(steps: &[Step]) -> String {
    shown_path(steps.iter().filter_map(|step| match step {
        Step::Into(name) => Some(name.as_slice()),
        Step::Up => None,
    }))
}

fn too_long(path: &str, place: &Place) -> ToolError {
    system(path, libc_codes::ENAMETOOLONG, "open", shown_path(place.names()))
}

/// A failure to read a file that was there a moment ago.
fn while_reading(path: &str, place: &Place, error: &FileError) -> ToolError {
    let path_owned = path.to_owned();
    match error {
        FileError::Missing { .. } | FileError::BelowAFile { .. } => ToolError::Vanished { path: path_owned },
        FileError::Link { .. } => ToolError::BecameLink { path: path_owned },
        FileError::IsDirectory { .. } | FileError::NotAFile { .. } => {
            ToolError::BecameSpecial { path: path_owned }
        }
        FileError::Unstable { .. } => ToolError::Unstable { path: path_owned },
        FileError::TooLarge { bytes, .. } => {
            ToolError::TooLarge { path: path_owned, bytes: *bytes, limit: LARGEST_READ }
        }
        error => of_file(path, place, "open", error),
    }
}

/// Any other failure with a file.
fn of_file(path: &str, place: &Place, call: &'static str, error: &FileError) -> ToolError {
    let code = match error {
        FileError::Missing { .. } => libc_codes::ENOENT,
        FileError::Denied { .. } => libc_codes::EACCES,
        FileError::Link { .. } => libc_codes::ELOOP,
        FileError::IsDirectory { .. } => libc_codes::EISDIR,
        FileError::NotAFile { .. } => libc_codes::EINVAL,
        FileError::TooLarge { .. } => libc_codes::EFBIG,
        FileError::BelowAFile { .. } => libc_codes::ENOTDIR,
        FileError::Full { .. } => libc_codes::ENOSPC,
        FileError::ReadOnly { .. } => libc_codes::EROFS,
        FileError::Moved { .. } | FileError::Unstable { .. } => {
            return ToolError::Unstable { path: path.to_owned() };
        }
        FileError::Io { source, .. } => source.raw_os_error().unwrap_or(libc_codes::EINVAL),
    };
    system(path, code, call, shown_path(place.names()))
}
