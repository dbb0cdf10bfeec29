//! Three bytes of each literal, in groups that let through little.

use super::WIDTH;

/// What literals are made of, the most common in programs and prose first.
const COMMON: &[u8] = b" etsrnaoildcfupmh:._gbw/ykvx-01zjq24863597~";
/// How many groups there are.
const GROUPS: usize = 16;

/// Three bytes, in lower case; the last one is any where a literal has no more than two.
type Bytes = (u8, u8, Option<u8>);

/// Some of the chosen bytes.
#[derive(Clone, Default)]
pub(super) struct Group {
    members: Vec<Bytes>,
    halves: Halves,
    commonness: f64,
}

/// Which lower and which upper halves of bytes occur at each place, as bits.
#[derive(Clone, Copy, Default)]
struct Halves([[u16; 2]; WIDTH]);

impl Group {
    /// Which lower and which upper halves of bytes its members have at a place, as bits.
    pub(super) fn halves_at(&self, place: usize) -> [u16; 2] {
        self.halves.0[place]
    }

    /// All three bytes of each member.
    pub(super) fn all_bytes(&self) -> impl Iterator<Item = [u8; WIDTH]> {
        self.members.iter().flat_map(|&(first, second, third)| {
            let thirds = third.map_or(0..=u8::MAX, |third| third..=third);
            thirds.map(move |third| [first, second, third])
        })
    }

    fn add(&mut self, bytes: Bytes) {
        self.members.push(bytes);
        self.halves = self.halves.with(bytes);
        self.commonness = self.halves.commonness();
    }

    /// How much more often it lets a place through with these.
    fn cost_of(&self, bytes: Bytes) -> f64 {
        self.halves.with(bytes).commonness() - self.commonness
    }
}

impl Halves {
    fn with(mut self, (first, second, third): Bytes) -> Self {
        for (halves, byte) in self.0.iter_mut().zip([Some(first), Some(second), third]) {
            let Some(byte) = byte else {
                *halves = [u16::MAX; 2];
                continue;
            };
            for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
                halves[0] |= 1 << (byte & 15);
                halves[1] |= 1 << (byte >> 4);
            }
        }
        self
    }

    /// How often a place is let through, compared with others. By halves of bytes, that is also
    /// what no member has.
    fn commonness(&self) -> f64 {
        self.0.iter().map(|[low, high]| commonness_of(*low, *high)).product()
    }
}

fn commonness_of(low: u16, high: u16) -> f64 {
    let has = |halves: u16, half: usize| halves >> half & 1 != 0;
    let highs = (0..16).filter(|half| has(high, *half));
    highs
        .map(|row| {
            (0..16).filter(|half| has(low, *half)).map(|half| WEIGHTS[row * 16 + half]).sum::<f64>()
        })
        .sum()
}

/// How common each byte is, compared with others.
static WEIGHTS: [f64; 256] = weights();

const fn weights() -> [f64; 256] {
    let mut weights = [0.0; 256];
    let mut place = 0;
    let mut rarity = 2.0;
    while place < COMMON.len() {
        let weight = 1.0 / rarity;
        rarity += 1.0;
        weights[COMMON[place] as usize] = weight;
        weights[COMMON[place].to_ascii_uppercase() as usize] = weight;
        place += 1;
    }
    weights
}

/// The groups for literals in lower case; none where one is too short.
pub(super) fn groups_of<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<Vec<Group>> {
    let chosen: Option<Vec<Bytes>> = words.into_iter().map(rarest).collect();
    let mut chosen = chosen?;
    // The most common ones first: they may choose.
    chosen.sort_by(|one, other| weight(*other).total_cmp(&weight(*one)).then(one.cmp(other)));
    chosen.dedup();
    let mut groups = vec![Group::default(); GROUPS];
    for bytes in chosen {
        let costs = groups.iter_mut().map(|group| (group.cost_of(bytes), group));
        costs.min_by(|one, other| one.0.total_cmp(&other.0))?.1.add(bytes);
    }
    Some(groups)
}

/// The three bytes of a literal that occur least.
fn rarest(word: &str) -> Option<Bytes> {
    match *word.as_bytes() {
        [] | [_] => None,
        [first, second] => Some((first, second, None)),
        ref longer => {
            let all = longer.windows(WIDTH).map(|bytes| (bytes[0], bytes[1], Some(bytes[2])));
            all.min_by(|one, other| weight(*one).total_cmp(&weight(*other)))
        }
    }
}

fn weight((first, second, third): Bytes) -> f64 {
    let weight = |byte: u8| WEIGHTS[usize::from(byte)];
    weight(first) * weight(second) * third.map_or(1.0, weight)
}
