//! Taking content out of history, and the proof.
//!
//! The order is: record what is on disk, so that nothing seen is lost unrecorded; mask the versions and replace the live
//! files in one operation; purge the files of the data directory and read them; say what was found where.

use super::verify::{SHORT_SECRET, SHORT_SECRET_WARNING, secret};
use crate::App;
use crate::app::{Inner, lock, root_of};
use crate::target::version_named;
use crate::view;
use crate::wire::{ActResult, ApiError, Code, FileWrite, Nothing, Receipt, ReceiptRef, Receipts, RedactReq, RedactionMatch};
use regex::bytes::Regex;
use retrace_files::{Expected, FileError, NoFaults, Root};
use retrace_log::{
    Act, Append, Change, NewReceipt, Payload, Place, PlaceState, RawHits, Reader, ReceiptRow, StoreRow, VersionRow,
    Words,
};
use retrace_model::{ReceiptId, RelPath, Seen, Sha256, Source, StoreId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What stands in a live file where the secret was.
pub(crate) const MARKER: &str = "[redacted]";

/// Different matched texts kept to prove absent; a pattern that matches more is proved by its traces alone.
const MOST_NEEDLES: usize = 1000;

/// Characters of a masked line.
const MASKED_LINE: usize = 200;

/// Transcripts larger than this are not searched.
const LARGEST_TRANSCRIPT: u64 = 512 << 20;

/// Takes versions out of history: content, path, size and hash go; who, when, why and what kind of change stay.
///
/// # Errors
/// `invalid` for a bad selection or a reason that holds the secret, `not_found` when nothing matches,
/// `store_unavailable`. A purge that another process holds up is pending in the receipt, not an error.
pub fn redact(app: &App, request: RedactReq) -> Result<ActResult, ApiError> {
    let inner = &app.inner;
    let selection = inner.selection(&request)?;
    if let Some(reason) = &request.reason
        && selection.hits(reason.as_bytes()) > 0
    {
        return Err(ApiError::invalid("The reason holds what is to be redacted.", "reason")
            .hint("Say what it is, not its value."));
    }
    let stores = inner.stores_concerned(&request)?;
    if !request.dry_run {
        for store in &stores {
            inner.look(store)?;
        }
    }
    let survey = inner.survey(&selection, &stores, request.live)?;
    if survey.versions.is_empty() && survey.live.is_empty() {
        return Err(ApiError::new(Code::NotFound, "Nothing recorded and no live file matches.", "")
            .hint("Redacted versions are passed over. `retrace search --history` finds words in history."));
    }
    let mut result = ActResult { dry_run: request.dry_run, matches: survey.matches(&selection), ..ActResult::default() };
    result.warnings = survey.warnings(&selection, request.live);
    if request.live {
        result.writes = survey.live.iter().filter_map(LiveHit::as_write).collect();
    }
    if request.dry_run {
        return Ok(result);
    }
    inner.do_redact(&request, &selection, &stores, survey, result)
}

/// All receipts, newest first.
///
/// # Errors
/// A failure of the database.
pub fn receipts(app: &App, _: Nothing) -> Result<Receipts, ApiError> {
    let rows = app.inner.read(|reader| Ok(reader.receipts()?))?;
    Ok(Receipts { receipts: rows.iter().map(view::receipt).collect() })
}

/// Looks again: finishes a pending purge where that is possible now, and verifies the chain.
///
/// # Errors
/// `not_found` for an unknown receipt.
pub fn recheck_receipt(app: &App, request: ReceiptRef) -> Result<Receipt, ApiError> {
    let inner = &app.inner;
    let id = ReceiptId::parse(&request.receipt)
        .map_err(|error| ApiError::new(Code::NotFound, crate::error::sentence(&error), &request.receipt))?;
    inner.read(|reader| Ok(reader.receipt(id)?))?;
    inner.finish_purges()?;
    let mut row = inner.read(|reader| Ok(reader.receipt(id)?))?;
    if row.purged {
        let sound = inner.read(|reader| Ok(reader.verify_chain()?))?.is_empty();
        row.chain_verified = Some(sound);
        inner.write(|act| Ok(act.settle_receipt(&row)?))?;
        *lock(&inner.verified) = Some((inner.now(), sound));
    }
    Ok(view::receipt(&inner.read(|reader| Ok(reader.receipt(id)?))?))
}

/// What is to be redacted.
enum Selection {
    Versions(Vec<VersionRow>),
    Pattern(Regex),
    Secret(Vec<u8>, memchr::memmem::Finder<'static>),
}

impl Selection {
    fn method(&self) -> &'static str {
        match self {
            Self::Versions(_) => "versions",
            Self::Pattern(_) => "find",
            Self::Secret(..) => "secret",
        }
    }

    /// Matches in some bytes; named versions match nothing by content.
    fn hits(&self, bytes: &[u8]) -> u64 {
        self.ranges(bytes).len() as u64
    }

    fn ranges(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        match self {
            Self::Versions(_) => Vec::new(),
            Self::Pattern(pattern) => pattern
                .find_iter(bytes)
                .filter(|found| !found.is_empty())
                .map(|found| (found.start(), found.end()))
                .collect(),
            Self::Secret(secret, finder) => finder.find_iter(bytes).map(|start| (start, start + secret.len())).collect(),
        }
    }

    /// The bytes with every match replaced by the marker.
    fn without(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        let mut kept = 0;
        for (start, end) in self.ranges(bytes) {
            if start < kept {
                continue;
            }
            out.extend_from_slice(&bytes[kept..start]);
            out.extend_from_slice(MARKER.as_bytes());
            kept = end;
        }
        out.extend_from_slice(&bytes[kept..]);
        out
    }

    fn is_short(&self, matched: &BTreeSet<Vec<u8>>) -> bool {
        match self {
            Self::Versions(_) => false,
            Self::Secret(secret, _) => secret.len() < SHORT_SECRET,
            Self::Pattern(_) => matched.iter().any(|text| text.len() < SHORT_SECRET),
        }
    }
}

/// Everything a redaction is about.
struct Survey {
    versions: Vec<(VersionRow, u64)>,
    /// First matching line of each version, masked.
    lines: BTreeMap<u64, (u32, String)>,
    live: Vec<LiveHit>,
    transcripts: Vec<(PathBuf, u64)>,
    /// The different texts that matched.
    matched: BTreeSet<Vec<u8>>,
}

/// A live file that holds it.
struct LiveHit {
    store: StoreId,
    store_root: PathBuf,
    path: RelPath,
    before: Sha256,
    seen: Seen,
    hits: u64,
    line: Option<(u32, String)>,
    in_path: bool,
    /// The new content, where it is to be replaced.
    after: Option<Vec<u8>>,
}

impl LiveHit {
    fn as_write(&self) -> Option<FileWrite> {
        let after = self.after.as_ref()?;
        Some(FileWrite {
            store_id: self.store.to_string(),
            path: self.path.to_string(),
            from_sha256: Some(self.before.to_hex()),
            to_sha256: Some(Sha256::of(after).to_hex()),
        })
    }
}

impl Survey {
    fn matches(&self, selection: &Selection) -> Vec<RedactionMatch> {
        let mask_path = |path: &RelPath| masked_text(selection, &path.to_text());
        let versions = self.versions.iter().map(|(version, hits)| {
            let line = self.lines.get(&version.id.seq);
            RedactionMatch {
                place: "version".to_owned(),
                store_id: Some(version.store.to_string()),
                version_id: Some(version.id.to_string()),
                path: version.path.as_ref().map(mask_path),
                line: line.map(|(number, _)| *number),
                masked: line.map(|(_, text)| text.clone()),
                hits: *hits,
                action: "redact_version".to_owned(),
            }
        });
        let live = self.live.iter().map(|hit| RedactionMatch {
            place: "live".to_owned(),
            store_id: Some(hit.store.to_string()),
            version_id: None,
            path: Some(mask_path(&hit.path)),
            line: hit.line.as_ref().map(|(number, _)| *number),
            masked: hit.line.as_ref().map(|(_, text)| text.clone()),
            hits: hit.hits,
            action: if hit.after.is_some() { "replace_in_place" } else { "left" }.to_owned(),
        });
        let transcripts = self.transcripts.iter().map(|(path, hits)| RedactionMatch {
            place: "transcript".to_owned(),
            store_id: None,
            version_id: None,
            path: Some(crate::error::show(path)),
            line: None,
            masked: None,
            hits: *hits,
            action: "left".to_owned(),
        });
        versions.chain(live).chain(transcripts).collect()
    }

    fn warnings(&self, selection: &Selection, live: bool) -> Vec<String> {
        let mut warnings = Vec::new();
        if selection.is_short(&self.matched) {
            warnings.push(SHORT_SECRET_WARNING.to_owned());
        }
        if self.matched.len() >= MOST_NEEDLES {
            warnings.push(format!(
                "The pattern matches more than {MOST_NEEDLES} different texts; only the first of them are looked for in raw bytes."
            ));
        }
        if !live && !self.live.is_empty() {
            warnings.push(format!(
                "{} live files still hold it. They stay as they are, and are recorded again as soon as they change; use --live to replace it there.",
                self.live.len()
            ));
        }
        if self.live.iter().any(|hit| hit.in_path) {
            warnings.push("The name of a live file holds it; names are not changed. Rename the file.".to_owned());
        }
        if !self.transcripts.is_empty() {
            warnings.push(format!(
                "{} transcripts hold it too. They belong to the agent and are left as they are.",
                self.transcripts.len()
            ));
        }
        warnings
    }
}

impl Inner {
    fn selection(&self, request: &RedactReq) -> Result<Selection, ApiError> {
        match (request.versions.as_slice(), &request.find, &request.secret_base64) {
            ([_, ..], None, None) => self.read(|reader| {
                let versions = request
                    .versions
                    .iter()
                    .map(|text| version_named(reader, text))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(Selection::Versions(versions))
            }),
            ([], Some(pattern), None) => Regex::new(pattern)
                .map(Selection::Pattern)
                .map_err(|_| ApiError::invalid("The regular expression cannot be read.", "find")),
            ([], None, Some(base64)) => {
                let secret = secret(base64)?;
                let finder = memchr::memmem::Finder::new(&secret).into_owned();
                Ok(Selection::Secret(secret, finder))
            }
            _ => Err(ApiError::invalid("Say exactly one of: versions, a regular expression, a secret.", "")
                .hint("`VERSION…`, `--find REGEX` or `--secret-file F`.")),
        }
    }

    fn stores_concerned(&self, request: &RedactReq) -> Result<Vec<StoreRow>, ApiError> {
        self.read(|reader| match &request.store {
            Some(name) => Ok(vec![self.store_named(reader, name)?]),
            None => Ok(reader.stores()?.into_iter().filter(|store| store.removed_at.is_none()).collect()),
        })
    }

    /// Finds everything a redaction is about. Changes nothing.
    fn survey(&self, selection: &Selection, stores: &[StoreRow], live: bool) -> Result<Survey, ApiError> {
        let only = match stores {
            [one] => Some(one.id),
            _ => None,
        };
        let all = self.read(|reader| Ok(reader.stores()?.len()))?;
        let mut survey = Survey {
            versions: Vec::new(),
            lines: BTreeMap::new(),
            live: Vec::new(),
            transcripts: Vec::new(),
            matched: BTreeSet::new(),
        };
        self.read(|reader| {
            survey.versions = match selection {
                Selection::Versions(chosen) => {
                    reader.with_same_content(chosen)?.into_iter().map(|version| (version, 1)).collect()
                }
                _ => {
                    let matched = &mut survey.matched;
                    reader.versions_holding(only.filter(|_| all > 1), |_, bytes| {
                        let ranges = selection.ranges(bytes);
                        for (start, end) in &ranges {
                            if matched.len() < MOST_NEEDLES {
                                matched.insert(bytes[*start..*end].to_vec());
                            }
                        }
                        ranges.len() as u64
                    })?
                }
            };
            for (version, _) in &survey.versions {
                if let Ok(Some(content)) = reader.content(version)
                    && let Some(line) = first_line(selection, &content.bytes)
                {
                    survey.lines.insert(version.id.seq, line);
                }
            }
            Ok(())
        })?;
        let hashes: BTreeSet<Sha256> = match selection {
            Selection::Versions(_) => {
                survey.versions.iter().filter_map(|(version, _)| Some(version.content?.sha256)).collect()
            }
            _ => BTreeSet::new(),
        };
        for store in stores {
            let found = self.live_hits(selection, store, &hashes, live, &mut survey.matched);
            survey.live.extend(found);
        }
        survey.transcripts = self.transcripts_holding(&survey.matched);
        Ok(survey)
    }

    fn live_hits(
        &self,
        selection: &Selection,
        store: &StoreRow,
        hashes: &BTreeSet<Sha256>,
        live: bool,
        matched: &mut BTreeSet<Vec<u8>>,
    ) -> Vec<LiveHit> {
        let store_root = root_of(store);
        // A directory that cannot be read is a state of its store, and is named as such on the receipt.
        let Ok(root) = Root::open(&store_root) else { return Vec::new() };
        let mut found = Vec::new();
        for path in root.scan(&self.rules, None).found.into_keys() {
            let Ok(content) = root.read(&path, self.rules.max_file_bytes) else { continue };
            let Some(bytes) = content.bytes else { continue };
            let ranges = selection.ranges(&bytes);
            let in_path = selection.hits(path.as_bytes()) > 0;
            let whole = hashes.contains(&content.sha256);
            if ranges.is_empty() && !in_path && !whole {
                continue;
            }
            for (start, end) in &ranges {
                if matched.len() < MOST_NEEDLES {
                    matched.insert(bytes[*start..*end].to_vec());
                }
            }
            let after = match (live, whole, ranges.is_empty()) {
                (true, true, _) => Some(format!("{MARKER}\n").into_bytes()),
                (true, false, false) => Some(selection.without(&bytes)),
                _ => None,
            };
            found.push(LiveHit {
                store: store.id,
                store_root: store_root.clone(),
                line: first_line(selection, &bytes),
                hits: ranges.len() as u64 + u64::from(in_path) + u64::from(whole),
                path,
                before: content.sha256,
                seen: content.seen,
                in_path,
                after,
            });
        }
        found
    }

    /// Transcripts of agents on this machine that hold a matched text. They are only read.
    fn transcripts_holding(&self, matched: &BTreeSet<Vec<u8>>) -> Vec<(PathBuf, u64)> {
        let needles: Vec<memchr::memmem::Finder<'_>> =
            matched.iter().filter(|text| text.len() >= 6).map(|text| memchr::memmem::Finder::new(text)).collect();
        let mut found = Vec::new();
        if needles.is_empty() {
            return found;
        }
        for folder in self.transcript_folders() {
            for_each_file(&folder, 8, &mut |path| {
                let fits = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() <= LARGEST_TRANSCRIPT);
                if !fits || path.extension().is_none_or(|extension| extension != "jsonl") {
                    return;
                }
                if let Ok(bytes) = std::fs::read(path) {
                    let hits: usize = needles.iter().map(|needle| needle.find_iter(&bytes).count()).sum();
                    if hits > 0 {
                        found.push((path.to_path_buf(), hits as u64));
                    }
                }
            });
        }
        found.sort();
        found
    }

    fn transcript_folders(&self) -> Vec<PathBuf> {
        let surroundings = &self.options.surroundings;
        let place = |variable: &str, fallback: &str| {
            surroundings
                .env
                .get(variable)
                .filter(|value| !value.is_empty())
                .map_or_else(|| surroundings.home.join(fallback), PathBuf::from)
        };
        vec![
            place("CLAUDE_CONFIG_DIR", ".claude").join("projects"),
            place("CODEX_HOME", ".codex").join("sessions"),
            place("COPILOT_HOME", ".copilot").join("session-state"),
        ]
    }

    fn do_redact(
        &self,
        request: &RedactReq,
        selection: &Selection,
        stores: &[StoreRow],
        mut survey: Survey,
        mut result: ActResult,
    ) -> Result<ActResult, ApiError> {
        let at = self.now();
        let user = self.user();
        let chosen: Vec<VersionRow> = survey.versions.iter().map(|(version, _)| version.clone()).collect();
        let mut changed = Vec::new();
        let mut failed = Vec::new();
        let (id, operation_seq, masked) = self.write(|act| {
            let mut changes = Vec::new();
            for hit in survey.live.iter_mut().filter(|hit| hit.after.is_some()) {
                match self.replace_live(hit) {
                    Ok(change) => {
                        changed.push(hit.path.clone());
                        changes.push(change);
                    }
                    Err(error) => {
                        failed.push(format!("{}: {error}", hit.path));
                        hit.after = None;
                    }
                }
            }
            let one = match stores {
                [one] => Some(one.id),
                _ => None,
            };
            let appended = act.append(Append {
                store: one,
                source: Source::Redact,
                actor: &user,
                note: request.reason.as_deref(),
                at,
                undoes: None,
                changes,
                even_if_empty: true,
            })?;
            let operation_seq = appended.operation_seq.unwrap_or_default();
            let versions = act.reader().with_same_content(&chosen)?.len() as u64;
            let (id, row) = act.add_receipt(&NewReceipt {
                operation_seq,
                at,
                actor: &user,
                reason: request.reason.as_deref(),
                method: selection.method(),
                versions,
            })?;
            let masked = act.mask(&chosen, row)?;
            cast_shadows(act, &survey.live)?;
            Ok((id, operation_seq, masked))
        })?;
        result.operation_seq = Some(operation_seq);
        result.writes.retain(|write| changed.iter().any(|path| path.to_text() == write.path));
        result.warnings.extend(failed.iter().map(|what| format!("A live file could not be changed: {what}.")));
        let mut needles = masked.needles;
        survey.matched.iter().for_each(|text| needles.add(text));
        let purged = self.writer().purge(&needles)?;
        let mut row = self.read(|reader| Ok(reader.receipt(id)?))?;
        row.live_files = changed.len() as u64;
        row.warnings.clone_from(&result.warnings);
        self.settle(&mut row, selection, stores, &survey, purged.as_ref())?;
        if purged.is_none() {
            lock(&self.pending_needles).insert(id, needles);
        }
        let row = self.read(|reader| Ok(reader.receipt(id)?))?;
        result.receipt = Some(view::receipt(&row));
        self.events.send(&crate::wire::Event::Receipts);
        Ok(result)
    }

    fn replace_live(&self, hit: &LiveHit) -> Result<Change, FileError> {
        let failed = |error: retrace_files::RootError| FileError::Io {
            path: hit.path.clone(),
            doing: "open the store",
            source: std::io::Error::other(error.to_string()),
        };
        let after = hit.after.clone().unwrap_or_default();
        let root = Root::open(&hit.store_root).map_err(failed)?;
        let done = root.replace(&hit.path, Expected::Hash(hit.before), &after, self.random(), &NoFaults)?;
        Ok(Change {
            store: hit.store,
            path: hit.path.clone(),
            payload: Payload::Content {
                sha256: Sha256::of(&after),
                size: after.len() as u64,
                bytes: Some(after),
                seen: done.seen,
                moved_from: None,
            },
        })
    }

    /// Fills in what a receipt says, and keeps it.
    fn settle(
        &self,
        row: &mut ReceiptRow,
        selection: &Selection,
        stores: &[StoreRow],
        survey: &Survey,
        purged: Option<&RawHits>,
    ) -> Result<(), ApiError> {
        row.purged = purged.is_some();
        row.places = self.places(selection, stores, survey, purged)?;
        row.chain_head = self.read(|reader| Ok(reader.chain_head()?))?;
        if purged.is_some() {
            let sound = self.read(|reader| Ok(reader.verify_chain()?))?.is_empty();
            row.chain_verified = Some(sound);
            *lock(&self.verified) = Some((self.now(), sound));
        }
        self.write(|act| Ok(act.settle_receipt(row)?))
    }

    /// Looks at every place anew, after the act.
    fn places(
        &self,
        selection: &Selection,
        stores: &[StoreRow],
        survey: &Survey,
        purged: Option<&RawHits>,
    ) -> Result<Vec<Place>, ApiError> {
        let mut places = Vec::new();
        let left: u64 = survey.live.iter().filter(|hit| hit.after.is_none()).map(|hit| hit.hits).sum();
        let unreadable: Vec<&str> = stores
            .iter()
            .filter(|store| Root::open(&root_of(store)).is_err())
            .map(|store| store.name.as_str())
            .collect();
        let count = stores.len();
        places.push(place(
            &format!("Live files, {count} {}", if count == 1 { "store" } else { "stores" }),
            left,
            (!unreadable.is_empty()).then(|| format!("could not be read: {}", unreadable.join(", "))),
        ));
        let remaining = self.read(|reader| remaining(reader, selection))?;
        places.push(place("Version log, contents and paths", remaining, None));
        places.push(place("Search index", self.read(|reader| in_index(reader, &survey.matched, selection))?, None));
        match purged {
            Some(raw) => {
                let of = |wanted: fn(&Path) -> bool| -> u64 {
                    raw.files.iter().filter(|(path, _)| wanted(path)).map(|(_, hits)| *hits).sum()
                };
                let database = |path: &Path| path == Path::new("retrace.db");
                let log = |path: &Path| path == Path::new("retrace.db-wal") || path == Path::new("retrace.db-shm");
                let other =
                    |path: &Path| !path.to_string_lossy().starts_with("retrace.db");
                places.push(place("Database file, raw bytes", of(database), None));
                places.push(place("Write-ahead log, raw bytes", of(log), None));
                places.push(place("Other files of the data directory", of(other), None));
            }
            None => {
                for name in ["Database file, raw bytes", "Write-ahead log, raw bytes"] {
                    places.push(Place {
                        place: name.to_owned(),
                        state: PlaceState::Left,
                        hits: 0,
                        detail: Some("purge pending: another process is reading an older state".to_owned()),
                    });
                }
            }
        }
        if !matches!(selection, Selection::Versions(_)) {
            let hits: u64 = survey.transcripts.iter().map(|(_, hits)| hits).sum();
            let files = survey.transcripts.len();
            let detail = (files > 0).then(|| format!("in {files} files, which belong to the agent"));
            places.push(place("Transcripts on this machine", hits, detail));
        }
        places.push(Place {
            place: "Backups and file sync".to_owned(),
            state: PlaceState::OutOfReach,
            hits: 0,
            detail: None,
        });
        Ok(places)
    }

    /// Finishes purges that other processes held up. Cheap when there are none.
    pub(crate) fn finish_purges(&self) -> Result<(), ApiError> {
        let pending: Vec<ReceiptRow> = {
            let writer = self.writer();
            if writer.reader().purges_pending()? == 0 {
                return Ok(());
            }
            writer.reader().receipts()?.into_iter().filter(|row| !row.purged).collect()
        };
        for mut row in pending {
            let needles = lock(&self.pending_needles).get(&row.id).cloned();
            let proof = needles.is_some();
            let Some(raw) = self.writer().purge(&needles.unwrap_or_default())? else { return Ok(()) };
            for place in row.places.iter_mut().filter(|place| place.place.ends_with("raw bytes")) {
                let is_log = place.place.starts_with("Write-ahead");
                place.hits = raw
                    .files
                    .iter()
                    .filter(|(path, _)| path.to_string_lossy().ends_with("-wal") == is_log)
                    .map(|(_, hits)| *hits)
                    .sum();
                place.state = if place.hits == 0 { PlaceState::Clean } else { PlaceState::Left };
                place.detail = (!proof).then(|| {
                    "finished later by another process, which did not know the secret: the write-ahead log was emptied and deleted bytes are overwritten".to_owned()
                });
            }
            row.purged = true;
            let writer_reader = self.writer();
            row.chain_verified = Some(writer_reader.reader().verify_chain()?.is_empty());
            drop(writer_reader);
            self.write(|act| Ok(act.settle_receipt(&row)?))?;
            lock(&self.pending_needles).remove(&row.id);
            self.events.send(&crate::wire::Event::Receipts);
        }
        Ok(())
    }
}

/// Marks live files that keep what was redacted, so that they are not recorded again until they change.
fn cast_shadows(act: &mut Act<'_>, live: &[LiveHit]) -> Result<(), ApiError> {
    for hit in live.iter().filter(|hit| hit.after.is_none()) {
        let head = act.reader().live_at(hit.store, &hit.path)?;
        if head.is_some_and(|head| head.sha256.is_none()) {
            act.cast_shadow(hit.store, &hit.path, &hit.seen)?;
        }
    }
    Ok(())
}

/// Matches in contents and paths the log still holds.
fn remaining(reader: &Reader<'_>, selection: &Selection) -> Result<u64, ApiError> {
    let left = match selection {
        Selection::Versions(chosen) => {
            let mut left = 0;
            for version in chosen {
                left += u64::from(reader.version(version.id.seq)?.redaction.is_none());
            }
            left
        }
        _ => reader.versions_holding(None, |_, bytes| selection.hits(bytes))?.len() as u64,
    };
    Ok(left)
}

/// Contents the search index still leads to.
fn in_index(reader: &Reader<'_>, matched: &BTreeSet<Vec<u8>>, selection: &Selection) -> Result<u64, ApiError> {
    let mut hits = 0;
    for text in matched.iter().take(20) {
        let words = Words::parse(&String::from_utf8_lossy(text));
        if words.is_empty() {
            continue;
        }
        for hit in reader.search_live(&words, None, 50)?.iter().chain(&reader.search_history(&words, None, 50)?) {
            hits += u64::from(selection.hits(hit.text.as_bytes()) > 0);
        }
    }
    Ok(hits)
}

fn place(name: &str, hits: u64, detail: Option<String>) -> Place {
    let state = if hits == 0 { PlaceState::Clean } else { PlaceState::Left };
    Place { place: name.to_owned(), state, hits, detail }
}

/// The first line with a match, masked.
fn first_line(selection: &Selection, bytes: &[u8]) -> Option<(u32, String)> {
    let (start, _) = *selection.ranges(bytes).first()?;
    let number = memchr::memchr_iter(b'\n', &bytes[..start]).count() + 1;
    let from = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |at| at + 1);
    let mut out = String::new();
    let mut at = from;
    for (start, end) in selection.ranges(bytes) {
        if start < at {
            continue;
        }
        let line_end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |offset| at + offset);
        if start > line_end {
            break;
        }
        out.push_str(&String::from_utf8_lossy(&bytes[at..start]));
        out.push_str(&"█".repeat(String::from_utf8_lossy(&bytes[start..end.min(line_end)]).chars().count().clamp(4, 24)));
        at = end;
        if end >= line_end {
            break;
        }
    }
    let line_end = memchr::memchr(b'\n', &bytes[at.min(bytes.len())..]).map_or(bytes.len(), |offset| at + offset);
    if memchr::memchr(b'\n', &bytes[from..at.min(bytes.len())]).is_none() {
        out.push_str(&String::from_utf8_lossy(&bytes[at.min(line_end)..line_end]));
    }
    Some((u32::try_from(number).unwrap_or(u32::MAX), shorten(&out)))
}

/// Keeps the part around the first mask.
fn shorten(line: &str) -> String {
    let count = line.chars().count();
    if count <= MASKED_LINE {
        return line.trim_end().to_owned();
    }
    let mask = line.chars().position(|letter| letter == '█').unwrap_or(0);
    let from = mask.saturating_sub(60).min(count - MASKED_LINE);
    let part: String = line.chars().skip(from).take(MASKED_LINE).collect();
    format!("{}{}…", if from > 0 { "…" } else { "" }, part.trim_end())
}

fn masked_text(selection: &Selection, text: &str) -> String {
    let ranges = selection.ranges(text.as_bytes());
    if ranges.is_empty() {
        return text.to_owned();
    }
    String::from_utf8_lossy(&selection.without(text.as_bytes())).replace(MARKER, "████")
}

/// Calls `visit` for every regular file below a folder, links not followed.
fn for_each_file(folder: &Path, depth: usize, visit: &mut dyn FnMut(&Path)) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => for_each_file(&entry.path(), depth - 1, visit),
            Ok(kind) if kind.is_file() => visit(&entry.path()),
            _ => {}
        }
    }
}
