//! One value of a server's form: what it is about, what fits, and what a typed line means.

use serde_json::{Number, Value};

use crate::show::{Layout, cut_text, escaped_as};

/// How many values a form may want, and how many choices there may be for one.
const MOST_FIELDS: usize = 40;
const MOST_CHOICES: usize = 100;
/// How much of a choice is shown.
const MOST_OF_CHOICE: usize = 200;

/// What a line means.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    Value(Value),
    /// It is left out.
    Nothing,
    Decline,
    Cancel,
}

/// One value that is wanted.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    title: Option<String>,
    description: Option<String>,
    default: Option<Value>,
    required: bool,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Text { least: Option<u64>, most: Option<u64>, format: Option<String> },
    Number { whole: bool, least: Option<f64>, most: Option<f64> },
    Truth,
    One(Vec<Choice>),
    Several { of: Vec<Choice>, least: Option<u64>, most: Option<u64> },
}

/// One of several values.
#[derive(Debug)]
struct Choice {
    value: Value,
    title: String,
}

impl Field {
    /// All values that a form wants, in its order, or why it cannot be asked.
    pub(super) fn all(schema: &Value) -> Result<Vec<Self>, &'static str> {
        let none = serde_json::Map::new();
        let properties = match &schema["properties"] {
            Value::Object(properties) => properties,
            Value::Null if schema.is_object() => &none,
            _ => return Err("it is no form"),
        };
        if properties.len() > MOST_FIELDS {
            return Err("it wants too many values");
        }
        let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut fields = Vec::new();
        for (name, wanted) in properties {
            let required = required.iter().any(|one| one == name.as_str());
            match Kind::of(wanted) {
                Some(kind) => fields.push(Self::new(name, wanted, required, kind)),
                None if required => return Err("it wants something that cannot be typed"),
                None => {}
            }
        }
        Ok(fields)
    }

    fn new(name: &str, wanted: &Value, required: bool, kind: Kind) -> Self {
        let text = |key: &str| wanted[key].as_str().map(str::to_owned);
        let mut field = Self {
            name: name.to_owned(),
            title: text("title"),
            description: text("description"),
            default: None,
            required,
            kind,
        };
        // A default that does not fit is none.
        field.default = wanted.get("default").filter(|value| field.fits(value).is_ok()).cloned();
        field
    }

    /// What the server says of it.
    pub(super) fn about(&self) -> String {
        let title = self.title.as_deref().unwrap_or(&self.name);
        match &self.description {
            Some(description) => format!("{title}\n{description}"),
            None => title.to_owned(),
        }
    }

    /// The choices, numbered.
    pub(super) fn choices(&self) -> String {
        let (Kind::One(choices) | Kind::Several { of: choices, .. }) = &self.kind else {
            return String::new();
        };
        let line = |(at, choice): (usize, &Choice)| {
            let title = cut_text(&choice.title, MOST_OF_CHOICE);
            format!("  | {}. {}\n", at + 1, escaped_as(&title, Layout::Line))
        };
        choices.iter().enumerate().map(line).collect()
    }

    /// What fits, in dogu's words.
    pub(super) fn rules(&self) -> String {
        let mut rules = Vec::new();
        match &self.kind {
            Kind::Text { least, most, format } => {
                rules.extend(range(*least, *most).map(|range| format!("{range} characters")));
                rules.extend(format.as_deref().and_then(format_name).map(str::to_owned));
            }
            Kind::Number { least, most, .. } => rules.extend(range(*least, *most)),
            Kind::Several { least, most, .. } => {
                rules.extend(range(*least, *most).map(|range| format!("{range} of them")));
            }
            Kind::Truth | Kind::One(_) => {}
        }
        rules.push(match (&self.default, self.required) {
            (Some(default), _) => format!("an empty line is {}", self.shown(default)),
            (None, true) => "it is required".to_owned(),
            (None, false) => "an empty line leaves it out".to_owned(),
        });
        rules.join("; ")
    }

    /// The text that an empty line is, if it is one: these are the server's words.
    pub(super) fn default_text(&self) -> Option<&str> {
        self.default.as_ref()?.as_str().filter(|_| matches!(self.kind, Kind::Text { .. }))
    }

    /// What is typed.
    pub(super) fn wanted(&self) -> &'static str {
        match self.kind {
            Kind::Text { .. } => "a text",
            Kind::Number { whole: true, .. } => "a whole number",
            Kind::Number { whole: false, .. } => "a number",
            Kind::Truth => "yes or no",
            Kind::One(_) => "the number of one",
            Kind::Several { .. } => "the numbers of some, or none",
        }
    }

    /// What a typed line means, or why it means nothing.
    pub(super) fn read(&self, line: &str) -> Result<Said, String> {
        let line = line.trim();
        match line {
            "/decline" => return Ok(Said::Decline),
            "/cancel" => return Ok(Said::Cancel),
            "" => {
                return match (&self.default, self.required) {
                    (Some(default), _) => Ok(Said::Value(default.clone())),
                    (None, true) => Err("It is required; `/decline` says no.".to_owned()),
                    (None, false) => Ok(Said::Nothing),
                };
            }
            _ => {}
        }
        let value = self.parse(line)?;
        self.fits(&value)?;
        Ok(Said::Value(value))
    }

    fn parse(&self, line: &str) -> Result<Value, String> {
        match &self.kind {
            // Quotes for what would mean something else: an empty text, one with a slash.
            Kind::Text { .. } => {
                let quoted = line.starts_with('"').then(|| serde_json::from_str::<String>(line));
                Ok(quoted.and_then(Result::ok).unwrap_or_else(|| line.to_owned()).into())
            }
            Kind::Number { whole: true, .. } => line
                .parse::<i64>()
                .map(Value::from)
                .map_err(|_| "That is no whole number.".to_owned()),
            Kind::Number { whole: false, .. } => {
                let number = line.parse::<f64>().ok().and_then(Number::from_f64);
                number.map(Value::Number).ok_or_else(|| "That is no number.".to_owned())
            }
            Kind::Truth => match line.to_lowercase().as_str() {
                "y" | "yes" | "true" => Ok(true.into()),
                "n" | "no" | "false" => Ok(false.into()),
                _ => Err("That is neither yes nor no.".to_owned()),
            },
            Kind::One(choices) => chosen(choices, line),
            Kind::Several { of, .. } => {
                if line.eq_ignore_ascii_case("none") {
                    return Ok(Value::Array(Vec::new()));
                }
                let parts = line.split([',', ' ']).filter(|part| !part.is_empty());
                let mut several: Vec<Value> = Vec::new();
                for part in parts {
                    let one = chosen(of, part)?;
                    if !several.contains(&one) {
                        several.push(one);
                    }
                }
                Ok(several.into())
            }
        }
    }

    fn fits(&self, value: &Value) -> Result<(), String> {
        let in_range = |count: usize, least: Option<u64>, most: Option<u64>, what: &str| {
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            let is_in =
                least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most);
            let range = || range(least, most).unwrap_or_default();
            if is_in { Ok(()) } else { Err(format!("It has to be {} {what}.", range())) }
        };
        match (&self.kind, value) {
            (Kind::Text { least, most, format }, Value::String(text)) => {
                in_range(text.chars().count(), *least, *most, "characters")?;
                let format = format.as_deref().unwrap_or_default();
                if has_format(text, format) {
                    return Ok(());
                }
                Err(format!("That is not {}.", format_name(format).unwrap_or("what is wanted")))
            }
            (Kind::Number { whole, least, most }, Value::Number(number)) => {
                let value = number.as_f64().unwrap_or(f64::NAN);
                let is_whole = !whole || number.is_i64() || number.is_u64();
                let is_in = least.is_none_or(|least| value >= least)
                    && most.is_none_or(|most| value <= most);
                if is_whole && is_in {
                    return Ok(());
                }
                Err(format!("It has to be {}.", range(*least, *most).unwrap_or_default()))
            }
            (Kind::Truth, Value::Bool(_)) => Ok(()),
            (Kind::One(choices), value) if choices.iter().any(|one| one.value == *value) => Ok(()),
            (Kind::Several { of, least, most }, Value::Array(several))
                if several.iter().all(|one| of.iter().any(|choice| choice.value == *one)) =>
            {
                in_range(several.len(), *least, *most, "of them")
            }
            _ => Err("That does not fit.".to_owned()),
        }
    }

    /// A default in words that are not the server's.
    fn shown(&self, default: &Value) -> String {
        let number = |of: &[Choice], value: &Value| {
            of.iter().position(|choice| choice.value == *value).map_or(0, |at| at + 1).to_string()
        };
        match (&self.kind, default) {
            (Kind::Text { .. }, _) => "this text:".to_owned(),
            (Kind::One(choices), value) => number(choices, value),
            (Kind::Several { of, .. }, Value::Array(several)) if !several.is_empty() => {
                let numbers: Vec<String> = several.iter().map(|one| number(of, one)).collect();
                numbers.join(", ")
            }
            (Kind::Several { .. }, _) => "none".to_owned(),
            (Kind::Truth, yes) => if *yes == true { "yes" } else { "no" }.to_owned(),
            (Kind::Number { .. }, number) => number.to_string(),
        }
    }
}

impl Kind {
    fn of(wanted: &Value) -> Option<Self> {
        let count = |key: &str| wanted[key].as_u64();
        let number = |key: &str| wanted[key].as_f64();
        if wanted["type"] == "array" {
            let of = choices(&wanted["items"])?;
            return Some(Self::Several { of, least: count("minItems"), most: count("maxItems") });
        }
        if let Some(choices) = choices(wanted) {
            return Some(Self::One(choices));
        }
        let has_choices = ["enum", "oneOf", "anyOf"].iter().any(|key| wanted.get(key).is_some());
        match wanted["type"].as_str()? {
            _ if has_choices => None,
            "string" => Some(Self::Text {
                least: count("minLength"),
                most: count("maxLength"),
                format: wanted["format"].as_str().map(str::to_owned),
            }),
            kind @ ("number" | "integer") => Some(Self::Number {
                whole: kind == "integer",
                least: number("minimum"),
                most: number("maximum"),
            }),
            "boolean" => Some(Self::Truth),
            _ => None,
        }
    }
}

/// The choices of a schema, in each of the ways in which they are written.
fn choices(wanted: &Value) -> Option<Vec<Choice>> {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let titled = wanted["oneOf"].as_array().or_else(|| wanted["anyOf"].as_array());
    let all: Vec<Choice> = match (titled, wanted["enum"].as_array()) {
        (Some(titled), _) => titled
            .iter()
            .filter_map(|one| {
                let value = one.get("const")?.clone();
                let title = one["title"].as_str().map_or_else(|| shown(&value), str::to_owned);
                Some(Choice { value, title })
            })
            .collect(),
        (None, Some(values)) => {
            let names = &wanted["enumNames"];
            let title = |at: usize, value: &Value| {
                names[at].as_str().map_or_else(|| shown(value), str::to_owned)
            };
            let choice = |(at, value): (usize, &Value)| Choice {
                value: value.clone(),
                title: title(at, value),
            };
            values.iter().enumerate().map(choice).collect()
        }
        (None, None) => return None,
    };
    (!all.is_empty() && all.len() <= MOST_CHOICES).then_some(all)
}

/// The one that a number or its whole name means.
fn chosen(choices: &[Choice], typed: &str) -> Result<Value, String> {
    let by_number =
        typed.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
    let by_name = || choices.iter().find(|choice| choice.title == typed || choice.value == typed);
    by_number
        .or_else(by_name)
        .map(|choice| choice.value.clone())
        .ok_or_else(|| format!("That is none of them; type a number from 1 to {}.", choices.len()))
}

/// `at least 2`, `at most 5`, `2 to 5`.
fn range<N: std::fmt::Display>(least: Option<N>, most: Option<N>) -> Option<String> {
    match (least, most) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (None, None) => None,
    }
}

/// The formats that forms may have, in words.
fn format_name(format: &str) -> Option<&'static str> {
    Some(match format {
        "email" => "an e-mail address",
        "uri" => "an address such as https://example.org",
        "date" => "a date such as 2026-01-31",
        "date-time" => "a time such as 2026-01-31T12:00:00Z",
        _ => return None,
    })
}

fn has_format(text: &str, format: &str) -> bool {
    match format {
        "email" => text.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace)
        }),
        "uri" => reqwest::Url::parse(text).is_ok(),
        "date" => text.parse::<jiff::civil::Date>().is_ok(),
        "date-time" => text.parse::<jiff::Timestamp>().is_ok(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(wanted: &Value, required: bool) -> Field {
        let required = if required { json!(["x"]) } else { json!([]) };
        let schema = json!({"type": "object", "properties": {"x": wanted}, "required": required});
        Field::all(&schema).unwrap().remove(0)
    }

    fn value(wanted: &Value, line: &str) -> Option<Value> {
        match field(wanted, true).read(line) {
            Ok(Said::Value(value)) => Some(value),
            Ok(other) => panic!("{other:?}"),
            Err(_) => None,
        }
    }

    #[test]
    fn only_what_fits_is_a_value() {
        for (wanted, fits, not) in &[
            (json!({"type": "string", "minLength": 2, "maxLength": 3}), "도구", &["a", "abcd"][..]),
            (json!({"type": "string", "format": "email"}), "a@b.example", &["a", "@", "a @b"]),
            (json!({"type": "string", "format": "uri"}), "https://x.example", &["x", "//x"]),
            (json!({"type": "string", "format": "date"}), "2026-01-31", &["2026-02-31", "today"]),
            (json!({"type": "string", "format": "date-time"}), "2026-01-31T12:00:00Z", &["noon"]),
            (json!({"type": "string", "format": "unheard-of"}), "anything", &[]),
        ] {
            assert_eq!(value(wanted, fits), Some((*fits).into()), "{wanted}");
            for line in *not {
                assert_eq!(value(wanted, line), None, "{wanted} {line}");
            }
        }
        let age = json!({"type": "integer", "minimum": 1, "maximum": 120});
        assert_eq!(value(&age, " 42 "), Some(json!(42)));
        for line in ["0", "121", "4.5", "x", "99999999999999999999"] {
            assert_eq!(value(&age, line), None, "{line}");
        }
        let part = json!({"type": "number", "maximum": 1});
        assert_eq!(value(&part, "0.5"), Some(json!(0.5)));
        for line in ["1.5", "NaN", "inf", "1e999"] {
            assert_eq!(value(&part, line), None, "{line}");
        }
        for (line, expected) in [("Y", Some(true)), ("no", Some(false)), ("maybe", None)] {
            assert_eq!(value(&json!({"type": "boolean"}), line), expected.map(Value::from));
        }
    }

    #[test]
    fn choices_are_taken_by_number_or_name_in_every_way_that_they_are_written() {
        let plain = json!({"type": "string", "enum": ["a", "b"]});
        let named = json!({"type": "string", "enum": ["a", "b"], "enumNames": ["Ah", "Be"]});
        let titled = json!({"type": "string", "oneOf":
            [{"const": "a", "title": "Ah"}, {"const": "b", "title": "Be"}]});
        for wanted in [&plain, &named, &titled] {
            assert_eq!(value(wanted, "2"), Some(json!("b")), "{wanted}");
            assert_eq!(value(wanted, "a"), Some(json!("a")), "{wanted}");
            for line in ["0", "3", "c", "-1"] {
                assert_eq!(value(wanted, line), None, "{wanted} {line}");
            }
        }
        assert_eq!(value(&titled, "Be"), Some(json!("b")));
        for items in [plain, json!({"anyOf": titled["oneOf"]})] {
            let several = json!({"type": "array", "items": items, "maxItems": 1});
            assert_eq!(value(&several, "2"), Some(json!(["b"])));
            assert_eq!(value(&several, "none"), Some(json!([])));
            assert_eq!(value(&several, "1, 2"), None, "too many");
            assert_eq!(value(&several, "1 1"), Some(json!(["a"])), "each once");
        }
    }

    #[test]
    fn an_empty_line_is_the_default_or_nothing() {
        let read = |wanted: &Value, required: bool| field(wanted, required).read("\n");
        let text = json!({"type": "string"});
        assert_eq!(read(&text, false), Ok(Said::Nothing));
        assert!(read(&text, true).is_err());
        let with = |default: Value| json!({"type": "integer", "maximum": 5, "default": default});
        assert_eq!(read(&with(json!(3)), true), Ok(Said::Value(json!(3))));
        assert!(read(&with(json!(9)), true).is_err(), "a default that does not fit is none");
        assert!(read(&with(json!("x")), true).is_err());
        let several = json!({"type": "array", "items": {"type": "string", "enum": ["a"]},
            "default": ["a"]});
        assert_eq!(read(&several, false), Ok(Said::Value(json!(["a"]))));
        let quoted = field(&json!({"type": "string"}), true).read("\"\"");
        assert_eq!(quoted, Ok(Said::Value(json!(""))));
    }
}
