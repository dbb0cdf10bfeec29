//! Asking the person behind the client: dogu's own questions about permission, and what a tool
//! wants to know in the middle of its work.
//!
//! Both come to the request that waits for them as a [`Want`](want::Want). The older eras are
//! sent a request of their own for it; from 2026-07-28 on the request is answered with
//! `input_required`, and its retry brings the answer (`rounds`).

pub(crate) mod form;
pub(crate) mod link;
mod page;
pub(crate) mod seal;
pub(crate) mod shown;
pub(crate) mod want;
