//! Exact counts from the `count_tokens` endpoint.
