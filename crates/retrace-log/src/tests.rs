//! Tests across the modules of the log.

mod appending;
mod crashes;
mod damage;
mod faults;
mod flushing;
mod guards;
mod harness;
mod keeping_out;
mod masking;
mod migration;
mod mirroring;
mod origins;
mod processes;
mod purging;
mod putting_back;
mod reading;
mod rebuilding;
mod reference;
mod reviewing;
mod searching;
mod stores;
mod tampering;
mod texts;
