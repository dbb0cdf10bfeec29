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
}

impl Group {
    /// Which bytes its members have at a place, whatever their case.
    pub(super) fn bytes_at(&self, place: usize) -> impl Iterator<Item = u8> {
        self.members.iter().flat_map(move |&(first, second, third)| {
            let byte = [Some(first), Some(second), third][place];
            let any = byte.is_none().then_some(0..=u8::MAX).into_iter().flatten();
            any.chain(byte.into_iter().flat_map(cases))
        })
    }

    /// All three bytes of each member.
    pub(super) fn all_bytes(&self) -> impl Iterator<Item = [u8; WIDTH]> {
        self.members.iter().flat_map(|&(first, second, third)| {
            let thirds = third.map_or(0..=u8::MAX, |third| third..=third);
            thirds.map(move |third| [first, second, third])
        })
    }

    fn with(&self, bytes: Bytes) -> Self {
        let mut more = self.clone();
        more.members.push(bytes);
        more
    }

    /// How often it lets a place through, compared with others: by halves of bytes, it also lets
    /// through what none of its members has.
    fn commonness(&self) -> f64 {
        if self.members.is_empty() {
            return 0.0;
        }
        (0..WIDTH).map(|place| self.commonness_at(place)).product()
    }

    fn commonness_at(&self, place: usize) -> f64 {
        let (mut low, mut high) = ([false; 16], [false; 16]);
        for byte in self.bytes_at(place) {
            low[usize::from(byte & 15)] = true;
            high[usize::from(byte >> 4)] = true;
        }
        let passes = |byte: &u8| low[usize::from(byte & 15)] && high[usize::from(byte >> 4)];
        (0..=u8::MAX).filter(passes).map(|byte| WEIGHTS[usize::from(byte)]).sum()
    }
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

fn cases(byte: u8) -> [u8; 2] {
    [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()]
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
        let cost = |group: &Group| group.with(bytes).commonness() - group.commonness();
        let best = (0..GROUPS).min_by(|a, b| cost(&groups[*a]).total_cmp(&cost(&groups[*b])))?;
        groups[best].members.push(bytes);
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
