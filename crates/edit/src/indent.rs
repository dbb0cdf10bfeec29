//! From the indents that a model wrote to those that the file has.

/// The indent of one aligned line, as the model wrote it and as the file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    /// The index of the old text's token that begins the line.
    pub(crate) token: usize,
    pub(crate) theirs: String,
    pub(crate) ours: String,
}

/// What is known about the indents around one place.
#[derive(Debug)]
pub(crate) struct Indents {
    pairs: Vec<Pair>,
    /// The step of the model's indents, where they are spaces.
    their_unit: usize,
    /// The step that the model's indents show between neighbours, if they show one.
    their_step: Option<usize>,
    /// The step of the file's.
    our_unit: usize,
    /// Whether the file indents with tabs.
    tabs: bool,
}

impl Indents {
    /// Learns from aligned lines; `texts` are the model's two texts, `file` the lines around.
    pub(crate) fn new(pairs: Vec<Pair>, texts: [&str; 2], file: &str) -> Self {
        let with_indent = || pairs.iter().filter(|pair| !pair.ours.is_empty());
        let tabs = if with_indent().next().is_some() {
            with_indent().any(|pair| pair.ours.starts_with('\t'))
        } else {
            let told = leads(file).any(|lead| lead.starts_with('\t') || lead.starts_with("  "));
            if told { mostly_tabs(file) } else { texts.into_iter().any(mostly_tabs) }
        };
        let their_unit = unit(texts.into_iter().flat_map(leads));
        let their_step = steps(texts.into_iter().flat_map(leads)).usual();
        Self { pairs, their_unit, their_step, our_unit: unit(leads(file)), tabs }
    }

    /// The file's indent for a line that the model indented with `theirs`, near a token of old.
    pub(crate) fn ours(&self, theirs: &str, near: usize) -> String {
        if self.pairs.iter().all(|pair| pair.theirs == pair.ours) && !self.foreign(theirs) {
            return theirs.to_owned();
        }
        let distance = |pair: &&Pair| {
            // Of two equally near lines the one before: a new line continues it.
            let after = usize::from(pair.token > near);
            pair.token.abs_diff(near) * 2 + after
        };
        if let Some(pair) =
            self.pairs.iter().filter(|pair| pair.theirs == theirs).min_by_key(distance)
        {
            return pair.ours.clone();
        }
        let wide = width(theirs);
        let reference = self
            .pairs
            .iter()
            .min_by_key(|pair| (width(&pair.theirs).abs_diff(wide), distance(pair)));
        match reference {
            Some(pair) => self.shifted(pair, theirs),
            None => self.converted(theirs),
        }
    }

    /// Whether an indent is of another kind than the file's.
    fn foreign(&self, theirs: &str) -> bool {
        !self.pairs.is_empty()
            && !theirs.is_empty()
            && self.pairs.iter().all(|pair| pair.ours.is_empty())
            && (self.tabs != theirs.starts_with('\t'))
    }

    fn converted(&self, theirs: &str) -> String {
        let none = Pair { token: 0, theirs: String::new(), ours: String::new() };
        if theirs.starts_with('\t') == self.tabs {
            theirs.to_owned()
        } else {
            self.shifted(&none, theirs)
        }
    }

    /// Goes as many steps in or out from a known line as the model did.
    fn shifted(&self, from: &Pair, theirs: &str) -> String {
        if let Some(more) = theirs.strip_prefix(from.theirs.as_str())
            && more.starts_with('\t') == self.tabs
            && self.scale().is_none()
        {
            return format!("{}{more}", from.ours);
        }
        let tabbed = theirs.starts_with('\t') || theirs.is_empty() && from.theirs.starts_with('\t');
        let their_step = if tabbed { 1 } else { self.their_unit };
        let our_step = if self.tabs { 1 } else { self.our_unit };
        let delta = count(theirs) - count(&from.theirs);
        let wanted = if let Some((ours, theirs)) = self.scale() {
            count(&from.ours) + rounded(delta * ours, theirs)
        } else if tabbed != self.tabs {
            count(&from.ours) + rounded(delta * signed(our_step), signed(their_step))
        } else {
            count(&from.ours) + delta
        };
        let mark = if self.tabs { "\t" } else { " " };
        let wanted = usize::try_from(wanted).unwrap_or(0);
        // What the known line has is kept as it is: it may mix tabs and spaces.
        match wanted.checked_sub(from.ours.chars().count()) {
            Some(more) => format!("{}{}", from.ours, mark.repeat(more)),
            None => from.ours.chars().take(wanted).collect(),
        }
    }

    /// How much the file's indent grows when the model's does, where two lines show it.
    fn scale(&self) -> Option<(isize, isize)> {
        let first = self.pairs.first()?;
        self.by_units().or_else(|| self.by_lines(first))
    }

    /// Lines that are all as many steps deep as the file's, with steps of another width. Where
    /// the model's lines go as far in as the file's do, they were only moved.
    fn by_units(&self) -> Option<(isize, isize)> {
        if self.their_step == Some(self.our_unit) {
            return None;
        }
        let (ours, theirs) = (signed(self.our_unit), signed(self.their_unit));
        let spaces = |pair: &Pair| !pair.ours.contains('\t') && !pair.theirs.contains('\t');
        let deep = self.pairs.iter().any(|pair| !pair.theirs.is_empty());
        let fits = self.pairs.iter().all(spaces) && self.is_ratio(ours, theirs);
        (!self.tabs && ours != theirs && deep && fits).then_some((ours, theirs))
    }

    fn by_lines(&self, first: &Pair) -> Option<(isize, isize)> {
        self.pairs.iter().find_map(|pair| {
            let theirs = count(&pair.theirs) - count(&first.theirs);
            let ours = count(&pair.ours) - count(&first.ours);
            let deepest = |a: &Pair, b: &Pair| {
                if a.theirs.len() > b.theirs.len() { a.clone() } else { b.clone() }
            };
            let deep = deepest(first, pair);
            let same_kind = deep.theirs.starts_with('\t') == deep.ours.starts_with('\t');
            // Between spaces and spaces an unindented first line must not look like a scale.
            let plausible = !same_kind || theirs != ours && self.is_ratio(ours, theirs);
            (theirs != 0 && ours != 0 && (theirs > 0) == (ours > 0) && plausible)
                .then_some((ours, theirs))
        })
    }

    fn is_ratio(&self, ours: isize, theirs: isize) -> bool {
        self.pairs.iter().all(|pair| count(&pair.ours) * theirs == count(&pair.theirs) * ours)
    }
}

fn signed(value: usize) -> isize {
    isize::try_from(value).unwrap_or(isize::MAX)
}

fn count(indent: &str) -> isize {
    signed(indent.chars().count())
}

fn rounded(value: isize, by: isize) -> isize {
    let (value, by) = if by < 0 { (-value, -by) } else { (value, by.max(1)) };
    (2 * value + by * value.signum()) / (2 * by)
}

/// How far an indent reaches, a tab as four columns.
fn width(indent: &str) -> usize {
    indent.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// The white space that a line begins with.
pub(crate) fn lead(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t', '\u{a0}', '\u{3000}']).len()]
}

fn leads(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty()).map(lead)
}

/// Whether more lines begin with a tab than with spaces; a single one is part of a comment.
fn mostly_tabs(text: &str) -> bool {
    let tabs = leads(text).filter(|lead| lead.starts_with('\t')).count();
    tabs > leads(text).filter(|lead| lead.starts_with("  ")).count()
}

/// How often space indents grow by how much, and how many lines are how deep.
struct Steps {
    grown: [usize; MOST_STEP + 1],
    lines: [usize; MOST_STEP + 1],
}

/// No step is wider.
const MOST_STEP: usize = 8;

fn steps<'t>(leads: impl Iterator<Item = &'t str>) -> Steps {
    let mut steps = Steps { grown: [0; MOST_STEP + 1], lines: [0; MOST_STEP + 1] };
    let mut before = None;
    for lead in leads.filter(|lead| !lead.contains('\t')) {
        let wide = lead.len();
        if let Some(count) = steps.lines.get_mut(wide) {
            *count += 1;
        }
        if let Some(step) = before.and_then(|before| wide.checked_sub(before))
            && (2..=MOST_STEP).contains(&step)
        {
            steps.grown[step] += 1;
        }
        before = Some(wide);
    }
    steps
}

impl Steps {
    /// The most usual step between neighbours.
    fn usual(&self) -> Option<usize> {
        let usual = (2..=MOST_STEP).max_by_key(|step| (self.grown[*step], MOST_STEP - step));
        usual.filter(|step| self.grown[*step] > 0)
    }
}

/// The step by which space indents grow: the most usual one between neighbours.
fn unit<'t>(leads: impl Iterator<Item = &'t str>) -> usize {
    const ENOUGH: usize = 3;
    let steps = steps(leads);
    let usual = steps.usual().unwrap_or(4);
    // No step is wider than the lines that are the least deep.
    let least = (2..usual).step_by(2).find(|wide| steps.lines[*wide] >= ENOUGH);
    least.unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indents(pairs: &[(&str, &str)], file: &str) -> Indents {
        let pairs = pairs
            .iter()
            .enumerate()
            .map(|(token, (theirs, ours))| Pair {
                token,
                theirs: (*theirs).to_owned(),
                ours: (*ours).to_owned(),
            })
            .collect();
        Indents::new(pairs, ["", ""], file)
    }

    #[test]
    fn a_known_indent_is_the_nearest_line_with_it() {
        let map = indents(&[("", "    "), ("", "        ")], "");
        assert_eq!(map.ours("", 0), "    ");
        assert_eq!(map.ours("", 5), "        ");
    }

    #[test]
    fn deeper_and_shallower_lines_follow() {
        let map = indents(&[("", "        ")], "");
        assert_eq!(map.ours("    ", 0), "            ");
        let map = indents(&[("    ", "  ")], "");
        assert_eq!(map.ours("", 0), "");
    }

    #[test]
    fn tabs_and_spaces_are_converted() {
        let map = indents(&[("    ", "\t"), ("        ", "\t\t")], "");
        assert_eq!(map.ours("            ", 1), "\t\t\t");
        let map = indents(&[("\t", "  "), ("\t\t", "    ")], "");
        assert_eq!(map.ours("\t\t\t", 1), "      ");
        let map = indents(&[("  ", "\t"), ("    ", "\t\t")], "");
        assert_eq!(map.ours("      ", 1), "\t\t\t");
    }

    #[test]
    fn other_units_are_scaled() {
        let map = indents(&[("  ", "    "), ("    ", "        ")], "");
        assert_eq!(map.ours("      ", 1), "            ");
    }

    #[test]
    fn lines_that_were_only_moved_are_not_scaled() {
        let pair = |token| Pair { token, theirs: "  ".to_owned(), ours: "    ".to_owned() };
        let texts = ["  a\n  b\n  c", "  a\n  if x {\n      y\n  }\n  b\n  c"];
        let map = Indents::new(vec![pair(0), pair(1)], texts, "a\n    b\n        c\n");
        assert_eq!(map.ours("      ", 0), "        ");
        let texts = ["  a\n  b\n  c", "  a\n  if x {\n    y\n  }\n  b\n  c"];
        let map = Indents::new(vec![pair(0), pair(1)], texts, "a\n    b\n        c\n");
        assert_eq!(map.ours("    ", 0), "        ");
    }

    #[test]
    fn without_a_sample_the_file_decides() {
        let map = indents(&[("", "")], "a\n\tb\n");
        assert_eq!(map.ours("    ", 0), "\t");
        let map = indents(&[("", "")], "a\n  b\n    c\n");
        assert_eq!(map.ours("\t", 0), "  ");
        assert_eq!(map.ours("    ", 0), "    ");
    }
}
