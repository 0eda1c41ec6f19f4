//! Tests across the modules of the log.
