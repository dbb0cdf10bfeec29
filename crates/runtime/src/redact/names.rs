//! Which names say that their value is a secret.

/// Found anywhere in a name that was folded by [`fold`].
const PARTS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
    "authorization",
    "cookie",
];
/// Found at the end only: `max_tokens` and `tokenizer` are no secrets.
const ENDS: &[&str] = &["token", "pwd", "pass", "bearer", "authtoken", "sessionid"];
/// A variable that ends so names a place or a size, not the secret itself.
const PLACES: &[&str] = &[
    "file", "path", "dir", "sock", "socket", "url", "uri", "host", "name", "id", "type", "count",
    "limit", "length", "ttl", "agent", "askpass", "helper",
];

/// Variables of every shell: the working folder, not a password.
const FOLDERS: &[&str] = &["PWD", "OLDPWD"];

/// The keyword in a key of an object, where its value is a secret.
pub(super) fn secret_key(key: &str) -> Option<&'static str> {
    // Longer keys are data, not names.
    if key.len() > 64 {
        return None;
    }
    let folded = fold(key);
    PARTS
        .iter()
        .find(|part| folded.contains(**part))
        .or_else(|| ENDS.iter().find(|end| folded.ends_with(**end)))
        .copied()
}

/// Whether an environment variable holds a secret.
pub(super) fn secret_variable(name: &str) -> bool {
    let folded = fold(name);
    !FOLDERS.contains(&name)
        && !PLACES.iter().any(|place| folded.ends_with(place))
        && (secret_key(name).is_some() || folded.ends_with("key"))
}

/// `API_KEY`, `api-key` and `apiKey` are one name.
fn fold(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_secrets() {
        for key in ["password", "API_KEY", "apiKey", "x-api-key", "Authorization", "GH_TOKEN"] {
            assert!(secret_key(key).is_some(), "{key}");
        }
        for key in ["path", "max_tokens", "tokenizer", "key", "author", "passed", "compass_file"] {
            assert_eq!(secret_key(key), None, "{key}");
        }
    }

    #[test]
    fn variables_of_secrets() {
        for name in ["GITHUB_TOKEN", "OPENAI_API_KEY", "PGPASSWORD", "DB_PWD", "ENCRYPTION_KEY"] {
            assert!(secret_variable(name), "{name}");
        }
        for name in [
            "PATH",
            "AWS_ACCESS_KEY_FILE",
            "SSH_AUTH_SOCK",
            "SSH_ASKPASS",
            "TOKEN_TTL",
            "PWD",
            "OLDPWD",
        ] {
            assert!(!secret_variable(name), "{name}");
        }
    }
}
