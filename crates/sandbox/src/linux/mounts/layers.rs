//! Folders outside that look as if they could be changed, and files that others stand in for.
//!
//! None of it is a wall: where it cannot be had, what is outside is read-only as everything is.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};

use super::super::plan::MountPlan;
use super::super::sys::mount::{self, Depth};
use super::super::sys::{Sys, files};
use super::scratch::Scratch;
use super::{HARMLESS, Writable};
use crate::Machine;

/// Lays all layers that can be laid, and puts files in the places of others.
pub(super) fn place(plan: &MountPlan, machine: &Machine, writable: &mut Writable) {
    if machine.overlays {
        writable.extend(plan.overlays.iter().filter_map(|layer| lay(layer).ok()));
    }
    writable.extend(plan.instead.iter().filter_map(|[at, own]| stand_in(at, own).ok()));
}

fn lay([at, upper, work]: &[std::ffi::CString; 3]) -> Sys<OwnedFd> {
    let place = files::place_without_links(at)?;
    let upper = files::place_without_links(upper)?;
    let work = files::place_without_links(work)?;
    let layer = mount::overlay(place.as_fd(), upper.as_fd(), work.as_fd(), HARMLESS)?;
    mount::attach(layer.as_fd(), place.as_fd())?;
    Ok(layer)
}

fn stand_in(at: &CStr, own: &CStr) -> Sys<OwnedFd> {
    let place = files::place_without_links(at)?;
    let copy = mount::copy_of(files::place_without_links(own)?.as_fd(), Depth::This)?;
    mount::attach(copy.as_fd(), place.as_fd())?;
    Ok(copy)
}

/// Whether the kernel lays a folder over another for whoever is root only in a namespace.
pub(super) fn attempt(scratch: &Scratch) -> Sys<()> {
    let [lower, upper, work] = scratch.folders([c"lower", c"upper", c"work"])?;
    mount::overlay(lower.as_fd(), upper.as_fd(), work.as_fd(), HARMLESS).map(|_| ())
}
