//! Rights of the user that tests run as.

/// Takes from this thread, and from those it starts from now on, the right of root to read and write what is not permitted.
/// False where that cannot be done, which is printed: the caller has nothing to test then.
#[must_use]
pub(crate) fn as_an_ordinary_user() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
        let dropped = capabilities(None).and_then(|mut held| {
            held.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            set_capabilities(None, held)
        });
        if dropped.is_ok() {
            return true;
        }
    }
    let is_ordinary = cfg!(unix) && !rustix::process::geteuid().is_root();
    if !is_ordinary {
        println!("skipped: this user may read everything");
    }
    is_ordinary
}
