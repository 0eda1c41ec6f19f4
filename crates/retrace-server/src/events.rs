//! Events as a stream.
//!
//! An event says where to look, never what is there, so a client that missed some loses nothing: it is told to look
//! everywhere.

use crate::reply;
use crate::router::Shared;
use axum::extract::State;
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use retrace_api::wire::shell as say;
use retrace_api::wire::{ApiError, Code, Event, Nothing};
use retrace_api::{App, commands};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::{self, error::RecvError};

/// Events kept for a client that is slow to read; beyond that it is told to look everywhere.
const KEPT_EVENTS: usize = 256;

/// Interval of signs of life on a quiet stream. Proxies and browsers give up after about a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Passes the app's events on to every client.
pub(crate) struct EventHub {
    /// Gone once the server stops, which ends every stream.
    sender: Mutex<Option<broadcast::Sender<Event>>>,
}

impl EventHub {
    /// Starts to pass on events of `app`, until the app or the hub is gone.
    pub(crate) fn start(app: &App) -> Result<Arc<Self>, ApiError> {
        let hub = Arc::new(Self { sender: Mutex::new(Some(broadcast::Sender::new(KEPT_EVENTS))) });
        let events = app.subscribe();
        let weak = Arc::downgrade(&hub);
        let pass_on = move || {
            for event in events {
                let Some(hub) = weak.upgrade() else { return };
                let Some(sender) = &*hub.lock() else { return };
                // An error only says that nobody listens.
                let _ = sender.send(event);
            }
        };
        std::thread::Builder::new()
            .name("retrace-events".to_owned())
            .spawn(pass_on)
            .map_err(|error| ApiError::new(Code::Internal, say::no_thread_can_started(error), "events"))?;
        Ok(hub)
    }

    /// Ends every stream.
    pub(crate) fn close(&self) {
        *self.lock() = None;
    }

    /// Events from now on; already at its end when the hub is closed.
    fn subscribe(&self) -> broadcast::Receiver<Event> {
        match &*self.lock() {
            Some(sender) => sender.subscribe(),
            None => broadcast::channel(1).1,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<broadcast::Sender<Event>>> {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One client.
struct Listener {
    app: Arc<App>,
    pending: VecDeque<Event>,
    receiver: broadcast::Receiver<Event>,
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        if let Some(event) = self.pending.pop_front() {
            return Some(event);
        }
        match self.receiver.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Closed) => None,
            Err(RecvError::Lagged(_)) => {
                let lost = [Event::Stores, Event::Receipts, Event::Transcripts, Event::Origins];
                self.pending.extend(lost);
                present(&self.app).await.ok()
            }
        }
    }
}

/// `GET /api/v1/events`
pub(crate) async fn stream(State(shared): State<Arc<Shared>>) -> Response {
    // Listen first: what happens while the cursor is read is then heard.
    let receiver = shared.hub.subscribe();
    let first = match present(&shared.app).await {
        Ok(event) => event,
        Err(error) => return reply::error(&error),
    };
    let listener = Listener { app: Arc::clone(&shared.app), pending: VecDeque::from([first]), receiver };
    let events = unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        let data = serde_json::to_string(&event).unwrap_or_default();
        Some((Ok::<_, Infallible>(sse::Event::default().data(data)), listener))
    });
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response();
    // Axum says no-cache; nothing of the API is kept at all.
    response
        .headers_mut()
        .insert(axum::http::header::CACHE_CONTROL, axum::http::HeaderValue::from_static("no-store"));
    response
}

/// The event that brings a client to the present.
async fn present(app: &Arc<App>) -> Result<Event, ApiError> {
    let app = Arc::clone(app);
    tokio::task::spawn_blocking(move || commands::status(&app, Nothing {}))
        .await
        .unwrap_or_else(|error| {
            Err(ApiError::new(Code::Internal, say::state_log_cannot_read(error.to_string()), "events"))
        })
        .map(|status| Event::Advanced { cursor: status.cursor })
}
