//! Checks of program texts, which the tables name.

use super::fit::Misfit;
use super::{Arg, awk, sed};

/// Looks at the texts of a command; complains if one does more than look.
pub(super) type Check = fn(&[Arg]) -> Result<(), Misfit>;

/// The check of a name.
pub(super) fn named(name: &str) -> Option<Check> {
    Some(match name {
        "sed" => sed_scripts,
        "awk" => awk_programs,
        "jq" => jq_programs,
        "printf" => printf_format,
        "number" => numbers,
        "seq" => finite_numbers,
        "sleep" => short_times,
        "date" => date_format,
        "ps" => ps_letters,
        "name" => plain_names,
        "shell-option" => shell_options,
        _ => return None,
    })
}

fn each(code: &[Arg], look: fn(&str) -> Result<(), String>) -> Result<(), Misfit> {
    if code.is_empty() {
        return Err(Misfit::Operands);
    }
    for arg in code {
        let text = arg.as_literal().ok_or_else(|| Misfit::NotKnown(arg.clone()))?;
        look(text).map_err(Misfit::Code)?;
    }
    Ok(())
}

fn sed_scripts(code: &[Arg]) -> Result<(), Misfit> {
    each(code, sed::only_looks)
}

fn awk_programs(code: &[Arg]) -> Result<(), Misfit> {
    each(code, awk::only_looks)
}

fn jq_programs(code: &[Arg]) -> Result<(), Misfit> {
    each(code, |text| {
        let words = || {
            text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')
        };
        let outside = [
            "env",
            "$ENV",
            // A blank may stand after the `$`.
            "ENV",
            "import",
            "include",
            "input_filename",
            "get_search_list",
            "modulemeta",
            "$__prog_args",
            "__prog_args",
        ];
        match words().find(|word| outside.contains(word)) {
            Some(word) => Err(format!("has `{word}`")),
            None => Ok(()),
        }
    })
}

/// `%n` of a format sets a variable.
fn printf_format(code: &[Arg]) -> Result<(), Misfit> {
    each(code, |text| {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once('%') {
            let conversion = after.trim_start_matches(|letter: char| {
                letter.is_ascii_digit() || "-+ #'*.hlLjzt".contains(letter)
            });
            let mut letters = conversion.chars();
            if letters.next() == Some('n') {
                return Err("sets a variable".to_owned());
            }
            rest = letters.as_str();
        }
        Ok(())
    })
}

fn numbers(code: &[Arg]) -> Result<(), Misfit> {
    each(code, |text| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        if digits { Ok(()) } else { Err(format!("is `{text}`, not a number")) }
    })
}

/// The highest number that is worth no question.
const MAX_COUNT: f64 = 10_000_000.0;

/// Up to `inf` it would count for ever.
fn finite_numbers(code: &[Arg]) -> Result<(), Misfit> {
    each(code, |text| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
        let small = text.parse::<f64>().is_ok_and(|number| number.abs() <= MAX_COUNT);
        if digits && small { Ok(()) } else { Err(format!("is `{text}`, not a small number")) }
    })
}

/// The longest time that is worth no question.
const MAX_SECONDS: f64 = 3600.0;

fn short_times(code: &[Arg]) -> Result<(), Misfit> {
    each(code, |text| {
        let (digits, unit) =
            match text.find(|letter: char| !letter.is_ascii_digit() && letter != '.') {
                Some(at) => text.split_at(at),
                None => (text, "s"),
            };
        let factor = match unit {
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => f64::INFINITY,
        };
        let seconds = digits.parse::<f64>().map_or(f64::INFINITY, |number| number * factor);
        if seconds <= MAX_SECONDS { Ok(()) } else { Err(format!("is `{text}`, not a short time")) }
    })
}

/// Without a `+` it is a time that the clock is set to.
fn date_format(code: &[Arg]) -> Result<(), Misfit> {
    let formats = |arg: &Arg| match arg {
        Arg::Literal(text) | Arg::Unknown { starts: text, .. } => text.starts_with('+'),
        _ => false,
    };
    if code.iter().all(formats) { Ok(()) } else { Err(Misfit::Operands) }
}

fn plain_names(code: &[Arg]) -> Result<(), Misfit> {
    each(code, |text| {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if plain && !text.contains("HIST") { Ok(()) } else { Err(format!("is `{text}`")) }
    })
}

fn shell_options(code: &[Arg]) -> Result<(), Misfit> {
    each(code, |text| match text {
        "errexit" | "nounset" | "pipefail" | "xtrace" | "verbose" => Ok(()),
        other => Err(format!("is `{other}`")),
    })
}

/// The letter `e`, without a `-`, shows the variables of processes.
fn ps_letters(code: &[Arg]) -> Result<(), Misfit> {
    each(code, |text| {
        let plain = text.chars().all(|letter| "auxwlfjsrhTm0123456789".contains(letter));
        if plain { Ok(()) } else { Err(format!("is `{text}`")) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(check: Check, text: &str) -> bool {
        check(&[Arg::literal(text)]).is_ok()
    }

    #[test]
    fn programs_of_jq_see_no_variables() {
        for program in ["$ENV.X", "$ ENV.X", "env.X", "$\nENV", "\"\\(env)\"", "$ __prog_args"] {
            assert!(!passes(jq_programs, program), "{program}");
        }
        for program in [".a", ".environment", "$x | .ENVS", "map(.b)"] {
            assert!(passes(jq_programs, program), "{program}");
        }
    }

    #[test]
    fn waiting_and_counting_ends() {
        for time in ["1", "0.5", "60m", "1h", "30s"] {
            assert!(passes(short_times, time), "{time}");
        }
        for time in ["", "inf", "infinity", "1d", "2h", "99999", "-1", "1e5", "nan", "."] {
            assert!(!passes(short_times, time), "{time}");
        }
        assert!(!passes(finite_numbers, "inf") && !passes(finite_numbers, "1e300"));
    }
}
