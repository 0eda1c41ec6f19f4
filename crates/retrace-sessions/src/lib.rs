//! Which transcripts there are on this machine, and an index of them.
