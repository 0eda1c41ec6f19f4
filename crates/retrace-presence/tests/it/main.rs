//! Presence against plain searches in what each request sent.

mod naive;
mod prompts;
mod ways;
