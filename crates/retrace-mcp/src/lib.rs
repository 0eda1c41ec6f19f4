//! The memory tool as an MCP server: one tool, `memory`, whose calls are done and recorded as those of
//! `retrace memory-tool` are.
//!
//! A shell: it translates a call of the Model Context Protocol into a call of the command `memory_tool` and its answer back,
//! on a blocking thread, one after the other as the log takes them. What the tool refuses is an answer with `isError`, which
//! the model sees; a protocol error is only what names another tool.
//!
//! Deliberately absent: the tool itself (`retrace-memory-tool`), resources and prompts, HTTP.
//!
//! ```no_run
//! use retrace_api::wire::MemoryToolReq;
//! use retrace_api::{App, AppOptions};
//! use retrace_mcp::MemoryServer;
//! use std::sync::Arc;
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let app = App::open(AppOptions::for_this_machine(Some("data".into()))?)?;
//! let request = MemoryToolReq { root: Some("/home/me/memories".into()), ..MemoryToolReq::default() };
//! MemoryServer::new(Arc::new(app), request).serve(tokio::io::stdin(), tokio::io::stdout()).await?;
//! # Ok(())
//! # }
//! ```

mod schema;

use retrace_api::App;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, MemoryToolReq};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use std::sync::Arc;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

/// Longest message that is read, in bytes: a content of the largest size kept, each byte written as an escape. As for the
/// lines of `retrace memory-tool`.
pub const LONGEST_MESSAGE: usize = 64 * 1024 * 1024;

/// Why serving ended otherwise than by the client's leaving.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The client said no hello, or one that cannot be answered.
    #[error("the client did not begin as the protocol asks: {0}")]
    Handshake(String),
    /// The streams or the runtime failed.
    #[error("the connection failed: {0}")]
    Connection(String),
}

/// The server: which directory, whose session, in which dialect.
pub struct MemoryServer {
    app: Arc<App>,
    request: MemoryToolReq,
    tool: Tool,
    /// Calls are done in the order in which they came: whoever waits here is let through in that order.
    turn: tokio::sync::Mutex<()>,
}

impl MemoryServer {
    /// `request` says everything of a call but its `input`: the store or root, the dialect, the session, the cap.
    #[must_use]
    pub fn new(app: Arc<App>, request: MemoryToolReq) -> Self {
        let tool = Tool::new(schema::NAME, schema::DESCRIPTION, Arc::new(schema::input()));
        Self { app, request, tool, turn: tokio::sync::Mutex::new(()) }
    }

    /// Serves one client until it leaves.
    ///
    /// # Errors
    /// [`ServeError`] when the client does not begin as the protocol asks, or the connection fails.
    pub async fn serve<R, W>(self, read: R, write: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(LONGEST_MESSAGE);
        let running = match ServiceExt::serve(self, transport).await {
            Ok(running) => running,
            // It left before it said anything, as a client does that only looks whether the program starts.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Handshake(error.to_string())),
        };
        running.waiting().await.map(drop).map_err(|error| ServeError::Connection(error.to_string()))
    }

    fn request(&self, input: Value) -> MemoryToolReq {
        MemoryToolReq { input, ..self.request.clone() }
    }
}

/// Serves standard input and output until the client leaves.
///
/// # Errors
/// As [`MemoryServer::serve`]; [`Code::Internal`] when no runtime can be started.
pub fn serve_standard_streams(app: Arc<App>, request: MemoryToolReq) -> Result<(), ApiError> {
    let failed = |error: &dyn std::fmt::Display| {
        ApiError::new(
            Code::Internal,
            Message::verbatim(format!("The MCP server stopped: {error}.")),
            "standard input",
        )
    };
    // One thread for the protocol, on which calls begin in the order in which they came; they run on the runtime's blocking threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(&error))?;
    let served =
        runtime.block_on(MemoryServer::new(app, request).serve(tokio::io::stdin(), tokio::io::stdout()));
    // A read of standard input that is under way cannot be taken back.
    runtime.shutdown_background();
    served.map_err(|error| failed(&error))
}

impl ServerHandler for MemoryServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("retrace", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(schema::INSTRUCTIONS.to_owned());
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        (name == schema::NAME).then(|| self.tool.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![self.tool.clone()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != schema::NAME {
            return Err(ErrorData::invalid_params(format!("There is no tool {:?}.", request.name), None));
        }
        let (app, call) =
            (Arc::clone(&self.app), self.request(Value::Object(request.arguments.unwrap_or_default())));
        let _turn = self.turn.lock().await;
        let answer = tokio::task::spawn_blocking(move || commands::memory_tool(&app, call)).await;
        let result = match answer {
            Ok(Ok(answer)) => {
                let text = vec![ContentBlock::text(answer.content)];
                if answer.is_error { CallToolResult::error(text) } else { CallToolResult::success(text) }
            }
            // The model can do something about it (say so, try later), so it is told.
            Ok(Err(error)) => CallToolResult::error(vec![ContentBlock::text(sentence(&error))]),
            Err(_) => {
                return Err(ErrorData::internal_error(
                    "This is a bug in Retrace; nothing was half done.",
                    None,
                ));
            }
        };
        Ok(result.into())
    }
}

fn sentence(error: &ApiError) -> String {
    let ApiError { message, hint, .. } = error;
    if hint.is_empty() { format!("Error: {message}") } else { format!("Error: {message} {hint}") }
}

#[cfg(test)]
mod tests;
