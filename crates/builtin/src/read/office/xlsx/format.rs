//! Which numbers of a sheet are dates, and how those are written.

use std::collections::HashMap;

use dogu_tool::CancelFlag;

use super::super::xml::{self, Met};
use super::super::zip::{Archive, Problem};

/// How many formats are held.
const MAX_FORMATS: usize = 70_000;
/// The last day that the program knows, 31 December 9999.
const MAX_DAY: f64 = 2_958_466.0;
/// Days from the beginning of 1900's count to 1970, and how much later 1904's begins.
const DAYS_TO_1970: i64 = 25_569;
const DAYS_TO_1904: i64 = 1_462;

/// For each style of cells, whether its numbers are dates.
#[derive(Default)]
pub(super) struct Formats(Vec<bool>);

impl Formats {
    pub(super) fn read(archive: &Archive<'_>, cancel: &CancelFlag) -> Result<Self, Problem> {
        let mut own: HashMap<u32, bool> = HashMap::new();
        let mut styles = Vec::new();
        let mut in_cells = false;
        let number = |text: Option<String>| text.and_then(|text| text.parse::<u32>().ok());
        xml::read(archive, "xl/styles.xml", cancel, |met| match met {
            Met::Open(element) => match element.name {
                "numFmt" if own.len() < MAX_FORMATS => {
                    let code = element.get("formatCode").unwrap_or_default();
                    let id = number(element.get("numFmtId"));
                    own.extend(id.map(|id| (id, is_date(&code))));
                }
                "cellXfs" => in_cells = true,
                "xf" if in_cells && styles.len() < MAX_FORMATS => {
                    let id = number(element.get("numFmtId")).unwrap_or(0);
                    let date = own.get(&id).copied();
                    // These are the program's own.
                    let built_in = matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58);
                    styles.push(date.unwrap_or(built_in));
                }
                _ => {}
            },
            Met::Close("cellXfs") => in_cells = false,
            _ => {}
        })?;
        Ok(Self(styles))
    }

    pub(super) fn is_date(&self, style: usize) -> bool {
        self.0.get(style).copied().unwrap_or(false)
    }
}

/// A format with a year, month, day, hour or second outside of quotes and brackets.
fn is_date(code: &str) -> bool {
    let (mut quoted, mut bracket) = (false, false);
    let mut letters = code.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' | '_' | '*' => drop(letters.next()),
            '"' => quoted = !quoted,
            '[' => bracket = true,
            ']' => bracket = false,
            'y' | 'm' | 'd' | 'h' | 's' | 'Y' | 'M' | 'D' | 'H' | 'S' if !quoted && !bracket => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// A number of days as a date, with the time of day where it has one; none where it is no date.
pub(super) fn date(days: f64, from_1904: bool) -> Option<String> {
    if !(0.0..MAX_DAY).contains(&days) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is in the range of dates")]
    let seconds = (days * 86_400.0).round() as i64;
    let (mut day, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let clock = format!("{:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60);
    if day == 0 && !from_1904 {
        return Some(clock);
    }
    if from_1904 {
        day += DAYS_TO_1904;
    } else if day < 60 {
        // The program believes that 1900 had a 29 February, and counts that day.
        day += 1;
    }
    let (year, month, day) = civil(day - DAYS_TO_1970);
    let text = format!("{year:04}-{month:02}-{day:02}");
    Some(if time == 0 { text } else { format!("{text} {clock}") })
}

/// Year, month and day of a day since 1970, by the calendar's cycle of 400 years, in which March
/// begins the year.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let cycle = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (cycle * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_days_are_dates() {
        for (days, from_1904, expected) in [
            (45_292.0, false, "2024-01-01"),
            (45_292.75, false, "2024-01-01 18:00:00"),
            (1.0, false, "1900-01-01"),
            (59.0, false, "1900-02-28"),
            (61.0, false, "1900-03-01"),
            (0.5, false, "12:00:00"),
            (0.0, true, "1904-01-01"),
            (43_830.0, true, "2024-01-01"),
            (2_958_465.0, false, "9999-12-31"),
        ] {
            assert_eq!(date(days, from_1904).as_deref(), Some(expected), "{days}");
        }
        for none in [-1.0, 3e9, f64::NAN, f64::INFINITY] {
            assert_eq!(date(none, false), None);
        }
    }

    #[test]
    fn formats_of_dates_are_told_from_those_of_numbers() {
        for code in ["yyyy-mm-dd", "h:mm AM/PM", "[$-409]d. mmmm", "mm:ss.0"] {
            assert!(is_date(code), "{code}");
        }
        for code in ["General", "0.00", "#,##0 \"days\"", "[Red]0", "0\\d", "@"] {
            assert!(!is_date(code), "{code}");
        }
    }
}
