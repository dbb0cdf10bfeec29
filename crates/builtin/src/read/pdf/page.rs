//! What a page draws: only its letters are followed, with all that moves them.

use std::rc::Rc;
use std::sync::Arc;

use dogu_tool::CancelFlag;
use hayro_font::hayro_cmap::{BfString, load_embedded};
use hayro_font::kurbo::{Affine, Point};
use hayro_font::{
    CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, UNITS_PER_EM,
};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use hayro_syntax::page::{Page, Resources};

use super::line::{Lines, Placed};

/// How deep drawings may be in each other.
const MAX_DEPTH: usize = 12;
/// How many states are saved at a time.
const MAX_STATES: usize = 256;
/// How many steps pass between two looks at whether the call was canceled.
const STEPS_PER_LOOK: u64 = 1_024;

/// The text of a page, as it is drawn.
pub(super) struct PageText<'p, 'a> {
    fonts: &'p FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    cancel: &'p CancelFlag,
    steps: &'p mut u64,
    lines: Lines,
    state: State<'a>,
    saved: Vec<State<'a>>,
    matrix: Affine,
    line_matrix: Affine,
    unknown: u64,
}

/// What is saved and restored.
#[derive(Clone)]
struct State<'a> {
    transform: Affine,
    font: Option<Rc<Font<'a>>>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

impl<'p, 'a> PageText<'p, 'a> {
    pub(super) fn new(
        fonts: &'p FontCache<'a>,
        cancel: &'p CancelFlag,
        steps: &'p mut u64,
    ) -> Self {
        let state = State {
            transform: Affine::IDENTITY,
            font: None,
            size: 1.0,
            letter_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        Self {
            fonts,
            font_resolver: Arc::new(|query| {
                Some(match query {
                    FontQuery::Standard(font) => font.get_font_data(),
                    FontQuery::Fallback(query) => query.pick_standard_font().get_font_data(),
                })
            }),
            cmap_resolver: Arc::new(load_embedded),
            cancel,
            steps,
            lines: Lines::default(),
            state,
            saved: Vec::new(),
            matrix: Affine::IDENTITY,
            line_matrix: Affine::IDENTITY,
            unknown: 0,
        }
    }

    pub(super) fn draw(&mut self, page: &Page<'a>) {
        let content = page.page_stream().unwrap_or_default();
        self.follow(content, page.resources(), 0);
    }

    /// How many letters nobody can tell.
    pub(super) fn unknown(&self) -> u64 {
        self.unknown
    }

    pub(super) fn finish(self) -> Vec<String> {
        self.lines.finish()
    }

    fn follow(&mut self, content: &[u8], resources: &Resources<'a>, depth: usize) {
        let mut steps = TypedIter::new(content);
        while let Some(step) = steps.next() {
            if !self.goes_on() {
                return;
            }
            self.step(&step, resources, depth);
        }
    }

    /// Counts a step; false where it was the last.
    fn goes_on(&mut self) -> bool {
        *self.steps = self.steps.saturating_sub(1);
        if self.steps.is_multiple_of(STEPS_PER_LOOK) && self.cancel.is_canceled() {
            return false;
        }
        *self.steps > 0
    }

    fn step(&mut self, step: &TypedInstruction<'_, '_>, resources: &Resources<'a>, depth: usize) {
        match step {
            TypedInstruction::SaveState(_) if self.saved.len() < MAX_STATES => {
                self.saved.push(self.state.clone());
            }
            TypedInstruction::RestoreState(_) => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            TypedInstruction::Transform(t) => {
                self.state.transform *= affine([&t.0, &t.1, &t.2, &t.3, &t.4, &t.5]);
            }
            TypedInstruction::XObject(drawing) => {
                if let Some(drawing) = resources.get_x_object(drawing.0) {
                    self.drawing(&drawing, resources, depth + 1);
                }
            }
            other => self.text_step(other, resources),
        }
    }

    fn text_step(&mut self, step: &TypedInstruction<'_, '_>, resources: &Resources<'a>) {
        match step {
            TypedInstruction::BeginText(_) => self.set_line(Affine::IDENTITY),
            TypedInstruction::SetTextMatrix(m) => {
                self.set_line(affine([&m.0, &m.1, &m.2, &m.3, &m.4, &m.5]));
            }
            TypedInstruction::TextFont(font) => {
                let found = resources.get_font(font.0);
                let font_of = |dict: Dict<'a>| {
                    self.fonts.font(&dict, &self.font_resolver, &self.cmap_resolver)
                };
                self.state.font = found.and_then(font_of).map(Rc::new);
                self.state.size = font.1.as_f64();
            }
            TypedInstruction::CharacterSpacing(space) => self.state.letter_space = space.0.as_f64(),
            TypedInstruction::WordSpacing(space) => self.state.word_space = space.0.as_f64(),
            TypedInstruction::HorizontalScaling(scale) => {
                self.state.scale = scale.0.as_f64() / 100.0;
            }
            TypedInstruction::TextLeading(leading) => self.state.leading = leading.0.as_f64(),
            TypedInstruction::TextRise(rise) => self.state.rise = rise.0.as_f64(),
            TypedInstruction::NextLine(to) => self.next_line(to.0.as_f64(), to.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(to) => {
                self.state.leading = -to.1.as_f64();
                self.next_line(to.0.as_f64(), to.1.as_f64());
            }
            TypedInstruction::NextLineUsingLeading(_) => self.next_line(0.0, -self.state.leading),
            TypedInstruction::ShowText(text) => self.show(text.0),
            TypedInstruction::NextLineAndShowText(text) => {
                self.next_line(0.0, -self.state.leading);
                self.show(text.0);
            }
            TypedInstruction::ShowTextWithParameters(text) => {
                self.state.word_space = text.0.as_f64();
                self.state.letter_space = text.1.as_f64();
                self.next_line(0.0, -self.state.leading);
                self.show(text.2);
            }
            TypedInstruction::ShowTexts(texts) => self.show_all(texts.0),
            _ => {}
        }
    }

    /// A drawing with resources of its own.
    fn drawing(&mut self, drawing: &Stream<'a>, outer: &Resources<'a>, depth: usize) {
        let dict = drawing.dict();
        let form = dict.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Form");
        if !form || depth > MAX_DEPTH {
            return;
        }
        let Ok(content) = drawing.decoded_data() else { return };
        let (state, saved) = (self.state.clone(), std::mem::take(&mut self.saved));
        let (matrix, line_matrix) = (self.matrix, self.line_matrix);
        if let Some(matrix) = dict.get::<Array<'_>>("Matrix") {
            let numbers: Vec<f64> = matrix.iter::<f64>().take(6).collect();
            if let Ok(numbers) = <[f64; 6]>::try_from(numbers) {
                self.state.transform *= Affine::new(numbers);
            }
        }
        match dict.get::<Dict<'a>>("Resources") {
            Some(own) => self.follow(&content, &Resources::new(own), depth),
            None => self.follow(&content, outer, depth),
        }
        (self.state, self.saved) = (state, saved);
        (self.matrix, self.line_matrix) = (matrix, line_matrix);
    }

    fn set_line(&mut self, matrix: Affine) {
        self.matrix = matrix;
        self.line_matrix = matrix;
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.set_line(self.line_matrix * Affine::translate((x, y)));
    }

    fn show_all(&mut self, texts: &Array<'_>) {
        for object in texts.iter::<Object<'_>>() {
            match object {
                Object::Number(back) => {
                    let moved = -back.as_f64() / 1_000.0 * self.state.size;
                    let across = self.state.font.as_ref().is_none_or(|font| font.is_horizontal());
                    self.advance(moved, across);
                }
                Object::String(text) => self.show(text.as_bytes()),
                _ => {}
            }
        }
    }

    fn advance(&mut self, by: f64, across: bool) {
        let by = if across { (by * self.state.scale, 0.0) } else { (0.0, by) };
        self.matrix *= Affine::translate(by);
    }

    fn show(&mut self, text: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        let mut at = 0;
        while at < text.len() && self.goes_on() {
            let (code, length) = font.read_code(text, at);
            at += length.max(1);
            self.letter(&font, code, length);
        }
    }

    fn letter(&mut self, font: &Font<'a>, code: u32, length: usize) {
        let start = self.place();
        let across = font.is_horizontal();
        let advance = font.code_advance(code);
        let width = if across { advance.x } else { advance.y };
        let space = if code == 32 && length == 1 { self.state.word_space } else { 0.0 };
        let moved = width / f64::from(UNITS_PER_EM) * self.state.size;
        self.advance(moved, across);
        let end = self.place();
        self.advance(self.state.letter_space + space, across);
        let text = self.text(font, code);
        if text.is_empty() {
            return;
        }
        let full = self.state.transform * self.matrix;
        let [a, b, c, d, ..] = full.as_coeffs();
        let size = self.state.size.abs() * c.hypot(d);
        // Along the direction of the writing and across it, so that turned text has lines too.
        let (along, length) = if across { ((a, b), a.hypot(b)) } else { ((-c, -d), c.hypot(d)) };
        let unit = if length > 0.0 { (along.0 / length, along.1 / length) } else { (1.0, 0.0) };
        let on = |point: Point| point.x * unit.0 + point.y * unit.1;
        let off = |point: Point| point.y * unit.0 - point.x * unit.1;
        self.lines.add(Placed { text, x: on(start), y: off(start), end: on(end), size });
    }

    fn place(&self) -> Point {
        self.state.transform * self.matrix * Point::new(0.0, self.state.rise)
    }

    fn text(&mut self, font: &Font<'a>, code: u32) -> String {
        let unicode = match font.glyph(font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        match unicode {
            Some(BfString::Char(letter)) => spelled(letter),
            Some(BfString::String(letters)) => letters.chars().map(spelled).collect(),
            None => {
                self.unknown += 1;
                "\u{fffd}".to_owned()
            }
        }
    }
}

/// Ligatures as the letters that they are of, and no sign that ends a line.
fn spelled(letter: char) -> String {
    match letter {
        '\u{fb00}' => "ff".to_owned(),
        '\u{fb01}' => "fi".to_owned(),
        '\u{fb02}' => "fl".to_owned(),
        '\u{fb03}' => "ffi".to_owned(),
        '\u{fb04}' => "ffl".to_owned(),
        '\u{a0}' => " ".to_owned(),
        '\u{ad}' => "-".to_owned(),
        control if control.is_control() => String::new(),
        other => other.to_string(),
    }
}

fn affine(numbers: [&Number; 6]) -> Affine {
    Affine::new(numbers.map(Number::as_f64))
}
