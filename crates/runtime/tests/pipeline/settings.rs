//! Settings files.

use std::path::Path;

use dogu_runtime::{Audit, Settings};

fn parse(text: &str) -> Result<Settings, String> {
    Settings::parse(text, Path::new("dogu.yaml")).map_err(|error| error.to_string())
}

#[test]
fn a_typo_is_told_with_line_and_column() {
    let error = parse("audit: required\nlimits:\n  timeout_second: 3\n").unwrap_err();
    assert!(error.starts_with("settings dogu.yaml:3:3: "), "{error}");
    assert!(error.contains("timeout_second"), "{error}");
    let value = parse("audit: sometimes\n").unwrap_err();
    assert!(value.starts_with("settings dogu.yaml:1:8: "), "{value}");
    let syntax = parse("audit: [\n").unwrap_err();
    assert!(syntax.starts_with("settings dogu.yaml:"), "{syntax}");
    let duplicate = parse("audit: required\naudit: best_effort\n").unwrap_err();
    assert!(duplicate.starts_with("settings dogu.yaml:2:"), "{duplicate}");
}

#[test]
fn an_empty_or_absent_file_says_nothing() {
    assert_eq!(parse("").unwrap(), Settings::default());
    assert_eq!(parse("# only a comment\n").unwrap(), Settings::default());
    assert_eq!(Settings::load(Some(Path::new("/no/such")), None).unwrap(), Settings::default());
}

#[test]
fn a_project_can_only_tighten() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let user = write(
        "user.yaml",
        "audit: required\nlimits: {timeout_seconds: 60}\ntools: {a: {enabled: false, settings: {x: 1}}}",
    );
    let project = write(
        "dogu.yaml",
        "audit: best_effort\nlimits: {timeout_seconds: 600, result_bytes: 10, identical_calls: 5}\ntools: {a: {enabled: true, max_executions: 2, settings: {x: 2}}}",
    );
    let settings = Settings::load(Some(&user), Some(&project)).unwrap();
    assert_eq!(settings.audit, Audit::Required);
    assert_eq!(settings.limits.timeout_seconds, 60);
    assert_eq!(settings.limits.result_bytes, 10);
    assert_eq!(settings.limits.identical_calls, 5);
    let tool = settings.tool("a").unwrap();
    assert!(!tool.enabled);
    assert_eq!(tool.max_executions, Some(2));
    assert_eq!(tool.settings, serde_json::json!({"x": 1}));
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let error = Settings::load(Some(folder.path()), None).unwrap_err();
    assert!(error.to_string().contains(folder.path().to_str().unwrap()));
}
