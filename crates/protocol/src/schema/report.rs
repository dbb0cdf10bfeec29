//! What a rewriting has to say, and how much it may still do.

/// How many schema nodes one rewriting may visit. References that fan out (a definition that
/// names another one twice, and so on) grow as powers of two; past this they are cut.
const BUDGET: usize = 20_000;

/// Warnings, and the nodes that are left to spend.
pub(super) struct Report {
    pub(super) warnings: Vec<String>,
    left: usize,
}

impl Report {
    pub(super) fn new() -> Self {
        Self { warnings: Vec::new(), left: BUDGET }
    }

    /// Writes a warning down, once.
    pub(super) fn warn(&mut self, path: &str, what: &str) {
        let warning = format!("{}: {what}", shown(path));
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Takes one node; false (with one warning) when the schema has become too large.
    pub(super) fn spend(&mut self, path: &str) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if self.left == 0 {
            self.warn(path, "the schema is too large; what follows is left open");
        }
        self.left > 0
    }
}

/// A path as people read it.
pub(super) fn shown(path: &str) -> String {
    if path.is_empty() { "the input".to_owned() } else { format!("`{path}`") }
}

/// The path of a property.
pub(super) fn property(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The path of a list's items.
pub(super) fn items(path: &str) -> String {
    format!("{path}[]")
}
