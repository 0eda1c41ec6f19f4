//! The Memory Stores API, whoever keeps the stores: the log of one machine, or the PostgreSQL of a hub, before which two processes
//! stand behind one address. Each suite runs against both.

mod clients;
mod hosts;
mod keys;
mod model;
