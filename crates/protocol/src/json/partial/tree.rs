//! The value so far, and the place in it where it grows.

use std::mem;

use serde_json::{Map, Value};

/// A value that grows at its end.
///
/// While text is read, what is open is kept in pieces, so that the innermost container is at
/// hand without a walk: each lies in `open`, and its place in its parent holds a null. At rest all
/// of it is in `root`, for whoever looks. Going from one to the other costs a move a level.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    root: Value,
    /// What is open, outermost first. Empty at rest.
    open: Vec<Value>,
    /// How many containers are open at rest.
    depth: usize,
}

impl Tree {
    /// Nothing yet, which is shown as an object without members.
    pub(super) fn new() -> Self {
        Self { root: Value::Object(Map::new()), open: Vec::new(), depth: 0 }
    }

    /// The value so far.
    pub(super) fn root(&self) -> &Value {
        &self.root
    }

    /// Takes what is open out of the root.
    pub(super) fn take_apart(&mut self) {
        for _ in 0..self.depth {
            let container = self.last().map(mem::take).unwrap_or_default();
            self.open.push(container);
        }
    }

    /// Puts what is open back into the root.
    pub(super) fn put_together(&mut self) {
        self.depth = self.open.len();
        while !self.open.is_empty() {
            self.close();
        }
    }

    /// How many containers are open while text is read.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// How many containers are open at rest.
    pub(super) fn depth_at_rest(&self) -> usize {
        self.depth
    }

    /// The innermost container that is open.
    pub(super) fn innermost(&self) -> Option<&Value> {
        self.open.last()
    }

    /// Adds a value: to the array, as the member `key` of the object, or as the root.
    pub(super) fn add(&mut self, key: &mut String, value: Value) {
        match self.open.last_mut() {
            Some(Value::Array(items)) => items.push(value),
            Some(Value::Object(members)) => {
                // A value must come last to be found again, and where the key was there already
                // inserting would leave it in its old place. Swapping keeps that from moving all
                // members behind it.
                members.swap_remove(key.as_str());
                members.insert(mem::take(key), value);
            }
            _ => self.root = value,
        }
    }

    /// Adds an empty container and opens it.
    pub(super) fn open(&mut self, key: &mut String, container: Value) {
        self.add(key, Value::Null);
        self.open.push(container);
    }

    /// Closes the innermost container.
    pub(super) fn close(&mut self) {
        let Some(container) = self.open.pop() else { return };
        if let Some(place) = self.last() {
            *place = container;
        }
    }

    /// The value that was added last, if it is not closed yet or has just been.
    pub(super) fn last(&mut self) -> Option<&mut Value> {
        match self.open.last_mut() {
            Some(Value::Array(items)) => items.last_mut(),
            Some(Value::Object(members)) => members.values_mut().next_back(),
            _ => Some(&mut self.root),
        }
    }

    /// Takes away the value that was added last, and gives its key back.
    pub(super) fn remove_last(&mut self, key: &mut String) {
        match self.open.last_mut() {
            Some(Value::Array(items)) => drop(items.pop()),
            Some(Value::Object(members)) => {
                if let Some(last) = members.keys().next_back().cloned() {
                    members.swap_remove(&last);
                    *key = last;
                }
            }
            _ => self.root = Value::Object(Map::new()),
        }
    }

    /// Takes away an older member of the same name.
    pub(super) fn forget(&mut self, key: &str) {
        if let Some(Value::Object(members)) = self.open.last_mut() {
            members.swap_remove(key);
        }
    }
}
