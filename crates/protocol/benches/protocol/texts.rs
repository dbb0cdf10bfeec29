//! What the arguments hold: four kinds of text, of any size.

/// What a text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Code with strings, generics and tags, indented, one line after the other.
    Source,
    /// Words without anything to escape.
    Ascii,
    /// Three bytes a letter.
    Korean,
    /// Nearly every second character needs an escape in JSON, and many begin a tag.
    Escaped,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Source, Self::Ascii, Self::Korean, Self::Escaped];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Source => "source code",
            Self::Ascii => "plain ASCII",
            Self::Korean => "Korean",
            Self::Escaped => "escaped",
        }
    }

    /// About `size` bytes of it, cut at a character.
    pub(crate) fn text(self, size: usize) -> String {
        let sample = match self {
            Self::Source => SOURCE,
            Self::Ascii => ASCII,
            Self::Korean => KOREAN,
            Self::Escaped => ESCAPED,
        };
        let mut text = sample.repeat(size / sample.len() + 1);
        text.truncate(text.floor_char_boundary(size));
        text
    }
}

/// A text and where it is cut: in pieces of at most so many bytes, each of whole characters.
pub(crate) struct Cut {
    pub(crate) text: String,
    ends: Vec<usize>,
}

impl Cut {
    pub(crate) fn new(text: String, size: usize) -> Self {
        let (mut ends, mut at) = (Vec::with_capacity(text.len() / size + 1), 0);
        while at < text.len() {
            at = text.floor_char_boundary(at + size);
            ends.push(at);
        }
        Self { text, ends }
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = &str> {
        let mut from = 0;
        self.ends.iter().map(move |end| &self.text[std::mem::replace(&mut from, *end)..*end])
    }
}

const SOURCE: &str = r#"/// The neighbours of a node, nearest first; `limit` of them at most.
pub fn nearest<T: Ord + Clone>(graph: &Graph<T>, from: NodeId, limit: usize) -> Vec<(T, u32)> {
    let mut seen: HashSet<NodeId> = HashSet::from([from]);
    let mut queue = VecDeque::from([(from, 0_u32)]);
    let mut found = Vec::with_capacity(limit.min(1 << 10));
    while let Some((node, steps)) = queue.pop_front() {
        if found.len() >= limit && steps > 3 {
            log::debug!("stopped at {node:?} after {steps} steps\n");
            break;
        }
        for edge in graph.edges(node).filter(|edge| edge.weight < MAX_WEIGHT) {
            if seen.insert(edge.to) {
                found.push((graph.label(edge.to).clone(), steps + 1));
                queue.push_back((edge.to, steps + 1));
            }
        }
    }
    found.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    found
}

export function Row({ item, onOpen }: RowProps): JSX.Element {
  const label = item.done ? "done" : `open since ${item.since}`;
  return (
    <li className={item.done ? "row done" : "row"} key={item.id}>
      <button type="button" onClick={() => onOpen(item.id)}>{label}</button>
    </li>
  );
}

"#;

const ASCII: &str = "The committee met on the second Tuesday of the month and went through the \
    list of open questions one by one. Most of them were settled without a vote, because nobody \
    had brought anything new. What was left over was the question of the bridge, and it was left \
    over again. ";

const KOREAN: &str = "위원회는 매달 둘째 화요일에 모여 남은 문제를 하나씩 살펴보았다. 새로운 의견을 \
    가져온 사람이 없었으므로 대부분은 표결 없이 정리되었다. 남은 것은 다리 문제였고, 이번에도 그대로 \
    남았다. ";

const ESCAPED: &str =
    "\"\\\"<b>\\n\\t</b>\\\"\"\n\t\"C:\\\\a\\\\b\" => '\\'',\r\n\t\t\"\\\\\\\"&lt;\", \"<i>\",\n";
