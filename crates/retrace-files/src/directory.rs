//! One open directory and the few system calls made in it, each by a single name relative to its descriptor.
//!
//! Two implementations with the same functions: [`unix`], by descriptor, and [`portable`], by path, for platforms that
//! have no `openat`. The portable one checks for links before each step, which is weaker: somebody who replaces a
//! directory by a link between check and step can lead it astray. It is compiled into the tests on every platform.

use retrace_model::Seen;

#[cfg(any(not(unix), test))]
pub(crate) mod portable;
#[cfg(unix)]
pub(crate) mod unix;

#[cfg(not(unix))]
pub(crate) use portable::{Directory, is_link_error, stat_file, write_out};
#[cfg(unix)]
pub(crate) use unix::{Directory, is_link_error, stat_file, write_out};

/// File type at a name. The portable implementation cannot tell pipes and sockets from devices.
#[cfg_attr(not(unix), allow(dead_code))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    File,
    Directory,
    Link,
    Fifo,
    Socket,
    Device,
    /// The directory listing does not say; ask with `stat`.
    Unknown,
}

/// File system data of one name, the link itself where it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub sort: Sort,
    pub seen: Seen,
    pub device: u64,
    /// Permission bits, set-id and sticky bits included; 0o666 or 0o444 where the platform has none.
    pub mode: u32,
    pub owner: u32,
    pub group: u32,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub name: Box<[u8]>,
    pub sort: Sort,
}
