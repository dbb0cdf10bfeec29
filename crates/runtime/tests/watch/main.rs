//! What commands change is seen, and taken back.

mod at_once;
mod killed;
mod kinds;
mod not_covered;
mod property;
mod stored;
mod support;
mod undo;
