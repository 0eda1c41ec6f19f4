//! What the shells say: the desktop window and the server of the page.

/// The sentences; `{0}`, `{1}` … stand for what they are about.
pub(super) const SENTENCES: &[&str] = &[
    "The directory's name is not valid Unicode, and the window cannot pass it on.",
    "Add it in a terminal: retrace stores add DIR",
    "The chosen place is not a directory of this machine.",
    "The program failed at this command; the log is as it was before.",
    "Please report it with what you did.",
    "GET /api/v1/commands lists them.",
    "The request did not arrive in time.",
    "Send `Content-Type: application/json`.",
    "The request is not JSON.",
    "The request broke off.",
    "The request is larger than 32 MiB.",
    "The request is not JSON: {0}.",
    "No thread can be started: {0}.",
    "The state of the log cannot be read: {0}.",
    "The request is for another host.",
    "Use the address that Retrace printed.",
    "The request comes from another origin.",
    "The token is missing or wrong.",
    "Send the content of the token file as `Authorization: Bearer …` or `x-api-key: …`.",
    "This path does not take that method.",
    "There is nothing here.",
];
