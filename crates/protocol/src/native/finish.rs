//! How a message ended, and what that means for calls that were still arriving.

/// How a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The provider said that the message is complete: what a call left open may be closed.
    Complete,
    /// The limit of the answer's length was reached.
    LengthLimit,
    /// A content filter or a refusal stopped the model.
    Filtered,
    /// The provider broke off with an error.
    ProviderError,
    /// The stream ended, or gave a reason that is not known, so nobody said that it is complete.
    EndOfStream,
}

impl Finish {
    /// What OpenAI's `finish_reason`, Anthropic's `stop_reason` and Gemini's `finishReason`
    /// mean. One table for all, because servers that speak one provider's format often use
    /// another's words.
    pub(super) fn of_reason(reason: &str) -> Self {
        match reason.to_ascii_lowercase().as_str() {
            "stop" | "tool_calls" | "tool_call" | "function_call" | "tool_use" | "end_turn"
            | "stop_sequence" | "pause_turn" | "completed" | "eos" => Self::Complete,
            "length"
            | "max_tokens"
            | "max_output_tokens"
            | "model_length"
            | "model_context_window_exceeded" => Self::LengthLimit,
            "content_filter" | "refusal" | "safety" | "recitation" | "blocklist"
            | "prohibited_content" | "spii" | "language" | "image_safety" => Self::Filtered,
            "error" | "failed" | "cancelled" | "malformed_function_call" => Self::ProviderError,
            _ => Self::EndOfStream,
        }
    }

    /// What cut a call off, for a sentence that ends with `cut off by …`.
    pub(super) fn cause(self) -> &'static str {
        match self {
            Self::LengthLimit => "the limit of the answer's length",
            Self::Filtered => "the provider's content filter",
            Self::ProviderError => "an error of the provider",
            Self::Complete | Self::EndOfStream => "the end of the stream",
        }
    }

    /// What to ask the model for.
    pub(super) fn repair(self) -> &'static str {
        match self {
            Self::LengthLimit => {
                "Send the call again, in smaller parts: several calls with less text each."
            }
            _ => "Send the call again with its whole arguments.",
        }
    }
}
