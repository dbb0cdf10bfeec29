//! Files that change together or not at all, what the journal knows of it, and taking it back.

mod faults;
mod interrupted;
mod kept;
mod kill;
mod plain;
mod processes;
mod support;
mod undo;
