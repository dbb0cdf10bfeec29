//! The choice of the protocol, row P3.

use dogu_protocol::Protocol::{Native, Xml};
use dogu_protocol::choose;

#[test]
fn p3_explicit_then_model_then_xml() {
    let table = [
        (None, Some(false), Xml),
        (None, Some(true), Native),
        (None, None, Xml),
        (Some(Native), Some(false), Native),
        (Some(Native), Some(true), Native),
        (Some(Native), None, Native),
        (Some(Xml), Some(false), Xml),
        (Some(Xml), Some(true), Xml),
        (Some(Xml), None, Xml),
    ];
    for (explicit, supported, chosen) in table {
        assert_eq!(choose(explicit, supported), chosen, "{explicit:?}, {supported:?}");
    }
}

#[test]
fn p3_a_setting_is_written_in_lower_case() {
    assert_eq!(serde_json::to_string(&Native).unwrap(), "\"native\"");
    assert_eq!(serde_json::from_str::<dogu_protocol::Protocol>("\"xml\"").unwrap(), Xml);
}
