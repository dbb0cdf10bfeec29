//! Many names of one folder in one piece of memory.

use std::ffi::CStr;

use rustix::fs::FileType;

/// Names with what the folder says they are. A name takes its own bytes and two more, so that a
/// million of them is no burden.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// For each: a byte for the kind, the name, a NUL.
    packed: Vec<u8>,
}

impl Names {
    pub(super) fn push(&mut self, name: &CStr, kind: FileType) {
        self.packed.push(code(kind));
        self.packed.extend_from_slice(name.to_bytes_with_nul());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// How many bytes they take.
    pub(super) fn size(&self) -> usize {
        self.packed.len()
    }

    /// The names that begin at a byte, with where the next one begins.
    pub(super) fn at(&self, start: usize) -> Option<(&CStr, FileType, usize)> {
        let rest = self.packed.get(start..)?;
        let (kind, rest) = rest.split_first()?;
        let name = CStr::from_bytes_until_nul(rest).ok()?;
        Some((name, kind_of(*kind), start + name.count_bytes() + 2))
    }

    /// Takes the last name out.
    pub(super) fn pop(&mut self) -> Option<Names> {
        let (_, before) = self.packed.split_last()?;
        // The byte before a name's kind ends the name before it.
        let start = before.iter().rposition(|byte| *byte == 0).map_or(0, |at| at + 1);
        Some(Self { packed: self.packed.split_off(start) })
    }

    /// Takes about half of what begins at a byte or after it; nothing where that is one name.
    pub(super) fn split(&mut self, start: usize) -> Option<Names> {
        let middle = start + (self.packed.len().checked_sub(start)?) / 2;
        let end = self.packed[middle..].iter().position(|byte| *byte == 0)?;
        let cut = middle + end + 1;
        let half = self.packed.split_off(cut);
        (!half.is_empty()).then_some(Self { packed: half })
    }
}

/// One byte that is never NUL.
fn code(kind: FileType) -> u8 {
    match kind {
        FileType::Directory => 1,
        FileType::RegularFile => 2,
        FileType::Symlink => 3,
        FileType::Unknown => 4,
        _ => 5,
    }
}

/// What the byte stands for; a pipe for all that is special.
fn kind_of(code: u8) -> FileType {
    match code {
        1 => FileType::Directory,
        2 => FileType::RegularFile,
        3 => FileType::Symlink,
        4 => FileType::Unknown,
        _ => FileType::Fifo,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use proptest::prelude::*;

    use super::*;

    fn packed(names: &[String]) -> Names {
        let mut all = Names::default();
        for name in names {
            all.push(&CString::new(name.as_str()).unwrap(), FileType::RegularFile);
        }
        all
    }

    fn unpacked(names: &Names) -> Vec<String> {
        let (mut found, mut start) = (Vec::new(), 0);
        while let Some((name, kind, next)) = names.at(start) {
            assert_eq!(kind, FileType::RegularFile);
            found.push(name.to_str().unwrap().to_owned());
            start = next;
        }
        found
    }

    #[test]
    fn about_half_is_split_off() {
        let mut all = packed(&vec!["abc".to_owned(); 10]);
        assert_eq!(unpacked(&all.split(0).unwrap()).len(), 4);
        assert_eq!(unpacked(&all).len(), 6);
        assert!(packed(&["abc".to_owned()]).split(0).is_none());
        assert!(Names::default().split(0).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_is_lost_or_torn(names in prop::collection::vec("[a-z]{1,9}", 0..20), skip in 0..20_usize) {
            let mut all = packed(&names);
            prop_assert_eq!(&unpacked(&all), &names);
            let skip = skip.min(names.len());
            let start = (0..skip).fold(0, |start, _| all.at(start).unwrap().2);
            let half = all.split(start).map_or_else(Vec::new, |half| unpacked(&half));
            let mut kept = unpacked(&all);
            prop_assert!(kept.len() >= skip);
            kept.extend(half);
            prop_assert_eq!(&kept, &names);
            let mut all = packed(&names);
            let mut popped = Vec::new();
            while let Some(one) = all.pop() {
                popped.extend(unpacked(&one));
            }
            popped.reverse();
            prop_assert_eq!(popped, names);
        }
    }
}
