//! What the tests of command lines share: the suites, and how a line is decided.

#![expect(dead_code, reason = "each test binary uses its own part")]

pub(crate) mod decision;
pub(crate) mod facts;
pub(crate) mod suite;
