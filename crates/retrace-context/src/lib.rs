//! What fills a context, and what an edit of it would do.
