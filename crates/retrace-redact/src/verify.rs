//! Verification of the log, and the search for absent bytes.

use crate::Redactions;
use crate::redact::{Forms, texts_with};
use crate::wire::{ApiError, Verified, VerifyReq, key_lost, key_lost_hint};
use base64::Engine as _;
use retrace_log::{LogError, ReadConnection, Reader};
use retrace_message::{AsMessage as _, Message};
use retrace_model::RelPath;

/// A secret shorter than this occurs by chance in files of some megabytes, and the chance that it stands in some encoded
/// form is real too: absence in raw bytes says little.
pub(crate) const SHORT_SECRET: usize = 12;

/// Warning whenever a short secret is searched for.
pub(crate) fn short_secret_warning() -> Message {
    say::short_secret()
}

/// Verifies schema, foreign keys, chain, contents and derived tables; with `absent_base64` also that these bytes are in no
/// file of the data directory and in no content. With `forget_lost_key`, what was redacted under a key that is gone is forgotten first.
///
/// # Errors
/// `invalid` for an empty secret or bad base64; a failure of reading.
pub fn verify(inner: &Redactions, request: VerifyReq) -> Result<Verified, ApiError> {
    let needle = request.absent_base64.as_deref().map(secret).transpose()?;
    if request.forget_lost_key {
        inner.write(|act| Ok(act.forget_lost_tags()?))?;
    }
    let found = inner.read(|reader| Ok(reader.verify()?))?;
    let mut problems: Vec<Message> = found.problems;
    let problem_of_tags = inner.problem_of_tags()?;
    let mut warnings = Vec::new();
    if problem_of_tags == Some(key_lost()) {
        warnings.push(key_lost_hint());
    }
    problems.extend(problem_of_tags);
    match inner.writer().verify_search() {
        Ok(found) => problems.extend(found),
        // SQLite checks its full-text index by a statement that writes.
        Err(LogError::CannotWrite(_)) => warnings.push(say::search_not_checked()),
        Err(error) => return Err(error.into()),
    }
    if let Some(head) = inner.files.head() {
        let replaced = inner.read(|reader| Ok(reader.replaced(head)?))?;
        problems.extend(replaced.map(|replaced| replaced.message()));
    }
    *retrace_engine::lock(&inner.verified) = Some((inner.now(), problems.is_empty()));
    let mut verified = Verified {
        ok: problems.is_empty(),
        versions: found.versions,
        blobs: found.blobs,
        chain_head: found.chain_head.map(|head| head.to_hex()).unwrap_or_default(),
        problems,
        absent: None,
        found_in: Vec::new(),
        warnings,
    };
    if let Some(needle) = needle {
        let (raw, versions) = ReadConnection::open(&inner.files)?.find_bytes(&inner.files, &needle)?;
        for (file, hits) in raw.files.iter().filter(|(_, hits)| **hits > 0) {
            verified.found_in.push(say::raw_bytes(file.display().to_string(), hits.to_string()));
        }
        for seq in &versions {
            let id = inner.read(|reader| Ok(reader.version(*seq)?.id))?;
            verified.found_in.push(say::content_version(id.to_string()));
        }
        for (name, rows) in inner.read(|reader| texts_with(reader, &needle))? {
            verified.found_in.push(say::texts_log(name, rows));
        }
        verified.absent = Some(verified.found_in.is_empty());
        let encoded = inner.read(|reader| in_other_forms(reader, &needle))?;
        if !encoded.is_empty() {
            verified.warnings.push(say::versions_hold_another_form_utf(encoded.join(", ")));
        }
        if needle.len() < SHORT_SECRET {
            verified.warnings.push(short_secret_warning());
        }
    }
    Ok(verified)
}

/// Ids of versions that hold some bytes in another form.
fn in_other_forms(reader: &Reader<'_>, needle: &Vec<u8>) -> Result<Vec<String>, ApiError> {
    let forms = Forms::of([needle]);
    let holds =
        |path: Option<&RelPath>, bytes: &[u8]| u64::from(path.is_none() && !forms.in_bytes(bytes).is_empty());
    let holding = reader.versions_holding(None, holds)?;
    Ok(holding.into_iter().map(|(version, _)| version.id.to_string()).collect())
}

impl Redactions {
    /// Problem of the tags of what was redacted, or with their key.
    fn problem_of_tags(&self) -> Result<Option<Message>, ApiError> {
        self.read(|reader| {
            Ok(match reader.tags_anew(&self.files) {
                Ok(tags) if tags.lost() == 0 => None,
                Ok(_) => Some(key_lost()),
                Err(LogError::Damaged(what)) => Some(what),
                Err(error) => return Err(error.into()),
            })
        })
    }
}

/// The bytes of a secret; never part of an error.
pub(crate) fn secret(base64: &str) -> Result<Vec<u8>, ApiError> {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(base64)
        .map_err(|_| ApiError::invalid(say::secret_not_valid_base64(), "secret"))?;
    if bytes.is_empty() {
        return Err(ApiError::invalid(say::secret_empty(), "secret"));
    }
    Ok(bytes)
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "verify";
    short_secret() => "The secret is shorter than 12 bytes: that it is absent in raw bytes cannot tell much.",
    search_not_checked() => "The search index was not checked: the data directory cannot be written.",
    raw_bytes(file, hits) => "{file}: {hits} in raw bytes",
    content_version(id) => "content of version {id}",
    texts_log(name, rows) => "texts of the log: {name}, {rows}",
    versions_hold_another_form_utf(encoded) => "Versions that hold it in another form (UTF-16, base64, escaped): {encoded}.",
    secret_not_valid_base64() => "The secret is not valid base64.",
    secret_empty() => "The secret is empty.",
}
