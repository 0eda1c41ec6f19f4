//! Transcripts of agent runs as one neutral list of messages.
