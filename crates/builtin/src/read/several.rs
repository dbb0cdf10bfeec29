//! Several files in one call, each with its own answer: what is wrong with one is said of that
//! one, and the others are read.

use dogu_tool::{Action, Content, Ctx, ErrorCode, Output, ToolError};

use super::file::{self, View};
use super::input::Wanted;
use super::{MAX_TEXT_BYTES, MAX_TOTAL_IMAGE_BYTES};

/// What stands around the text of a file, and a note or two.
const FRAME_BYTES: usize = 200;

/// Reads the files one by one. Each passes the gate by itself: declared together, the one that
/// is refused would refuse all.
pub(super) async fn read(files: &[Wanted], ctx: &Ctx) -> Result<Output, ToolError> {
    let mut granted = Vec::with_capacity(files.len());
    for wanted in files {
        let path = ctx.scope().resolve(&wanted.path);
        granted.push(match ctx.request(vec![Action::read(&path)]).await {
            Ok(()) => Ok(ctx.files().facts(&path).ok().flatten().map_or(0, |facts| facts.size)),
            Err(error) => Err(error),
        });
    }
    let sizes: Vec<u64> = granted.iter().map(|size| *size.as_ref().unwrap_or(&0)).collect();
    let budgets = shares(&sizes, MAX_TEXT_BYTES);
    let mut answer = Answer::default();
    for ((wanted, granted), budget) in files.iter().zip(granted).zip(budgets) {
        let view = granted.and_then(|_| file::read(wanted, budget, ctx));
        if let Err(error) = &view
            && error.code() == ErrorCode::Canceled
        {
            return Err(ToolError::canceled());
        }
        answer.add(&wanted.path, view.map_err(|error| reason(&error, ctx)));
    }
    Ok(answer.finish())
}

/// What is wrong with one file, on one line.
fn reason(error: &ToolError, ctx: &Ctx) -> String {
    let info = error.info();
    // Which tool was refused is known to whoever called it.
    let refused = format!("Permission denied for tool: {}: ", ctx.spec().name);
    let message = info.message.strip_prefix(&refused).unwrap_or(&info.message);
    match &info.suggestion {
        Some(suggestion) => format!("{}. {suggestion}", message.trim_end_matches('.')),
        None => message.to_owned(),
    }
}

/// The answers so far: text, and pictures behind the text that they belong to.
#[derive(Default)]
struct Answer {
    text: String,
    content: Vec<Content>,
    image_bytes: usize,
}

impl Answer {
    fn add(&mut self, path: &str, view: Result<View, String>) {
        let path = attribute(path);
        match view {
            Ok(mut view) => {
                if !view.text.ends_with('\n') {
                    view.text.push('\n');
                }
                self.text.push_str(&format!("<file path=\"{path}\">\n{}", view.text));
                let image = view.image.and_then(|image| self.fitting(image));
                self.text.push_str("</file>\n");
                if let Some(image) = image {
                    self.content.push(Content::text(std::mem::take(&mut self.text)));
                    self.content.push(image);
                }
            }
            Err(reason) => {
                let block = format!("<file path=\"{path}\"><error>{reason}</error></file>\n");
                self.text.push_str(&block);
            }
        }
    }

    /// The picture, if there is room for one more.
    fn fitting(&mut self, image: Content) -> Option<Content> {
        let Content::Image { data, .. } = &image else { return Some(image) };
        if self.image_bytes + data.len() > MAX_TOTAL_IMAGE_BYTES {
            self.text.push_str("(left out: too many images in one call; read it by itself)\n");
            return None;
        }
        self.image_bytes += data.len();
        Some(image)
    }

    fn finish(mut self) -> Output {
        if !self.text.is_empty() {
            self.content.push(Content::text(self.text));
        }
        Output::of(self.content)
    }
}

/// A path between quotes.
fn attribute(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for letter in path.chars() {
        match letter {
            '"' => text.push_str("&quot;"),
            '<' => text.push_str("&lt;"),
            '&' => text.push_str("&amp;"),
            control if control.is_control() => text.extend(control.escape_default()),
            plain => text.push(plain),
        }
    }
    text
}

/// Shares out room: a small file gets all that it can need, and the others share the rest.
fn shares(sizes: &[u64], total: usize) -> Vec<usize> {
    // Numbers of lines make the text longer than the file; most of all where lines are empty.
    let need = |size: u64| usize::try_from(size).unwrap_or(total).saturating_mul(2).min(total);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|at| sizes[*at]);
    let mut room = total.saturating_sub(sizes.len() * FRAME_BYTES);
    let mut shares = vec![0; sizes.len()];
    for (done, at) in order.into_iter().enumerate() {
        shares[at] = need(sizes[at]).min(room / (sizes.len() - done));
        room -= shares[at];
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_get_what_they_need_and_large_ones_share_the_rest() {
        assert_eq!(shares(&[10, 1 << 30, 1 << 30], 10_000), [20, 4_690, 4_690]);
        assert_eq!(shares(&[1 << 40, 0], 10_000), [9_600, 0]);
        assert!(shares(&[], 10).is_empty());
        let many = shares(&[1 << 20; 50], MAX_TEXT_BYTES);
        assert!(
            many.iter().all(|share| *share > 1_000) && many.iter().sum::<usize>() < MAX_TEXT_BYTES
        );
    }

    #[test]
    fn a_name_cannot_end_its_attribute() {
        assert_eq!(attribute("a\"><error>\n&"), "a&quot;>&lt;error>\\n&amp;");
    }
}
