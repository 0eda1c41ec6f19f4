//! The protocol between a machine and a hub.
//!
//! Every store of a machine is a chain of its own: a link covers the link before it, the machine, the store and the leaf hash
//! of one version, as the machine's log has it. A hub recomputes each link, so that a version can neither be altered nor left
//! out, and countersigns the head, so that nobody can later deny or forget it. A redaction does not change a leaf hash, so the
//! chain stays as it was.
//!
//! - [`chain`]: links, and what they cover.
//! - [`sign`]: keys of machines and hubs, and what they sign.
//! - [`messages`]: requests and answers.
//! - [`roles`]: what each role may do.
//! - [`people`]: signing in at an identity provider.
//! - [`policy`]: the policy of an organisation, its audit log.
//! - [`restored`]: a hub whose database was put back to an earlier state.
//! - [`said`]: comments and proposals that a hub may have lost.
//! - [`sessions`]: sessions that machines share, and those that agents mirror.
//! - [`texts`]: texts within other values, for redactions.
//! - [`together`]: those of what machines do to each other.
//!
//! Deliberately absent: disk, network, clock. Randomness is passed in.
//!
//! ```
//! use retrace_model::{Sha256, StoreId};
//! use retrace_sync::chain::{GENESIS, link};
//! use retrace_sync::sign::SigningKey;
//!
//! let key = SigningKey::from_seed(&[7; 32]).expect("a seed of 32 bytes");
//! let first = link(&GENESIS, key.machine(), StoreId([1; 16]), 1, &Sha256([2; 32]));
//! let second = link(&first, key.machine(), StoreId([1; 16]), 2, &Sha256([2; 32]));
//! assert_ne!(first, second);
//! ```

pub mod agents;
pub mod chain;
pub mod messages;
pub mod people;
pub mod policy;
pub mod restored;
pub mod roles;
pub mod said;
pub mod sessions;
pub mod sign;
pub mod texts;
pub mod together;
