//! Seeing from the disk alone how far a step got, for whoever finds it written down.

use rustix::io::Errno;

use super::act::Act;
use super::step::Kind;

/// How far a step got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Not done yet, and it can be.
    Before,
    /// Done.
    After,
    /// Done and cleaned up, or never done and changed by somebody else since.
    Either,
    /// Not done, and it cannot be: somebody else changed the file.
    Astray,
}

impl Act {
    /// How far it got.
    pub(crate) fn standing(&self) -> Result<Standing, Errno> {
        match self.step.kind {
            Kind::Put => self.standing_of_put(),
            Kind::Swap => self.standing_of_swap(),
            Kind::Take => self.standing_of_take(),
            Kind::Move => self.standing_of_move(),
        }
    }

    fn standing_of_put(&self) -> Result<Standing, Errno> {
        let ours = self.is(self.temporary(), self.step.after.as_ref())?;
        Ok(match (self.stat(self.temporary())?, self.stat(self.name())?) {
            (Some(_), None) if ours => Standing::Before,
            (None, Some(_)) => Standing::After,
            (None, None) => Standing::Either,
            (Some(_), _) => Standing::Astray,
        })
    }

    fn standing_of_swap(&self) -> Result<Standing, Errno> {
        let (before, after) = (self.step.before.as_ref(), self.step.after.as_ref());
        let unchanged = self.is_unchanged()?;
        if self.stat(self.temporary())?.is_none() {
            return Ok(match self.is(self.name(), after)? {
                true => Standing::After,
                false if unchanged => Standing::Astray,
                false => Standing::Either,
            });
        }
        // The new file first, for the case that both hold the same.
        if unchanged && self.is(self.temporary(), after)? {
            return Ok(Standing::Before);
        }
        let old = self.is(self.temporary(), before)?;
        Ok(if old { Standing::After } else { Standing::Astray })
    }

    fn standing_of_take(&self) -> Result<Standing, Errno> {
        let old = self.is(self.temporary(), self.step.before.as_ref())?;
        Ok(match (self.stat(self.temporary())?, self.stat(self.name())?) {
            (Some(_), _) if !old => Standing::Astray,
            (Some(_), _) | (None, None) => Standing::After,
            (None, Some(_)) if self.is_unchanged()? => Standing::Before,
            (None, Some(_)) => Standing::Either,
        })
    }

    fn standing_of_move(&self) -> Result<Standing, Errno> {
        if self.is_unchanged()? {
            return Ok(Standing::Before);
        }
        let moved = self.is(self.name(), self.step.before.as_ref())?;
        Ok(if moved { Standing::After } else { Standing::Either })
    }
}
