//! How a command that nothing holds can still be held together.

/// How the processes of a command that has no [`Confinement`](crate::Confinement) get numbers of
/// their own (a PID namespace), so that the end of the first is the end of all. They see only each
/// other; all else is as it is outside. Made by [`probe_apart`](crate::probe_apart).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// By the rights of root, who loses none of them.
    Outright,
    /// In a user namespace. Nobody gets more rights there: set-uid programs do not work.
    AsUser,
}
