//! Which system calls a command may make.
//!
//! The kernel runs the filter for every call that it cannot prove harmless beforehand, and it
//! proves that by running it for every number once for each command. So the filter is a search
//! tree, which takes a tenth of the instructions of a list.

mod program;
mod rules;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::sys::confine::Instruction;

/// What a filter depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    /// Internet sockets may be made.
    pub(crate) internet: bool,
    /// Mounts hold what Landlock does not: modes, owners and times of files outside.
    pub(crate) mounts: bool,
    pub(crate) addresses: Addresses,
}

/// What is done about addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Addresses {
    /// All that the network reaches are open.
    Open,
    /// Some ports are closed by Landlock, so the ways around its check are, too.
    PortsClosed,
    /// The calls that give one wait for whoever looks at it.
    Watched,
}

/// The filter of a kind. Each is made once in a process.
pub(crate) fn filter(kind: Kind) -> Rc<[Instruction]> {
    thread_local! {
        static MADE: RefCell<HashMap<Kind, Rc<[Instruction]>>> = RefCell::default();
    }
    MADE.with_borrow_mut(|made| {
        made.entry(kind).or_insert_with(|| program::assemble(&rules::rules(kind)).into()).clone()
    })
}
