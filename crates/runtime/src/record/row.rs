//! A call as it is read back.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dogu_tool::CallStatus;
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Where a recorded call is on its way, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordStatus {
    /// It is complete and being checked.
    Generated,
    /// A person is being asked.
    Waiting,
    /// It runs.
    Calling,
    /// It ended with a result.
    Done,
    /// It ended with an error.
    Errored,
    /// It was given up.
    Canceled,
    /// Its process is gone and left no end.
    Interrupted,
}

impl RecordStatus {
    /// Every status, in the order of a call's life.
    pub const ALL: [Self; 7] = [
        Self::Generated,
        Self::Waiting,
        Self::Calling,
        Self::Done,
        Self::Errored,
        Self::Canceled,
        Self::Interrupted,
    ];

    /// The status as it is written, such as `interrupted`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Waiting => "waiting",
            Self::Calling => "calling",
            Self::Done => "done",
            Self::Errored => "errored",
            Self::Canceled => "canceled",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for RecordStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Not the name of a status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a status; there are generated, waiting, calling, done, errored, canceled and interrupted"
)]
pub struct UnknownStatus(String);

impl FromStr for RecordStatus {
    type Err = UnknownStatus;

    fn from_str(name: &str) -> Result<Self, UnknownStatus> {
        let found = Self::ALL.into_iter().find(|status| status.as_str() == name);
        found.ok_or_else(|| UnknownStatus(name.to_owned()))
    }
}

impl From<CallStatus> for RecordStatus {
    fn from(status: CallStatus) -> Self {
        match status {
            CallStatus::Generating | CallStatus::Generated => Self::Generated,
            CallStatus::Waiting => Self::Waiting,
            CallStatus::Calling => Self::Calling,
            CallStatus::Done => Self::Done,
            CallStatus::Errored => Self::Errored,
            CallStatus::Canceled => Self::Canceled,
        }
    }
}

/// Everything that is stored of one call. As JSON it is stable: snake case, absent fields left
/// out, times in UTC with milliseconds, durations in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallRow {
    /// Grows with every change of any call; see [`super::RecordReader::changes_since`].
    pub revision: i64,
    /// The call's number in the database.
    pub number: i64,
    /// The id of the process's run.
    pub run: String,
    /// The process.
    pub pid: i64,
    /// Where the call is, or how it ended.
    pub status: RecordStatus,
    /// The id that the model's provider gave the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The name that the model used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Where the tool comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Who called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The session's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The turn that the call belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// The trace that the turn belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// It may change something.
    pub may_write: bool,
    /// The arguments, redacted; where they were too long, marks stand in them.
    pub input: Value,
    /// What the call would do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Value>,
    /// What the gate said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Why it said so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Which grant let it run, or who refused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission: Option<String>,
    /// When the call was complete.
    #[serde(serialize_with = "time")]
    pub generated_at: SystemTime,
    /// Since when a person is asked.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_time")]
    pub waiting_at: Option<SystemTime>,
    /// Since when it runs.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_time")]
    pub calling_at: Option<SystemTime>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_time")]
    pub ended_at: Option<SystemTime>,
    /// How long the tool ran.
    #[serde(
        rename = "duration_us",
        skip_serializing_if = "Option::is_none",
        serialize_with = "optional_micros"
    )]
    pub duration: Option<Duration>,
    /// How long a person was waited for.
    #[serde(
        rename = "waited_us",
        skip_serializing_if = "Option::is_none",
        serialize_with = "optional_micros"
    )]
    pub waited: Option<Duration>,
    /// The error's stable word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// What the model was told went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The private causes, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// The middleware that answered in place of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// The beginning of the result, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_preview: Option<String>,
    /// The size of the whole result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_bytes: Option<u64>,
}

/// Entries that were lost: the queue was full, or the database could not be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// The id of the process's run.
    pub run: String,
    /// When recording went on.
    #[serde(serialize_with = "time")]
    pub at: SystemTime,
    /// How many entries (starts, steps and ends) are missing.
    pub lost: u64,
}

pub(super) fn system_time(micros: i64) -> SystemTime {
    let distance = Duration::from_micros(micros.unsigned_abs());
    let time = if micros < 0 {
        UNIX_EPOCH.checked_sub(distance)
    } else {
        UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(UNIX_EPOCH)
}

fn time<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let timestamp = Timestamp::try_from(*time).unwrap_or(Timestamp::UNIX_EPOCH);
    serializer.collect_str(&format_args!("{timestamp:.3}"))
}

#[expect(clippy::ref_option, reason = "the form that serde asks for")]
fn optional_time<S: Serializer>(at: &Option<SystemTime>, to: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => time(at, to),
        None => to.serialize_none(),
    }
}

#[expect(clippy::ref_option, reason = "the form that serde asks for")]
fn optional_micros<S: Serializer>(span: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    match span {
        Some(span) => to.serialize_u64(span.as_micros().try_into().unwrap_or(u64::MAX)),
        None => to.serialize_none(),
    }
}
