//! Scope of a redaction: what was asked for, and where it stands in history, live files and transcripts. Changes
//! nothing.

use super::MARKER;
use super::forms::Forms;
use super::outside::Outside;
use super::texts::{TextSurvey, paths_without_directory};
use super::transcripts;
use super::unread::{self, OffTheList, Unread};
use crate::Redactions;
use crate::hosts::{self as remote, HostedHit};
use crate::target::version_named;
use crate::verify::{SHORT_SECRET, secret, short_secret_warning};
use crate::wire::{ApiError, Code, FileWrite, FindingPlace, RedactReq, RedactionMatch};
use crate::wire::{RedactionAction, RedactionPlace};
use regex::bytes::Regex;
use retrace_files::Root;
use retrace_findings::{Config, check_one};
use retrace_log::{QueueRow, StoreRow, Tags, VersionRow};
use retrace_message::Message;
use retrace_model::{RelPath, Rules, Seen, Sha256, StoreId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Different matched texts kept to prove absent; a pattern that matches more is proved by its traces alone.
pub(super) const MAX_NEEDLES: usize = 1000;

/// Characters of a masked line.
const MASKED_LINE: usize = 200;

/// Step that removes it from the name of a live file.
pub(super) fn name_remedy() -> Message {
    say::name_remedy()
}

/// Step that removes it from the path of a memory that is no file.
pub(super) fn path_remedy() -> Message {
    say::path_remedy()
}

/// Step that removes it from transcripts.
pub(super) fn transcripts_remedy() -> Message {
    say::transcripts_remedy()
}

/// Places in contents, by the hash of the content.
pub type PartsOfContents = BTreeMap<Sha256, Vec<(usize, usize)>>;

/// Places in one content that are kept, at most.
const MAX_PARTS: usize = 1000;

/// Selection of what to redact.
pub(super) enum Selection {
    /// Versions; of contents that are named here only some places, of all others the whole.
    Versions(Vec<VersionRow>, PartsOfContents),
    Pattern(Regex),
    Secret(Vec<u8>, Box<memchr::memmem::Finder<'static>>),
    /// What was redacted before, known by its tags.
    Tagged(Box<Tags>),
}

impl Selection {
    /// Exactly these bytes.
    pub(super) fn secret(secret: Vec<u8>) -> Self {
        let finder = memchr::memmem::Finder::new(&secret).into_owned();
        Self::Secret(secret, Box::new(finder))
    }

    pub(super) fn method(&self) -> &'static str {
        match self {
            Self::Versions(..) => "versions",
            Self::Pattern(_) => "find",
            Self::Secret(..) | Self::Tagged(_) => "secret",
        }
    }

    /// Matches in some bytes; named versions match nothing by content.
    pub(super) fn hits(&self, bytes: &[u8]) -> u64 {
        match self {
            Self::Tagged(tags) => tags.marks_in(bytes).len() as u64,
            _ => self.ranges(bytes).len() as u64,
        }
    }

    pub(super) fn ranges(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        match self {
            Self::Versions(..) => Vec::new(),
            Self::Pattern(pattern) => pattern
                .find_iter(bytes)
                .filter(|found| !found.is_empty())
                .map(|found| (found.start(), found.end()))
                .collect(),
            Self::Secret(secret, finder) => {
                finder.find_iter(bytes).map(|start| (start, start + secret.len())).collect()
            }
            Self::Tagged(tags) => {
                tags.secrets_at(bytes).into_iter().map(|part| (part.start, part.end)).collect()
            }
        }
    }

    /// The bytes with every match replaced by the marker.
    fn without(&self, bytes: &[u8]) -> Vec<u8> {
        without(bytes, self.ranges(bytes))
    }

    /// Where in a content that is about to be masked stands what is redacted; `None` where all of it is.
    pub(super) fn parts(&self, bytes: &[u8]) -> Option<Vec<(u64, u64)>> {
        let ranges = match self {
            Self::Versions(_, parts) => parts.get(&Sha256::of(bytes))?.clone(),
            _ => self.ranges(bytes),
        };
        Some(few(bytes, ranges).into_iter().map(|(start, end)| (start as u64, end as u64)).collect())
    }

    /// True if no content goes as a whole.
    pub(super) fn has_parts(&self) -> bool {
        !matches!(self, Self::Versions(_, parts) if parts.is_empty())
    }

    /// True if some bytes hold what is redacted, or one of the texts that matched elsewhere.
    pub(super) fn holds(&self, bytes: &[u8], matched: &BTreeSet<Vec<u8>>) -> bool {
        self.hits(bytes) > 0
            || matched.iter().any(|text| !text.is_empty() && memchr::memmem::find(bytes, text).is_some())
    }

    /// Replacement for a content whose version is redacted.
    pub(super) fn replaced(&self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Versions(_, parts) => match parts.get(&Sha256::of(bytes)) {
                Some(parts) => without(bytes, parts.clone()),
                None => format!("{MARKER}\n").into_bytes(),
            },
            _ => self.without(bytes),
        }
    }

    fn is_short(&self, matched: &BTreeSet<Vec<u8>>) -> bool {
        match self {
            Self::Versions(..) | Self::Tagged(_) => false,
            Self::Secret(secret, _) => secret.len() < SHORT_SECRET,
            Self::Pattern(_) => matched.iter().any(|text| text.len() < SHORT_SECRET),
        }
    }
}

/// Some bytes with a marker in the place of each range.
fn without(bytes: &[u8], mut ranges: Vec<(usize, usize)>) -> Vec<u8> {
    ranges.sort_unstable();
    let mut out = Vec::with_capacity(bytes.len());
    let mut kept = 0;
    for (start, end) in ranges {
        if start < kept || end > bytes.len() || start > end {
            continue;
        }
        out.extend_from_slice(&bytes[kept..start]);
        out.extend_from_slice(MARKER.as_bytes());
        kept = end;
    }
    out.extend_from_slice(&bytes[kept..]);
    out
}

/// Not more places than are kept: of more, one of each text.
fn few(bytes: &[u8], mut ranges: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    if ranges.len() > MAX_PARTS {
        let mut known = BTreeSet::new();
        ranges.retain(|(start, end)| known.insert(bytes.get(*start..*end)));
        ranges.truncate(MAX_PARTS);
    }
    ranges
}

/// Everything a redaction is about.
pub(super) struct Survey {
    pub(super) versions: Vec<(VersionRow, u64)>,
    /// First matching line of each version, masked.
    pub(super) lines: BTreeMap<u64, (u32, String)>,
    pub(super) live: Vec<LiveHit>,
    pub(super) transcripts: Vec<(PathBuf, u64)>,
    /// Transcripts that could not be searched.
    pub(super) unread_transcripts: BTreeSet<PathBuf>,
    /// The different texts that matched.
    pub(super) matched: BTreeSet<Vec<u8>>,
    /// Live memories of hosted stores whose newest version holds it.
    pub(super) hosted: Vec<HostedHit>,
    /// Changes queued for hosts that hold it, with those that an act took back.
    pub(super) queued: Vec<QueueRow>,
    /// Hits in the log beside versions.
    pub(super) texts: TextSurvey,
    /// Places outside of the log and its stores.
    pub(super) outside: Vec<Outside>,
    /// Where it stands in another form.
    pub(super) encoded: Vec<Encoded>,
    /// Live memories of stores without a directory whose path holds it.
    pub(super) paths: Vec<(StoreId, RelPath)>,
    /// Live files that could not be read.
    pub(super) unread: Vec<Unread>,
    /// Directories of stores off the list.
    pub(super) off_the_list: Vec<OffTheList>,
}

/// Where it stands in another form: UTF-16, base64, escaped.
pub(super) struct Encoded {
    /// The version, or a live file of a store.
    pub(super) version: Option<VersionRow>,
    pub(super) store: StoreId,
    pub(super) path: Option<RelPath>,
    /// The forms, with matches.
    pub(super) forms: Vec<(&'static str, u64)>,
}

impl Encoded {
    pub(super) fn hits(&self) -> u64 {
        self.forms.iter().map(|(_, hits)| hits).sum()
    }

    fn detail(&self) -> String {
        self.forms.iter().map(|(name, hits)| format!("{name} {hits}")).collect::<Vec<_>>().join(", ")
    }

    fn remedy(&self) -> Message {
        match &self.version {
            Some(version) => say::retrace_redact_live_takes_version(version.id.to_string()),
            None => say::edit_file_what_recorded_redacted(),
        }
    }
}

/// A live file that holds it.
pub(super) struct LiveHit {
    pub(super) store: StoreId,
    pub(super) store_root: PathBuf,
    pub(super) path: RelPath,
    pub(super) before: Sha256,
    pub(super) seen: Seen,
    pub(super) hits: u64,
    pub(super) line: Option<(u32, String)>,
    pub(super) in_path: bool,
    /// Names in the file system that lead to the same file (hard links), this one among them. Those that are not replaced keep the
    /// old content.
    pub(super) links: u64,
    /// The new content, where it is to be replaced.
    pub(super) after: Option<Vec<u8>>,
}

impl LiveHit {
    /// It was to be replaced and could not be. The attempt may have changed what the file system says of it, by which it is
    /// known again later.
    pub(super) fn left_as_it_is(&mut self, rules: &Rules) {
        self.after = None;
        let now = Root::open_there(&self.store_root)
            .ok()
            .and_then(|root| root.read(&self.path, rules.max_file_bytes).ok());
        if let Some(content) = now.filter(|content| content.sha256 == self.before) {
            self.seen = content.seen;
        }
    }

    pub(super) fn as_write(&self) -> Option<FileWrite> {
        let after = self.after.as_ref()?;
        Some(FileWrite {
            store_id: self.store.to_string(),
            path: self.path.to_string(),
            from_sha256: Some(self.before.to_hex()),
            to_sha256: Some(Sha256::of(after).to_hex()),
            diff: None,
        })
    }
}

/// Write that is queued for a host.
pub(super) fn hosted_write(hit: &HostedHit) -> FileWrite {
    FileWrite {
        store_id: hit.store.to_string(),
        path: hit.path.to_string(),
        from_sha256: Some(hit.before.to_hex()),
        to_sha256: Some(Sha256::of(&hit.after).to_hex()),
        diff: None,
    }
}

impl Survey {
    /// Files that are replaced while other names, which are not, lead to what stood there.
    pub(super) fn with_other_names(&self) -> impl Iterator<Item = &LiveHit> {
        let replaced = |one: &LiveHit| {
            let is_same = |hit: &&LiveHit| hit.after.is_some() && hit.seen.file_id == one.seen.file_id;
            self.live.iter().filter(is_same).count() as u64
        };
        self.live.iter().filter(move |hit| hit.after.is_some() && hit.links > 1 && hit.links > replaced(hit))
    }

    pub(super) fn matches(&self, selection: &Selection, rewrite: bool) -> Vec<RedactionMatch> {
        let mask_path = |path: &RelPath| masked_text(selection, &path.to_text());
        let versions = self.versions.iter().map(|(version, hits)| {
            let line = self.lines.get(&version.id.seq);
            RedactionMatch {
                place: RedactionPlace::Version,
                store_id: Some(version.store.to_string()),
                version_id: Some(version.id.to_string()),
                path: version.path.as_ref().map(mask_path),
                line: line.map(|(number, _)| *number),
                masked: line.map(|(_, text)| text.clone()),
                hits: *hits,
                action: RedactionAction::RedactVersion,
                ..RedactionMatch::default()
            }
        });
        let live = self.live.iter().map(|hit| RedactionMatch {
            place: RedactionPlace::Live,
            store_id: Some(hit.store.to_string()),
            version_id: None,
            path: Some(mask_path(&hit.path)),
            line: hit.line.as_ref().map(|(number, _)| *number),
            masked: hit.line.as_ref().map(|(_, text)| text.clone()),
            hits: hit.hits,
            action: if hit.after.is_some() { RedactionAction::ReplaceInPlace } else { RedactionAction::Left },
            remedy: hit.in_path.then(name_remedy),
            ..RedactionMatch::default()
        });
        let paths = self.paths.iter().map(|(store, path)| RedactionMatch {
            place: RedactionPlace::Live,
            store_id: Some(store.to_string()),
            path: Some(mask_path(path)),
            hits: 1,
            action: RedactionAction::Left,
            remedy: Some(path_remedy()),
            ..RedactionMatch::default()
        });
        let transcripts = self.transcripts.iter().map(|(path, hits)| RedactionMatch {
            place: RedactionPlace::Transcript,
            store_id: None,
            version_id: None,
            path: Some(masked_text(selection, &crate::wire::show(path))),
            line: None,
            masked: None,
            hits: *hits,
            action: if rewrite { RedactionAction::ReplaceInPlace } else { RedactionAction::Left },
            remedy: (!rewrite).then(transcripts_remedy),
            ..RedactionMatch::default()
        });
        let encoded = self.encoded.iter().map(|encoded| RedactionMatch {
            place: RedactionPlace::Encoded,
            store_id: Some(encoded.store.to_string()),
            version_id: encoded.version.as_ref().map(|version| version.id.to_string()),
            path: encoded.path.as_ref().map(mask_path),
            hits: encoded.hits(),
            action: RedactionAction::Left,
            detail: Some(Message::verbatim(encoded.detail())),
            remedy: Some(encoded.remedy()),
            ..RedactionMatch::default()
        });
        let outside = self.outside.iter().filter(|outside| outside.hits > 0).map(|outside| RedactionMatch {
            place: outside.kind,
            name: Some(outside.place.clone()),
            path: Some(outside.place.text().to_owned()),
            hits: outside.hits,
            action: RedactionAction::Left,
            detail: outside.detail.clone(),
            remedy: outside.remedy.clone(),
            ..RedactionMatch::default()
        });
        let texts = self.texts.matches();
        versions
            .chain(live)
            .chain(unread::matches(&self.unread, selection))
            .chain(unread::matches_off(&self.off_the_list, selection))
            .chain(paths)
            .chain(texts)
            .chain(transcripts)
            .chain(encoded)
            .chain(outside)
            .collect()
    }

    pub(super) fn warnings(&self, selection: &Selection, live: bool, rewrite: bool) -> Vec<Message> {
        let mut warnings = Vec::new();
        if selection.is_short(&self.matched) {
            warnings.push(short_secret_warning());
            warnings.push(say::short_not_kept_out());
        }
        if self.matched.len() >= MAX_NEEDLES {
            warnings.push(say::pattern_matches_more_than_different(MAX_NEEDLES));
        }
        if !live && !self.live.is_empty() {
            warnings.push(match self.live.len() {
                1 => say::n1_live_file_still_holds(),
                files => say::live_files_still_hold_what(files),
            });
        }
        if !live && !self.hosted.is_empty() {
            warnings.push(match self.hosted.len() {
                1 => say::n1_hosted_memory_holds_newest(),
                memories => say::hosted_memories_hold_each_newest(memories),
            });
        }
        match self.queued.iter().filter(|row| row.withdrawn_by.is_none()).count() {
            0 => {}
            1 => warnings.push(say::n1_change_queued_host_holds()),
            many => warnings.push(say::changes_queued_hosts_hold_taken(many)),
        }
        if self.live.iter().any(|hit| hit.in_path) {
            warnings.push(say::name_live_file_holds_names());
        }
        let linked = self.with_other_names().count();
        if linked > 0 {
            warnings.push(say::files_have_other_names(linked));
        }
        if !self.paths.is_empty() {
            warnings.push(say::path_memory_without_directory_holds());
        }
        if !self.encoded.is_empty() {
            let places = self.encoded.len();
            warnings.push(say::places_hold_another_form_utf(places));
        }
        let mask = |text: &str| masked_text(selection, text);
        warnings.extend(transcripts::unread_warning(&self.unread_transcripts, &mask));
        if !self.transcripts.is_empty() && !rewrite {
            warnings.push(match self.transcripts.len() {
                1 => say::n1_transcript_holds_too_belongs(),
                many => say::transcripts_hold_too_they_belong(many),
            });
        }
        warnings
    }
}

/// Brings up to date what the warnings of a receipt say of live files that hold it, and of names that do.
pub(super) fn mend_warnings(warnings: &mut Vec<Message>, hits: u64, names: u64) {
    let of_files = [say::n1_live_file_still_holds(), say::live_files_still_hold_what(0)];
    let says = |warning: &Message, known: &Message| warning.id() == known.id();
    if let Some(at) = warnings.iter().position(|it| of_files.iter().any(|known| says(it, known))) {
        match hits {
            0 => drop(warnings.remove(at)),
            1 => warnings[at] = say::n1_live_file_still_holds(),
            files => warnings[at] = say::live_files_still_hold_what(files),
        }
    }
    if names == 0 {
        warnings.retain(|warning| !says(warning, &say::name_live_file_holds_names()));
    }
}

/// True if the warnings of a redaction say that some texts which it took out are not known again.
pub(super) fn some_have_no_tag(warnings: &[Message]) -> bool {
    let said = [say::short_not_kept_out(), say::pattern_matches_more_than_different(0)];
    warnings.iter().any(|warning| said.iter().any(|known| known.id() == warning.id()))
}

/// What is wrong in a regular expression, without the expression, which may be what is to be redacted.
fn fault(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").trim_end_matches('.').to_owned()
}

impl Redactions {
    pub(super) fn selection(&self, request: &RedactReq) -> Result<Selection, ApiError> {
        if let Some(finding) = &request.finding
            && (request.versions.as_slice(), &request.find, &request.secret_base64) == (&[], &None, &None)
        {
            return Ok(Selection::secret(self.bytes_found(finding)?));
        }
        if request.finding.is_some() {
            return Err(ApiError::invalid(say::finding_given_something_else_well(), "finding"));
        }
        match (request.versions.as_slice(), &request.find, &request.secret_base64) {
            ([_, ..], None, None) => self.read(|reader| {
                let versions = request
                    .versions
                    .iter()
                    .map(|text| version_named(reader, text))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(Selection::Versions(versions, PartsOfContents::new()))
            }),
            ([], Some(pattern), None) => Regex::new(pattern).map(Selection::Pattern).map_err(|error| {
                ApiError::invalid(say::regular_expression_cannot_read(), "find")
                    .hint(say::regular_expression_fault(fault(&error)))
            }),
            ([], None, Some(base64)) => Ok(Selection::secret(secret(base64)?)),
            _ => Err(ApiError::invalid(say::say_exactly_one_versions_regular(), "")
                .hint(say::version_find_regex_or_secret())),
        }
    }

    /// The bytes that a finding in a live file is about. The rule is asked again, so that nothing else is taken for them.
    fn bytes_found(&self, place: &FindingPlace) -> Result<Vec<u8>, ApiError> {
        let gone = || {
            ApiError::new(Code::NotFound, say::finding_not_any_more(), &place.path)
                .hint(say::file_changed_since_checked_check())
        };
        let store = self.read(|reader| self.store_named(reader, &place.store))?;
        let path = RelPath::parse(&place.path).map_err(|_| gone())?;
        let mut config = Config::default();
        config.every_place = true;
        config
            .set(&place.rule, "on")
            .map_err(|error| ApiError::invalid(crate::wire::sentence(&error), &place.rule))?;
        let content = self.store_root(&store)?.read(&path, self.rules.max_file_bytes)?;
        let bytes = content.bytes.ok_or_else(gone)?;
        let found = check_one(&place.path, &bytes, &config);
        let span = found
            .iter()
            .filter(|finding| finding.rule.id.as_str() == place.rule)
            .find_map(|finding| finding.span.as_ref().filter(|span| span.bytes.start as u64 == place.start));
        let found = span.and_then(|span| bytes.get(span.bytes.clone())).filter(|found| !found.is_empty());
        found.map(<[u8]>::to_vec).ok_or_else(gone)
    }

    pub(super) fn stores_concerned(&self, request: &RedactReq) -> Result<Vec<StoreRow>, ApiError> {
        self.read(|reader| match &request.store {
            Some(name) => Ok(vec![self.store_named(reader, name)?]),
            None => Ok(reader.stores()?.into_iter().filter(|store| store.removed_at.is_none()).collect()),
        })
    }

    /// Finds everything a redaction is about. Changes nothing. `stores` are those whose files are looked at; history is that of
    /// every store that the log ever had, or of `only` one that was named.
    pub(super) fn survey(
        &self,
        selection: &Selection,
        stores: &[StoreRow],
        live: bool,
        only: Option<StoreId>,
    ) -> Result<Survey, ApiError> {
        let mut survey = Survey {
            versions: Vec::new(),
            lines: BTreeMap::new(),
            live: Vec::new(),
            transcripts: Vec::new(),
            unread_transcripts: BTreeSet::new(),
            matched: BTreeSet::new(),
            hosted: Vec::new(),
            queued: Vec::new(),
            texts: TextSurvey::default(),
            outside: Vec::new(),
            encoded: Vec::new(),
            paths: Vec::new(),
            unread: Vec::new(),
            off_the_list: Vec::new(),
        };
        if let Selection::Secret(secret, _) = selection {
            survey.matched.insert(secret.clone());
        }
        self.read(|reader| {
            survey.versions = match selection {
                Selection::Versions(chosen, _) => {
                    reader.with_same_content(chosen)?.into_iter().map(|version| (version, 1)).collect()
                }
                _ => {
                    let matched = &mut survey.matched;
                    reader.versions_holding(only, |_, bytes| {
                        let ranges = selection.ranges(bytes);
                        for (start, end) in &ranges {
                            if matched.len() < MAX_NEEDLES {
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
            survey.paths = paths_without_directory(reader, selection, stores)?;
            Ok(())
        })?;
        self.survey_hosts(selection, &mut survey)?;
        let hashes: BTreeSet<Sha256> = match selection {
            Selection::Versions(..) => {
                survey.versions.iter().filter_map(|(version, _)| Some(version.content?.sha256)).collect()
            }
            _ => BTreeSet::new(),
        };
        for store in stores {
            let found = self.live_hits(selection, store, &hashes, live, &mut survey.matched);
            survey.live.extend(found);
        }
        survey.unread = self.unread(stores);
        let concerned = survey.versions.iter().map(|(version, _)| version.store).collect();
        survey.off_the_list = self.off_the_list(&concerned, only);
        survey.texts = self.survey_texts(selection, &mut survey.matched, MAX_NEEDLES)?;
        let searched = self.transcripts_holding(&survey.matched);
        (survey.transcripts, survey.unread_transcripts) = (searched.holding, searched.unread);
        survey.encoded = self.encoded(stores, &survey)?;
        survey.outside = self.outside(selection, stores, &survey.matched);
        Ok(survey)
    }

    /// Versions and live files that hold a matched text in another form.
    fn encoded(&self, stores: &[StoreRow], survey: &Survey) -> Result<Vec<Encoded>, ApiError> {
        let forms = Forms::of(&survey.matched);
        let going: BTreeSet<u64> = survey.versions.iter().map(|(version, _)| version.id.seq).collect();
        let mut by_content: BTreeMap<Sha256, Vec<(&'static str, u64)>> = BTreeMap::new();
        let mut encoded = Vec::new();
        self.read(|reader| {
            let holding = reader.versions_holding(None, |path, bytes| {
                let found = if path.is_none() { forms.in_bytes(bytes) } else { Vec::new() };
                let hits = found.iter().map(|(_, hits)| hits).sum();
                if hits > 0 {
                    by_content.insert(Sha256::of(bytes), found);
                }
                hits
            })?;
            for (version, _) in holding.into_iter().filter(|(version, _)| !going.contains(&version.id.seq)) {
                let found = version.content.and_then(|content| by_content.get(&content.sha256)).cloned();
                encoded.push(Encoded {
                    store: version.store,
                    path: version.path.clone(),
                    forms: found.unwrap_or_default(),
                    version: Some(version),
                });
            }
            Ok(())
        })?;
        let recorded: BTreeSet<(StoreId, RelPath)> =
            encoded.iter().filter_map(|encoded| Some((encoded.store, encoded.path.clone()?))).collect();
        for store in stores.iter().filter(|store| store.has_directory()) {
            let Ok(root) = self.store_root(store) else { continue };
            for path in root.scan(&self.rules, None).found.into_keys() {
                let read = root.read(&path, self.rules.max_file_bytes).ok();
                let Some(bytes) = read.and_then(|content| content.bytes) else { continue };
                let found = forms.in_bytes(&bytes);
                if !found.is_empty() && !recorded.contains(&(store.id, path.clone())) {
                    encoded.push(Encoded { version: None, store: store.id, path: Some(path), forms: found });
                }
            }
        }
        Ok(encoded)
    }

    /// Hits in mirrors beside their versions.
    fn survey_hosts(&self, selection: &Selection, survey: &mut Survey) -> Result<(), ApiError> {
        let versions: Vec<VersionRow> = survey.versions.iter().map(|(version, _)| version.clone()).collect();
        self.read(|reader| {
            survey.hosted = remote::hosted_hits(reader, &versions, |bytes| selection.replaced(bytes))?;
            survey.queued =
                remote::queued_holding(reader, &versions, |bytes| selection.holds(bytes, &survey.matched))?;
            Ok(())
        })?;
        for row in &survey.queued {
            for bytes in row.change.content.iter() {
                for (start, end) in selection.ranges(bytes) {
                    if survey.matched.len() < MAX_NEEDLES {
                        survey.matched.insert(bytes[start..end].to_vec());
                    }
                }
            }
        }
        Ok(())
    }

    fn live_hits(
        &self,
        selection: &Selection,
        store: &StoreRow,
        hashes: &BTreeSet<Sha256>,
        live: bool,
        matched: &mut BTreeSet<Vec<u8>>,
    ) -> Vec<LiveHit> {
        let store_root = crate::roots::place_of(store);
        if !store.has_directory() {
            return Vec::new();
        }
        // A directory that cannot be read is a state of its store, and is named as such on the receipt.
        let Ok(root) = self.store_root(store) else { return Vec::new() };
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
                if matched.len() < MAX_NEEDLES {
                    matched.insert(bytes[*start..*end].to_vec());
                }
            }
            let after = match (live, whole, ranges.is_empty()) {
                (true, true, _) => Some(selection.replaced(&bytes)),
                (true, false, false) => Some(selection.without(&bytes)),
                _ => None,
            };
            found.push(LiveHit {
                store: store.id,
                links: links_of(&store_root, &path),
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
}

/// How many names lead to a file.
fn links_of(root: &Path, path: &RelPath) -> u64 {
    #[cfg(unix)]
    {
        let file = root.join(retrace_engine::path_from_bytes(path.as_bytes()));
        std::fs::symlink_metadata(file).map_or(1, |found| std::os::unix::fs::MetadataExt::nlink(&found))
    }
    #[cfg(not(unix))]
    {
        let _ = (root, path);
        1
    }
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
        out.push_str(
            &"█".repeat(
                String::from_utf8_lossy(&bytes[start..end.min(line_end)]).chars().count().clamp(4, 24),
            ),
        );
        at = end;
        if end >= line_end {
            break;
        }
    }
    let line_end =
        memchr::memchr(b'\n', &bytes[at.min(bytes.len())..]).map_or(bytes.len(), |offset| at + offset);
    if memchr::memchr(b'\n', &bytes[from..at.min(bytes.len())]).is_none() {
        out.push_str(&String::from_utf8_lossy(&bytes[at.min(line_end)..line_end]));
    }
    Some((u32::try_from(number).unwrap_or(u32::MAX), shorten(&out)))
}

/// Keeps the part around the first mask.
pub(super) fn shorten(line: &str) -> String {
    let count = line.chars().count();
    if count <= MASKED_LINE {
        return line.trim_end().to_owned();
    }
    let mask = line.chars().position(|letter| letter == '█').unwrap_or(0);
    let from = mask.saturating_sub(60).min(count - MASKED_LINE);
    let part: String = line.chars().skip(from).take(MASKED_LINE).collect();
    format!("{}{}…", if from > 0 { "…" } else { "" }, part.trim_end())
}

pub(super) fn masked_text(selection: &Selection, text: &str) -> String {
    let ranges = selection.ranges(text.as_bytes());
    if ranges.is_empty() {
        return text.to_owned();
    }
    String::from_utf8_lossy(&selection.without(text.as_bytes())).replace(MARKER, "████")
}

/// Calls `visit` for every regular file below a folder, links not followed; `false` where a folder below could not be read.
pub(super) fn for_each_file(folder: &Path, depth: usize, visit: &mut dyn FnMut(&Path)) -> bool {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return error.kind() == std::io::ErrorKind::NotFound,
    };
    let mut is_whole = true;
    for entry in entries {
        let Ok(entry) = entry else {
            is_whole = false;
            continue;
        };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => {
                is_whole &= for_each_file(&entry.path(), depth - 1, visit);
            }
            Ok(kind) if kind.is_file() => visit(&entry.path()),
            _ => {}
        }
    }
    is_whole
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "survey";
    short_not_kept_out() => "A text shorter than 12 bytes is not kept out: an import or a pull can bring it back.",
    name_remedy() => "Rename the file, and repeat the redaction.",
    path_remedy() => "Rename or delete the memory over the API, and repeat the redaction.",
    transcripts_remedy() => "Repeat the redaction with `--transcripts`: a marker takes its place in those that no program holds open.",
    retrace_redact_live_takes_version(id) => "`retrace redact {id} --live` takes the version out.",
    edit_file_what_recorded_redacted() => "Edit the file; what was recorded of it is redacted by its version.",
    pattern_matches_more_than_different(value) => "The pattern matches more than {value} different texts; only the first of them are looked for in raw bytes.",
    n1_live_file_still_holds() => "1 live file still holds it. What is live stays as it is, and is recorded again as soon as it changes; use --live to replace it there.",
    live_files_still_hold_what(files) => "{files} live files still hold it. What is live stays as it is, and is recorded again as soon as it changes; use --live to replace it there.",
    n1_hosted_memory_holds_newest() => "1 hosted memory holds it in its newest version, which no host redacts; use --live to replace it there first.",
    hosted_memories_hold_each_newest(memories) => "{memories} hosted memories hold it, each in its newest version, which no host redacts; use --live to replace it there first.",
    n1_change_queued_host_holds() => "1 change queued for a host holds it and is withdrawn.",
    changes_queued_hosts_hold_taken(many) => "{many} changes queued for hosts hold it and are withdrawn.",
    name_live_file_holds_names() => "The name of a live file holds it; names are not changed. Rename the file.",
    files_have_other_names(files) => "Files that have other names in the file system (hard links), which keep the old content: {files}.",
    path_memory_without_directory_holds() => "The path of a live memory holds it; paths are not changed. Rename or delete the memory over the API.",
    places_hold_another_form_utf(places) => "Places that hold it in another form (UTF-16, base64, escaped), which are left: {places}.",
    n1_transcript_holds_too_belongs() => "1 transcript holds it too. It belongs to the agent and is left as it is.",
    transcripts_hold_too_they_belong(many) => "{many} transcripts hold it too. They belong to the agent and are left as they are.",
    finding_given_something_else_well() => "A finding is given, and something else as well.",
    regular_expression_cannot_read() => "The regular expression cannot be read.",
    regular_expression_fault(fault) => "What is wrong in it: {fault}. A sign that stands for itself has a backslash before it.",
    say_exactly_one_versions_regular() => "Say exactly one of: versions, a regular expression, a secret.",
    version_find_regex_or_secret() => "`VERSION…`, `--find REGEX` or `--secret-file F`.",
    finding_not_any_more() => "The finding is not there any more.",
    file_changed_since_checked_check() => "The file changed since it was checked. Check it again.",
}
