//! An allocator that counts live bytes. What the kernel calls resident also depends on how memory
//! that was freed is used again.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

struct Counting;

/// The bytes that are in use.
pub(crate) static LIVE: AtomicIsize = AtomicIsize::new(0);
/// The most that were since this was last set.
#[allow(dead_code, reason = "not every binary looks at it")]
pub(crate) static PEAK: AtomicIsize = AtomicIsize::new(0);

// SAFETY: everything is left to the system's allocator; only sizes are added up.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size().cast_signed();
        let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size().cast_signed(), Ordering::Relaxed);
        // SAFETY: the caller's promises are handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
