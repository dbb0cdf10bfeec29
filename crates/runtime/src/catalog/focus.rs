//! A catalog that is too much to show: a core of it, and what was searched for.

use dogu_tool::{CALL_TOOL, SEARCH_TOOLS};

use super::{Catalog, Item};
use crate::settings::CatalogSettings;

/// What was found is shown in this part of the budget, even where the core uses all of it.
const FOUND_SHARE: usize = 4;

impl Catalog {
    /// Leaves all but the core to be searched for, where there is more than a model should be
    /// shown and a tool to search with. What is not listed any more is still callable by name.
    pub(crate) fn focus(&mut self, settings: &CatalogSettings) {
        if settings.tokens == 0 || self.tokens() <= settings.tokens || !self.has(SEARCH_TOOLS) {
            return;
        }
        let is_core = |item: &Item| match &settings.core {
            Some(names) => names.iter().any(|name| name == item.spec().name.as_str()),
            None => item.is_builtin(),
        };
        for item in self.items.values_mut().filter(|item| item.listed && !is_core(item)) {
            item.listed = false;
            self.is_focused = true;
        }
        if self.is_focused {
            self.list(SEARCH_TOOLS);
            self.list(CALL_TOOL);
        }
    }

    /// Whether tools that would be listed are left to be searched for.
    pub fn is_focused(&self) -> bool {
        self.is_focused && self.deferred().next().is_some()
    }

    /// Lists what was found, the latest first, as far as there is room; the latest in any case.
    pub(crate) fn list_found(&mut self, latest_first: &[String], settings: &CatalogSettings) {
        let listed = self.tokens();
        let room = settings.tokens.saturating_sub(listed).max(settings.tokens / FOUND_SHARE);
        let mut used = 0;
        for name in latest_first {
            let Some(item) = self.items.get_mut(name).filter(|item| !item.listed) else { continue };
            used += item.tokens();
            if used > room && used > item.tokens() {
                break;
            }
            item.listed = true;
        }
    }

    /// Takes a tool out of the list; it stays callable by name.
    pub(crate) fn unlist(&mut self, name: &str) {
        if let Some(item) = self.items.get_mut(name) {
            item.listed = false;
        }
    }

    /// Whether a tool of that name is there and is dogu's own.
    pub(super) fn has(&self, name: &str) -> bool {
        self.items.get(name).is_some_and(Item::is_builtin)
    }
}

impl Item {
    fn is_builtin(&self) -> bool {
        self.entry().is_some_and(|entry| entry.source().is_builtin())
    }
}
