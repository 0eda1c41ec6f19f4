//! A host, and the calls about stores as a whole.

use crate::error::RemoteError;
use crate::facts;
use crate::objects::{Page, RemoteStore};
use crate::read::{self, Fault, Raw, is_id};
use retrace_message::Message;
use retrace_outbound::{Answer, Call, Cancel, Client, Config, Listener, Method, SystemTiming, Timing};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// A host of the Memory Stores API. Copies share their connections.
#[derive(Clone)]
pub struct Host {
    client: Client,
    cancel: Cancel,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("client", &self.client).finish_non_exhaustive()
    }
}

/// The identifier is not one: what was wanted.
pub(crate) fn wanted(id: &str, prefix: &str, wanted: Message) -> Result<(), RemoteError> {
    if is_id(id, prefix) { Ok(()) } else { Err(RemoteError::BadId { wanted }) }
}

/// A store's path below the base URL.
pub(crate) fn store_path(id: &str) -> Result<String, RemoteError> {
    wanted(id, read::STORE, say::hosted_stores_id_memstore())?;
    Ok(format!("/v1/memory_stores/{id}"))
}

/// The query of a page.
pub(crate) fn page_query(page: Option<&str>, limit: u32) -> Vec<(String, String)> {
    let mut query = vec![("limit".to_owned(), limit.to_string())];
    query.extend(page.map(|page| ("page".to_owned(), page.to_owned())));
    query
}

impl Host {
    /// A host with these settings. Nothing is sent yet.
    ///
    /// # Errors
    /// [`RemoteError::NoKey`] and [`RemoteError::Config`].
    pub fn new(config: Config) -> Result<Self, RemoteError> {
        Self::with_timing(config, Arc::new(SystemTiming))
    }

    /// The same, with its own clock, patience and chance.
    ///
    /// # Errors
    /// As [`Host::new`].
    pub fn with_timing(config: Config, timing: Arc<dyn Timing>) -> Result<Self, RemoteError> {
        Ok(Self { client: Client::with_timing(config, timing)?, cancel: Cancel::new() })
    }

    /// The same host, which tells of each call it makes: method, address without the query, status, bytes.
    #[must_use]
    pub fn telling(mut self, listener: Listener) -> Self {
        self.client = self.client.telling(listener);
        self
    }

    /// The same host, whose calls and waits end at once when `cancel` does.
    #[must_use]
    pub fn until(&self, cancel: &Cancel) -> Self {
        Self { client: self.client.clone(), cancel: cancel.clone() }
    }

    /// The settings it was made with.
    pub fn config(&self) -> &Config {
        self.client.config()
    }

    /// Every store, in the host's order. Asks for page after page.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn stores(&self, include_archived: bool) -> Result<Vec<RemoteStore>, RemoteError> {
        self.pages(|page| {
            let mut query = page_query(page, facts::PAGE_MAX);
            if include_archived {
                query.push(("include_archived".into(), "true".into()));
            }
            let call = Call { query, ..Call::new(Method::Get, "/v1/memory_stores") };
            let answer = self.send(call, facts::STORES_BETA, facts::PAGE_BYTES, &[])?;
            understood(read::page(&answer.body, |raw: Raw| match raw {
                Raw::MemoryStore(raw) => read::store(raw).map(Some),
                _ => Ok(None),
            }))
        })
    }

    /// One store.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn store(&self, id: &str) -> Result<RemoteStore, RemoteError> {
        self.store_by(Call::new(Method::Get, store_path(id)?), id)
    }

    /// Archives a store, which is one-way: it can be read afterwards, but not written.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn archive(&self, id: &str) -> Result<RemoteStore, RemoteError> {
        self.store_by(Call::new(Method::Post, format!("{}/archive", store_path(id)?)), id)
    }

    fn store_by(&self, call: Call, id: &str) -> Result<RemoteStore, RemoteError> {
        let answer = self.send(call, facts::STORES_BETA, facts::OBJECT_BYTES, &[])?;
        understood(match read::json(&answer.body) {
            Ok(Raw::MemoryStore(raw)) => read::store(raw).and_then(|store| same(store.id == id, store)),
            Ok(_) => Err(say::not_memory_store()),
            Err(fault) => Err(fault),
        })
    }

    /// All items of a list, asked for page by page. A host that leads in a circle or on without end is refused.
    pub(crate) fn pages<T>(
        &self,
        mut ask: impl FnMut(Option<&str>) -> Result<Page<T>, RemoteError>,
    ) -> Result<Vec<T>, RemoteError> {
        let (mut items, mut cursor, mut seen) = (Vec::new(), None::<String>, HashSet::new());
        for _ in 0..facts::PAGES {
            let page = ask(cursor.as_deref())?;
            items.extend(page.items);
            match page.next {
                None => return Ok(items),
                Some(next) if !seen.insert(next.clone()) => {
                    return understood(Err(say::pages_lead_in_circle()));
                }
                next => cursor = next,
            }
        }
        understood(Err(say::list_more_than_pages(facts::PAGES)))
    }

    /// Makes a call. An answer that is not good becomes an error; `sent` are contents that the host may not be quoted
    /// with.
    pub(crate) fn send(
        &self,
        mut call: Call,
        beta: &str,
        answer_limit: u64,
        sent: &[&str],
    ) -> Result<Answer, RemoteError> {
        let answer = self.answer(&mut call, beta, answer_limit)?;
        if answer.is_good() { Ok(answer) } else { Err(self.refusal(&answer, sent)) }
    }

    /// Makes a call, and gives its answer whatever its status.
    pub(crate) fn answer(
        &self,
        call: &mut Call,
        beta: &str,
        answer_limit: u64,
    ) -> Result<Answer, RemoteError> {
        call.headers.push(("anthropic-beta".to_owned(), beta.to_owned()));
        call.answer_limit = answer_limit;
        call.final_kinds = &[facts::PATH_CONFLICT, facts::PRECONDITION_FAILED];
        let answer = self.client.call(&Arc::new(call.clone()), &self.cancel)?;
        if answer.is_good() && answer.too_long {
            return Err(RemoteError::AnswerTooLarge { limit: answer_limit });
        }
        Ok(answer)
    }

    /// The error of an answer that is not good.
    pub(crate) fn refusal(&self, answer: &Answer, sent: &[&str]) -> RemoteError {
        let status = answer.status;
        if (300..400).contains(&status) {
            return RemoteError::Redirected { status, host: self.client.host_of(answer) };
        }
        let stated = answer.complaint(&self.config().secrets());
        let message = without(&stated.message, sent);
        match (status, stated.kind.as_str()) {
            (401 | 403, _) => RemoteError::KeyRefused { status, message },
            (404, _) => RemoteError::NotFound { message: Message::verbatim(message) },
            (409, facts::PRECONDITION_FAILED) | (412, _) => {
                RemoteError::PreconditionFailed { message: Message::verbatim(message) }
            }
            (409, facts::PATH_CONFLICT) => self.path_conflict(answer, sent),
            (413, _) => RemoteError::TooLarge { message },
            (429, _) => RemoteError::Limited { retry_after: self.client.asked_wait(answer), message },
            (408 | 500.., _) => RemoteError::Unreachable {
                status: Some(status),
                tries: answer.tries,
                cause: Message::verbatim(message),
            },
            (400..500, _) => RemoteError::Refused { status, kind: stated.kind, message },
            _ => RemoteError::NotUnderstood { cause: Message::verbatim(format!("HTTP {status}")) },
        }
    }

    fn path_conflict(&self, answer: &Answer, sent: &[&str]) -> RemoteError {
        let body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let text = |member: &str| body["error"][member].as_str().unwrap_or_default();
        let path = retrace_outbound::presentable(text("conflicting_path"), &self.config().secrets());
        let memory_id = text("conflicting_memory_id");
        RemoteError::PathConflict {
            path: without(&path, sent),
            memory_id: is_id(memory_id, read::MEMORY).then(|| memory_id.to_owned()),
        }
    }
}

/// The read object, or the error that it could not be.
pub(crate) fn understood<T>(read: Result<T, Fault>) -> Result<T, RemoteError> {
    read.map_err(|cause| RemoteError::NotUnderstood { cause })
}

/// Checks that the answer is the object asked for.
pub(crate) fn same<T>(same: bool, object: T) -> Result<T, Fault> {
    if same { Ok(object) } else { Err(say::about_something_else_than_asked()) }
}

/// Shortest piece of a content that is cut out of a host's words.
const QUOTE_BYTES: usize = 8;

/// A host's words without the contents it was sent, nor lines of them.
fn without(message: &str, sent: &[&str]) -> String {
    let quotes = sent.iter().flat_map(|content| std::iter::once(*content).chain(content.lines()));
    let quotes = quotes.map(str::trim).filter(|quote| quote.len() >= QUOTE_BYTES);
    quotes.fold(message.to_owned(), |message, quote| message.replace(quote, "[content]"))
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "host";
    pages_lead_in_circle() => "its pages lead in a circle",
    hosted_stores_id_memstore() => "a hosted store's id (memstore_…)",
    not_memory_store() => "it is not a memory store",
    list_more_than_pages(facts) => "the list has more than {facts} pages",
    about_something_else_than_asked() => "it is about something else than was asked for",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_not_quoted() {
        let content = "the first line\nshort\nthe second line";
        assert_eq!(without("got \"the second line\" and short", &[content]), "got \"[content]\" and short");
        assert_eq!(without(&format!("bad: {content}"), &[content]), "bad: [content]");
    }

    #[test]
    fn identifiers_cannot_lead_elsewhere() {
        assert_eq!(store_path("memstore_1a").unwrap(), "/v1/memory_stores/memstore_1a");
        for id in ["", "memstore_", "mem_1", "memstore_a/b", "memstore_..", "memstore_a?b", "memstore_é"] {
            assert!(store_path(id).is_err(), "{id}");
        }
        assert!(store_path(&format!("memstore_{}", "a".repeat(facts::ID_LETTERS + 1))).is_err());
    }
}
