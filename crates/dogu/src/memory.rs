//! Memory that only the start needed.
#![expect(unsafe_code, reason = "the standard library has no call for it")]

use std::fs;

use rustix::mm::{Advice, madvise};

/// Gives back the pages of the program that its start needed: most of what a server holds while
/// nobody calls. They were read from the program's file and can never be changed, so whatever is
/// needed again comes from there again.
pub(crate) fn forget_start() {
    let (Ok(maps), Ok(program)) =
        (fs::read_to_string("/proc/self/maps"), fs::read_link("/proc/self/exe"))
    else {
        return;
    };
    for line in maps.lines().filter(|line| line.ends_with(&*program.to_string_lossy())) {
        if let Some((start, length)) = unchanging(line) {
            let start = std::ptr::with_exposed_provenance_mut(start);
            // SAFETY: a mapping of a file that nothing in this process has ever written to reads
            // the same after its pages were given back. A failure leaves it as it is.
            let _ = unsafe { madvise(start, length, Advice::LinuxDontNeed) };
        }
    }
}

/// Where a mapping is that was not even written to when the program was loaded: its code, and the
/// constants at the beginning of its file. Behind those are constants with addresses in them.
fn unchanging(line: &str) -> Option<(usize, usize)> {
    let mut words = line.split_ascii_whitespace();
    let (range, rights, offset) = (words.next()?, words.next()?, words.next()?);
    let is_first = u64::from_str_radix(offset, 16).ok()? == 0;
    if rights != "r-xp" && !(rights == "r--p" && is_first) {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let (start, end) =
        (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    Some((start, end.checked_sub(start)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_never_written_to_is_given_back() {
        let line = |rights: &str, offset: &str| {
            unchanging(&format!("5000-7000 {rights} {offset} 08:01 17 /usr/bin/dogu"))
        };
        assert_eq!(line("r-xp", "00002000"), Some((0x5000, 0x2000)));
        assert_eq!(line("r--p", "00000000"), Some((0x5000, 0x2000)));
        for (rights, offset) in [("r--p", "00004000"), ("rw-p", "00000000"), ("rwxp", "00002000")] {
            assert_eq!(line(rights, offset), None);
        }
        assert_eq!(unchanging("nonsense"), None);
    }

    #[test]
    fn a_program_goes_on_after_it() {
        let before = resident();
        forget_start();
        assert!(resident() < before);
        assert_eq!(format!("{:?}", Some("still here")), "Some(\"still here\")");
    }

    /// Pages of files that are in memory.
    fn resident() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("RssFile")).unwrap();
        line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
    }
}
