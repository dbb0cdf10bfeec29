//! Logging in at a server over HTTP: authorization code with PKCE, client credentials, and what
//! becomes of a login afterwards.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod refresh;
mod service;

use std::os::unix::fs::PermissionsExt as _;

use dogu_gateway::{ConnectError, LoginError};
use dogu_runtime::mcp::OAuthSettings;

use service::{Process, service};

#[tokio::test]
async fn a_person_logs_in_once_and_the_token_is_kept_private() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let first = Process::new(folder.path(), &service, None);
    let failed = first.gateway.load().await;
    assert!(matches!(failed[0].1, ConnectError::Login(Some(_))), "{failed:?}");
    first.log_in(&service).await;
    assert_eq!(first.gateway.load().await, []);
    assert!(first.runtime.registry().snapshot().contains("s__ping"));
    let kept = std::fs::read_dir(folder.path().join("state/logins")).unwrap();
    let kept: Vec<_> = kept.map(|file| file.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(std::fs::metadata(&kept[0]).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&kept[0]).unwrap().contains("token-1"));
    let redirect = service.redirect.lock().unwrap().clone().unwrap();
    assert!(redirect.starts_with("http://127.0.0.1:"), "{redirect}");
    assert!(reqwest::get(&redirect).await.is_err(), "nothing listens there any more");
    // The next process needs no person.
    let second = Process::new(folder.path(), &service, None);
    assert!(second.gateway.check("s").await.unwrap().tools.is_some());
    assert_eq!(service.granted(), ["authorization_code"]);
    task.abort();
}

fn own_credentials() -> OAuthSettings {
    OAuthSettings {
        client_id: Some("me".to_owned()),
        client_secret: Some("secret".to_owned()),
        client_credentials: true,
        ..OAuthSettings::default()
    }
}

#[tokio::test]
async fn a_client_with_credentials_of_its_own_needs_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let process = Process::new(folder.path(), &service, Some(own_credentials()));
    assert_eq!(process.gateway.load().await, []);
    assert!(process.runtime.registry().snapshot().contains("s__ping"));
    assert_eq!(service.granted(), ["client_credentials"]);
    task.abort();
}

#[tokio::test]
async fn what_cannot_be_logged_in_at_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let half = OAuthSettings { client_credentials: true, ..OAuthSettings::default() };
    let gateway = Process::new(folder.path(), &service, Some(half)).gateway;
    let error = gateway.login("s", |_| {}).await.unwrap_err();
    assert!(matches!(error, LoginError::NoCredentials), "{error}");
    let error = gateway.login("t", |_| {}).await.unwrap_err();
    assert!(matches!(error, LoginError::NoServer(_)), "{error}");
    task.abort();
}
