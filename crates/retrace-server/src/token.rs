//! The token that clients show.

use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq as _;

/// Random bytes in a token that is made here.
const TOKEN_BYTES: usize = 32;

/// Below this many characters a token is reported as easy to guess, and refused where other machines can try. Our own have 64.
const SHORT_TOKEN: usize = 16;

/// Token that a client must show. Prints as nothing but its length, so that it reaches no log.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token of this text.
    ///
    /// # Errors
    /// `None` when the text is empty or holds anything but visible ASCII, which no header could carry.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let usable = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        usable.then(|| Self(text.to_owned()))
    }

    /// A new token: 64 hexadecimal digits from `entropy`.
    #[must_use]
    pub fn make(entropy: &dyn Fn(&mut [u8])) -> Self {
        let mut bytes = [0; TOKEN_BYTES];
        entropy(&mut bytes);
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The text. It goes into the file and the address for the browser, and nowhere else.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// True if it is so short that it can be guessed.
    pub(crate) fn is_short(&self) -> bool {
        self.0.len() < SHORT_TOKEN
    }

    /// True if `shown` is this token. Takes the same time for every text of the right length.
    #[must_use]
    pub fn matches(&self, shown: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(shown).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({} characters)", self.0.len())
    }
}

/// A token and what is worth knowing about the file it came from.
#[derive(Clone, Debug)]
pub struct TokenFile {
    /// Where it is.
    pub path: PathBuf,
    /// The token.
    pub token: Token,
    /// Things worth knowing, each a sentence: others can read the file, the token is short.
    pub warnings: Vec<String>,
}

impl TokenFile {
    /// Reads the token in `path`, or makes one when there is no such file. A new file is readable by its owner only, from
    /// its first moment on; of two programs that make it at once, both use the one that came to be.
    ///
    /// # Errors
    /// [`Code::CannotWrite`] when it cannot be made, [`Code::Invalid`] when it cannot be read or holds no token.
    pub fn read_or_make(path: &Path, entropy: &dyn Fn(&mut [u8])) -> Result<Self, ApiError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::from_text(path, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::make(path, entropy),
            Err(error) => Err(unreadable(path, &error)),
        }
    }

    fn from_text(path: &Path, text: &str) -> Result<Self, ApiError> {
        let Some(token) = Token::new(text.trim()) else {
            return Err(ApiError {
                code: Code::Invalid,
                message: Message::verbatim("The token file holds no token."),
                hint: Message::verbatim(
                    "A token is one line of visible ASCII characters. Remove the file to have one made.",
                ),
                subject: path.display().to_string(),
            });
        };
        let mut warnings = Vec::new();
        if token.is_short() {
            warnings.push(format!("The token in {} is short and easy to guess.", path.display()));
        }
        if others_can_read(path) {
            warnings.push(format!(
                "Other users of this machine can read {}. `chmod 600` it, or remove it to have a new one made.",
                path.display()
            ));
        }
        Ok(Self { path: path.to_path_buf(), token, warnings })
    }

    fn make(path: &Path, entropy: &dyn Fn(&mut [u8])) -> Result<Self, ApiError> {
        let token = Token::make(entropy);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Complete under another name first, so that nobody reads half a token. Temporary files have mode 0600.
        let persisted = tempfile::Builder::new()
            .prefix(".token")
            .tempfile_in(folder)
            .and_then(|mut file| {
                file.write_all(token.0.as_bytes())?;
                file.write_all(b"\n")?;
                file.as_file().sync_all()?;
                Ok(file)
            })
            .map_err(|error| unwritable(path, &error))?
            .persist_noclobber(path);
        match persisted {
            Ok(_) => Ok(Self { path: path.to_path_buf(), token, warnings: Vec::new() }),
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
                let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
                Self::from_text(path, &text)
            }
            Err(error) => Err(unwritable(path, &error.error)),
        }
    }
}

#[cfg(unix)]
fn others_can_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_can_read(_: &Path) -> bool {
    false
}

fn unreadable(path: &Path, error: &std::io::Error) -> ApiError {
    ApiError {
        code: Code::Invalid,
        message: Message::verbatim(format!(
            "The token file cannot be read: {}.",
            retrace_api::wire::why(error)
        )),
        hint: Message::verbatim("Name another with --token-file."),
        subject: path.display().to_string(),
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> ApiError {
    ApiError {
        code: Code::CannotWrite,
        message: Message::verbatim(format!(
            "The token file cannot be made: {}.",
            retrace_api::wire::why(error)
        )),
        hint: Message::verbatim("Name another with --token-file."),
        subject: path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sevens(bytes: &mut [u8]) {
        bytes.fill(7);
    }

    #[test]
    fn only_the_token_itself_matches() {
        let token = Token::new("correct-horse-battery").expect("a token");
        assert!(token.matches(b"correct-horse-battery"));
        for shown in
            ["", "correct-horse-batterx", "correct-horse-battery ", "correct", "Correct-horse-battery"]
        {
            assert!(!token.matches(shown.as_bytes()), "{shown:?}");
        }
        assert_eq!(format!("{token:?}"), "Token(21 characters)");
    }

    #[test]
    fn what_no_header_can_carry_is_no_token() {
        for text in ["", "two words", "naïve", "line\nfeed"] {
            assert!(Token::new(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn a_missing_file_is_made_once_and_is_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        let made = TokenFile::read_or_make(&path, &sevens).expect("a token");
        assert_eq!(made.token.reveal(), "07".repeat(32));
        let again = TokenFile::read_or_make(&path, &|bytes| bytes.fill(8)).expect("a token");
        assert_eq!(again.token.reveal(), made.token.reveal());
        assert!(again.warnings.is_empty(), "{:?}", again.warnings);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
        assert!(!others_can_read(&path));
    }

    #[test]
    fn a_short_token_or_an_open_file_is_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        std::fs::write(&path, "secret\n").expect("a file");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("a mode");
        }
        let read = TokenFile::read_or_make(&path, &sevens).expect("a token");
        assert_eq!(read.token.reveal(), "secret");
        assert_eq!(read.warnings.len(), if cfg!(unix) { 2 } else { 1 });
    }

    #[test]
    fn a_file_without_a_token_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        std::fs::write(&path, "\n").expect("a file");
        assert_eq!(TokenFile::read_or_make(&path, &sevens).expect_err("no token").code, Code::Invalid);
        let missing = folder.path().join("none/token");
        assert_eq!(
            TokenFile::read_or_make(&missing, &sevens).expect_err("no folder").code,
            Code::CannotWrite
        );
    }
}
