//! Paths in JSON: as text, or, where they are none, as their bytes in hexadecimal digits.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Text {
    Plain(String),
    Bytes { bytes: String },
}

impl From<&Path> for Text {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Plain(text.to_owned()),
            None => Self::Bytes { bytes: to_hex(path.as_os_str().as_bytes()) },
        }
    }
}

impl Text {
    fn into_path(self) -> Option<PathBuf> {
        match self {
            Self::Plain(text) => Some(text.into()),
            Self::Bytes { bytes } => Some(OsString::from_vec(from_hex(&bytes)?).into()),
        }
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// A path.
pub(crate) mod path {
    use std::path::{Path, PathBuf};

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::Text;

    pub(crate) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        Text::from(path).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        Text::deserialize(from)?.into_path().ok_or_else(|| D::Error::custom("no path"))
    }
}

/// A path that may be missing.
pub(crate) mod maybe_path {
    use std::path::PathBuf;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::Text;

    #[expect(clippy::ref_option, reason = "the form that serde calls")]
    pub(crate) fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_deref().map(Text::from).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        let text = Option::<Text>::deserialize(from)?;
        text.map(|text| text.into_path().ok_or_else(|| D::Error::custom("no path"))).transpose()
    }
}

/// Paths.
pub(crate) mod paths {
    use std::path::{Path, PathBuf};

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::Text;

    pub(crate) fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(paths.iter().map(|path| Text::from(Path::new(path))))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let texts = Vec::<Text>::deserialize(from)?;
        let path = |text: Text| text.into_path().ok_or_else(|| D::Error::custom("no path"));
        texts.into_iter().map(path).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Paths {
        #[serde(with = "path")]
        one: PathBuf,
        #[serde(with = "maybe_path", default)]
        maybe: Option<PathBuf>,
        #[serde(with = "paths")]
        all: Vec<PathBuf>,
    }

    proptest! {
        #[test]
        fn every_path_comes_back(
            names in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 1..4),
        ) {
            let all: Vec<PathBuf> =
                names.into_iter().map(|name| OsString::from_vec(name).into()).collect();
            let paths = Paths { one: all[0].clone(), maybe: all.get(1).cloned(), all };
            let text = serde_json::to_string(&paths).unwrap();
            prop_assert_eq!(serde_json::from_str::<Paths>(&text).unwrap(), paths);
        }

        #[test]
        fn nothing_else_is_a_path(digits in "[0-9a-fA-FgG+ \u{e4}]{0,6}") {
            let text = serde_json::json!({"one": {"bytes": digits}, "all": []}).to_string();
            let good = digits.len() % 2 == 0 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            prop_assert_eq!(serde_json::from_str::<Paths>(&text).is_ok(), good);
        }
    }
}
