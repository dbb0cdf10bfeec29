//! Files that the shell opens for a command.

use super::Found;
use super::walk::{Listing, Walk};
use crate::command::{self, Arg};
use crate::shell::ast::{Redirect, RedirectKind, Word};
use crate::shell::expand::{self, State};

impl Walk {
    pub(super) fn redirects(&mut self, redirects: &[Redirect], state: &State) {
        for redirect in redirects {
            self.substitutions(&redirect.target, state);
            if let Some(text) = redirect.here.as_ref().and_then(|here| here.get()) {
                self.substitutions(text, state);
            }
            let access: &[command::Access] = match redirect.kind {
                RedirectKind::Read => &[command::Access::Read],
                RedirectKind::Write => &[command::Access::Write],
                RedirectKind::ReadWrite => &[command::Access::Read, command::Access::Write],
                RedirectKind::Text | RedirectKind::Duplicate => &[],
            };
            for access in access {
                self.redirect_file(*access, &redirect.target, state);
            }
        }
    }

    fn redirect_file(&mut self, access: command::Access, target: &Word, state: &State) {
        match expand::arguments(std::slice::from_ref(target), state) {
            Ok(ways) => {
                for arg in ways.into_iter().flatten() {
                    self.redirected(access, &arg, state);
                }
            }
            Err(refusal) => self.refuse(refusal),
        }
    }

    fn redirected(&mut self, access: command::Access, arg: &Arg, state: &State) {
        if let Some(path) = arg.as_literal()
            && let Some((risk, reason)) = super::danger::redirect(path, access)
        {
            self.found.push(Found {
                words: vec![Arg::literal(">"), arg.clone()],
                risk,
                reason: reason.to_owned(),
                hint: None,
                wrapper: false,
            });
            self.refuse(format!("a redirection {reason}"));
        }
        self.redirected_file(access, arg, state);
    }
}

/// The standard input of a command is the pipe's, unless it is redirected.
pub(super) fn here_input(redirects: &[Redirect], input: &Listing) -> Listing {
    let elsewhere = |redirect: &Redirect| matches!(redirect.descriptor.as_deref(), Some("1" | "2"));
    let output = |redirect: &Redirect| redirect.kind == RedirectKind::Write;
    if redirects.iter().all(|redirect| elsewhere(redirect) || output(redirect)) {
        input.clone()
    } else {
        None
    }
}
