//! Giving a new file the mode, owner and extended attributes of the one it replaces.

use crate::directory::Stat;
use rustix::fs::{Gid, Mode, Uid};
use std::fs::File;
use std::io;

/// Attributes that could be kept.
pub(crate) struct Kept {
    pub owner: bool,
    pub attributes_lost: Vec<String>,
}

/// Attributes that vouch for the exact content or give it rights; they must not move to another content.
const TIED_TO_CONTENT: &[&[u8]] = &[b"security.capability", b"security.ima", b"security.evm"];

/// Gives `new` what `old`, described by `stat`, has. Owner and extended attributes are best effort; the mode must succeed.
pub(crate) fn copy(old: &File, stat: &Stat, new: &File) -> io::Result<Kept> {
    // The owner first: changing it clears the set-id bits.
    let owner = give_owner(new, stat.owner, stat.group)?;
    // Set-id bits mean "with the rights of the owner", and may only follow the owner.
    let mode = if owner { stat.mode } else { stat.mode & 0o1777 };
    rustix::fs::fchmod(new, Mode::from_bits_truncate(mode as _))?;
    Ok(Kept { owner, attributes_lost: copy_extended(old, new) })
}

/// Gives a file or directory these permission bits, whatever the process's mask says.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(file, Mode::from_bits_truncate(mode as _))?)
}

/// Gives `new` this owner and group, or at least the group. `false` when it ends with another owner or group.
pub(crate) fn give_owner(new: &File, owner: u32, group: u32) -> io::Result<bool> {
    let now = crate::directory::stat_file(new)?;
    let (other_owner, other_group) = (now.owner != owner, now.group != group);
    if !other_owner && !other_group {
        return Ok(true);
    }
    let (uid, gid) = (Uid::from_raw(owner), Gid::from_raw(group));
    if rustix::fs::fchown(new, other_owner.then_some(uid), other_group.then_some(gid)).is_ok() {
        return Ok(true);
    }
    if other_group {
        // A user may give a file to another of their groups, but not to another user.
        let _ = rustix::fs::fchown(new, None, Some(gid));
    }
    Ok(false)
}

/// Copies extended attributes and returns the names of those that could not be.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn copy_extended(old: &File, new: &File) -> Vec<String> {
    let listed = whole(|buffer| rustix::fs::flistxattr(old, buffer));
    let Ok(names) = listed else { return Vec::new() };
    names
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty() && !TIED_TO_CONTENT.contains(name))
        .filter(|name| {
            let value = whole(|buffer| rustix::fs::fgetxattr(old, *name, buffer));
            let flags = rustix::fs::XattrFlags::empty();
            // An attribute the new file got by itself, with the same value, needs no right to set it.
            let has = |value: &Vec<u8>| {
                whole(|buffer| rustix::fs::fgetxattr(new, *name, buffer)).as_ref() == Ok(value)
            };
            !value.is_ok_and(|value| has(&value) || rustix::fs::fsetxattr(new, *name, &value, flags).is_ok())
        })
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn copy_extended(_old: &File, _new: &File) -> Vec<String> {
    Vec::new()
}

/// Everything a call writes into a buffer, which is made as large as it takes.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn whole(call: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    // 64 KiB is the most Linux keeps in one attribute or one list (limits.h, XATTR_SIZE_MAX and XATTR_LIST_MAX).
    let mut buffer = vec![0; 1024];
    loop {
        match call(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            Err(rustix::io::Errno::RANGE) if buffer.len() < 64 * 1024 => buffer.resize(64 * 1024, 0),
            Err(error) => return Err(error),
        }
    }
}
