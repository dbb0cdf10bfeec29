//! Commands through a real supervisor: how they run, how they end, and that nothing is left.

mod ends;
mod input;
mod many;
mod orphans;
mod support;
