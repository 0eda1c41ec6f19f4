//! What a process keeps in memory that nobody needs: pages of the log, and what the allocator keeps of what was given back to it.

use retrace_engine::Engine;
use retrace_engine::recorder::Upkeep;
use std::sync::Arc;

/// To be called first thing in a process, before it has threads. The allocator of glibc gives each thread a heap of its own, up to
/// eight for each processor, and none of them gives back what its largest answer took: a server whose calls go round its threads
/// ended with the largest answer times sixteen. One heap for each processor is as quick here, since most of a call is not
/// allocation. Other allocators are left as they are.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the allocator is set by a call of the C library")]
pub fn bound_heaps() {
    /// With fewer, threads would wait for each other.
    const FEWEST: usize = 2;
    let processors = std::thread::available_parallelism().map_or(FEWEST, std::num::NonZero::get);
    let most = std::ffi::c_int::try_from(processors.max(FEWEST)).unwrap_or(8);
    // Where it is refused the allocator goes on as it was.
    // SAFETY: `mallopt` takes two numbers and may be called at any time.
    let _ = unsafe { libc::mallopt(libc::M_ARENA_MAX, most) };
}

/// Nothing: this is about the allocator of glibc.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn bound_heaps() {}

/// Ticks of [`Upkeep`] from one return of free memory to the next: about a minute, since a return goes through all heaps.
const TICKS: u32 = 240;

/// Returns free memory to the system now and then. The answers of a server have every size, so what is free lies in pieces
/// between what is kept, and the allocator of glibc returns by itself only what is free at the end of a heap. Pages of the log
/// are let go of before: the writing connection would keep each that it met, as the log grows, up to its bound.
pub(crate) struct MemoryUpkeep {
    engine: Arc<Engine>,
    ticks: u32,
}

impl MemoryUpkeep {
    /// For the recorder of this log.
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, ticks: 0 }
    }
}

impl Upkeep for MemoryUpkeep {
    fn tick(&mut self) {
        self.ticks += 1;
        if self.ticks == TICKS {
            self.ticks = 0;
            self.engine.release_pages();
            return_free_memory();
        }
    }

    fn committed(&mut self) {}
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the allocator is told by a call of the C library")]
fn return_free_memory() {
    // Whether it returned something does not matter.
    // SAFETY: `malloc_trim` takes a number and may be called at any time, by any thread.
    let _ = unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn return_free_memory() {}
