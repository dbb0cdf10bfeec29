//! What `serde_json` alone needs for the same documents: into a [`Value`], and into the leanest
//! types that still find every piece of the arguments, escaped or not, and whose it is.

use std::borrow::Cow;
use std::hint::black_box;

use dogu_protocol::Provider;
use serde::Deserialize;
use serde_json::Value;

/// Reads each document into a tree.
pub(crate) fn values(documents: &[String]) {
    for document in documents {
        black_box(serde_json::from_str::<Value>(document).unwrap());
    }
}

/// Reads each document into types.
pub(crate) fn typed(provider: Provider, documents: &[String]) {
    match provider {
        Provider::OpenAi => each::<openai::Chunk<'_>>(documents),
        Provider::Responses => each::<responses::Event<'_>>(documents),
        Provider::Anthropic => each::<anthropic::Event<'_>>(documents),
        Provider::Gemini => each::<gemini::Chunk<'_>>(documents),
    }
}

fn each<'a, T: Deserialize<'a>>(documents: &'a [String]) {
    for document in documents {
        black_box(serde_json::from_str::<T>(document).unwrap());
    }
}

/// A text, borrowed where it has no escapes.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[expect(dead_code, reason = "it is only measured")]
mod openai {
    use super::{Deserialize, Text};

    #[derive(Deserialize)]
    pub(super) struct Chunk<'a> {
        #[serde(borrow)]
        choices: Vec<Choice<'a>>,
    }

    #[derive(Deserialize)]
    struct Choice<'a> {
        #[serde(borrow)]
        delta: Delta<'a>,
    }

    #[derive(Deserialize)]
    struct Delta<'a> {
        #[serde(borrow, default)]
        tool_calls: Vec<Call<'a>>,
    }

    #[derive(Deserialize)]
    struct Call<'a> {
        index: usize,
        #[serde(borrow)]
        function: Function<'a>,
    }

    #[derive(Deserialize)]
    struct Function<'a> {
        #[serde(borrow)]
        arguments: Text<'a>,
    }
}

#[expect(dead_code, reason = "it is only measured")]
mod responses {
    use super::{Deserialize, Text};

    #[derive(Deserialize)]
    pub(super) struct Event<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        output_index: Option<usize>,
        #[serde(borrow, default)]
        delta: Text<'a>,
    }
}

#[expect(dead_code, reason = "it is only measured")]
mod anthropic {
    use super::{Deserialize, Text};

    #[derive(Deserialize)]
    pub(super) struct Event<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        index: Option<usize>,
        #[serde(borrow, default)]
        delta: Delta<'a>,
    }

    #[derive(Default, Deserialize)]
    struct Delta<'a> {
        #[serde(borrow, default)]
        partial_json: Text<'a>,
    }
}

#[expect(dead_code, reason = "it is only measured")]
mod gemini {
    use super::{Deserialize, Text};

    #[derive(Deserialize)]
    pub(super) struct Chunk<'a> {
        #[serde(borrow)]
        candidates: Vec<Candidate<'a>>,
    }

    #[derive(Deserialize)]
    struct Candidate<'a> {
        #[serde(borrow)]
        content: Content<'a>,
    }

    #[derive(Deserialize)]
    struct Content<'a> {
        #[serde(borrow)]
        parts: Vec<Part<'a>>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Part<'a> {
        #[serde(borrow)]
        function_call: Call<'a>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Call<'a> {
        #[serde(borrow, default)]
        partial_args: Vec<Piece<'a>>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Piece<'a> {
        #[serde(borrow)]
        json_path: Text<'a>,
        #[serde(borrow)]
        string_value: Text<'a>,
    }
}
