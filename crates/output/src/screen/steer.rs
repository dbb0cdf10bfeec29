//! What control characters and sequences do to the screen.

use crate::parse::Target;
use crate::screen::{Erase, Screen, Sink};

/// The largest number in a sequence that means anything.
const MAX_NUMBER: usize = 9999;

/// A screen with the place where its finished lines go.
pub(crate) struct Steered<'a> {
    pub(crate) screen: &'a mut Screen,
    pub(crate) sink: &'a mut dyn Sink,
}

impl Target for Steered<'_> {
    fn print(&mut self, text: &str) {
        self.screen.print(text, self.sink);
    }

    fn control(&mut self, byte: u8) {
        match byte {
            b'\n' | 0x0b => self.screen.newline(self.sink),
            b'\r' => self.screen.go_to_column(0),
            b'\t' => self.screen.tab(self.sink),
            0x08 => self.screen.move_columns(-1),
            0x0c => self.screen.start_anew(self.sink),
            _ => {}
        }
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'7' => self.screen.save(),
            b'8' => self.screen.restore(),
            b'D' => self.screen.move_rows(1),
            b'E' => self.screen.newline(self.sink),
            b'M' => self.screen.move_rows(-1),
            b'c' => self.screen.start_anew(self.sink),
            _ => {}
        }
    }

    /// What only changes looks or modes is dropped.
    fn sequence(&mut self, parameters: &[u8], end: u8) {
        // Colours are most of what comes.
        if end == b'm' {
            return;
        }
        if let [b'?', modes @ ..] = parameters {
            let other_screen = |mode| matches!(mode, 47 | 1047 | 1049);
            if matches!(end, b'h' | b'l') && numbers(modes).any(other_screen) {
                self.screen.start_anew(self.sink);
            }
        } else if parameters.iter().all(|byte| matches!(byte, b'0'..=b';')) {
            let mut numbers = numbers(parameters);
            let first = numbers.next().unwrap_or(0);
            self.steer(first, numbers.next().unwrap_or(0), end);
        }
    }
}

impl Steered<'_> {
    fn steer(&mut self, first: usize, second: usize, end: u8) {
        let count = first.max(1);
        let by = isize::try_from(count).unwrap_or(1);
        let screen = &mut *self.screen;
        match end {
            b'A' => screen.move_rows(-by),
            b'B' | b'e' => screen.move_rows(by),
            b'C' | b'a' => screen.move_columns(by),
            b'D' => screen.move_columns(-by),
            b'E' | b'F' => {
                screen.move_rows(if end == b'E' { by } else { -by });
                screen.go_to_column(0);
            }
            b'G' | b'`' => screen.go_to_column(count - 1),
            b'H' | b'f' => screen.address(count - 1, Some(second.max(1) - 1), self.sink),
            b'd' => screen.address(count - 1, None, self.sink),
            b'J' => screen.erase_screen(erase(first), self.sink),
            b'K' => screen.erase_line(erase(first)),
            b'P' => screen.delete(count),
            b'X' => screen.blank(count),
            b'@' => screen.insert(count),
            b's' => screen.save(),
            b'u' => screen.restore(),
            _ => {}
        }
    }
}

fn erase(number: usize) -> Erase {
    match number {
        0 => Erase::ToEnd,
        1 => Erase::ToBegin,
        _ => Erase::All,
    }
}

/// The numbers of a sequence; an empty one is 0.
fn numbers(parameters: &[u8]) -> impl Iterator<Item = usize> {
    let number = |digits: &[u8]| {
        digits.iter().filter(|digit| digit.is_ascii_digit()).fold(0, |number: usize, digit| {
            (number * 10 + usize::from(digit - b'0')).min(MAX_NUMBER)
        })
    };
    parameters.split(|byte| matches!(byte, b';' | b':')).map(number)
}
