//! The addresses of resources.

/// What an address means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A file, by its path.
    File {
        /// As the client wrote it, decoded.
        path: String,
        /// Where to begin, in bytes.
        offset: u64,
    },
    /// A spilled result, by its name.
    Output {
        /// Without any folder.
        id: String,
        /// Where to begin, in bytes.
        offset: u64,
    },
}

impl Target {
    /// Reads an address; none where it is not one of dogu's.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let (uri, offset) = match uri.split_once('?') {
            Some((uri, query)) => (uri, query.strip_prefix("offset=")?.parse().ok()?),
            None => (uri, 0),
        };
        if let Some(rest) = uri.strip_prefix("dogu://output/") {
            let id = decoded(rest)?;
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
            let named = !id.is_empty() && !id.starts_with('.') && id.chars().all(plain);
            return named.then_some(Self::Output { id, offset });
        }
        // `file:///a/b`, and `file://localhost/a/b`, which is the same.
        let rest = uri.strip_prefix("file://")?;
        let path = decoded(rest.strip_prefix("localhost").unwrap_or(rest))?;
        let whole = path.starts_with('/') && path.len() > 1 && !path.contains('\0');
        whole.then_some(Self::File { path, offset })
    }

    /// The address of the same thing from another place on.
    pub(crate) fn at(&self, offset: u64) -> String {
        match self {
            Self::File { path, .. } => format!("file://{}?offset={offset}", encoded(path)),
            Self::Output { id, .. } => format!("{}?offset={offset}", output_uri(id)),
        }
    }
}

/// The address of a spilled result.
pub(crate) fn output_uri(id: &str) -> String {
    format!("dogu://output/{}", encoded(id))
}

/// The template of the files below a folder.
pub(crate) fn file_template(root: &str) -> String {
    format!("file://{}/{{+path}}", encoded(root.trim_end_matches('/')))
}

/// With everything but plain characters as `%XX`.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

/// With every `%XX` as the byte it stands for; none where one is not whole or it is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if *first == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn files_and_outputs_have_addresses_and_nothing_else_has() {
        let file = |path: &str, offset| Some(Target::File { path: path.to_owned(), offset });
        assert_eq!(Target::parse("file:///a/b%20c.txt"), file("/a/b c.txt", 0));
        assert_eq!(Target::parse("file://localhost/a?offset=7"), file("/a", 7));
        let output = |id: &str, offset| Some(Target::Output { id: id.to_owned(), offset });
        assert_eq!(Target::parse("dogu://output/0a.txt?offset=9"), output("0a.txt", 9));
        for other in [
            "",
            "file://",
            "file:///",
            "file://host/a",
            "file:///a%0",
            "file:///a%zz",
            "file:///%ff",
            "file:///a%00b",
            "file:///a?offset=x",
            "file:///a?b=1",
            "dogu://output/",
            "dogu://output/../x",
            "dogu://output/%2e%2e%2fx",
            "dogu://output/a/b",
            "http://a/b",
        ] {
            assert_eq!(Target::parse(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn an_address_leads_back(path in "/[^\0]{1,40}", offset in any::<u64>()) {
            let target = Target::File { path, offset: 0 };
            let expected = match &target {
                Target::File { path, .. } => Target::File { path: path.clone(), offset },
                Target::Output { .. } => unreachable!(),
            };
            prop_assert_eq!(Target::parse(&target.at(offset)), Some(expected));
        }

        #[test]
        fn any_text_is_an_address_or_none(text in "(file://|dogu://output/)?.{0,60}") {
            if let Some(Target::Output { id, .. }) = Target::parse(&text) {
                prop_assert!(!id.contains('/') && !id.starts_with('.'));
            }
        }
    }
}
