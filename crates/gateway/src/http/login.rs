//! The token of a login: kept fresh, and fetched once however many requests need it.

use std::sync::Arc;

use dogu_tool::BoxFuture;
use rmcp::transport::auth::{AuthError, AuthorizationManager};
use tokio::sync::Mutex;

use crate::oauth::LoginError;

/// Logs in again by what the settings say, without a person.
type Again =
    dyn Fn() -> BoxFuture<'static, Result<Option<AuthorizationManager>, LoginError>> + Send + Sync;

/// A login at one server; clones share it.
#[derive(Clone)]
pub(crate) struct Login {
    manager: Arc<Mutex<AuthorizationManager>>,
    again: Option<Arc<Again>>,
}

impl Login {
    pub(crate) fn new(manager: AuthorizationManager) -> Self {
        Self { manager: Arc::new(Mutex::new(manager)), again: None }
    }

    /// The same for a login that needs no person.
    pub(crate) fn or_again(mut self, again: Arc<Again>) -> Self {
        self.again = Some(again);
        self
    }

    /// The token that there is, refreshed where it is about to end; none where somebody has to
    /// log in.
    pub(super) async fn token(&self) -> Result<Option<String>, AuthError> {
        let mut manager = self.manager.lock().await;
        match current(&manager).await? {
            Some(token) => Ok(Some(token)),
            None => self.log_in(&mut manager).await,
        }
    }

    /// Another token than one that the server does not take any more. Of those who come with the
    /// same one, the first fetches it and the others find it.
    pub(super) async fn another(&self, refused: &str) -> Result<Option<String>, AuthError> {
        let mut manager = self.manager.lock().await;
        if let Some(token) = current(&manager).await?
            && token != refused
        {
            return Ok(Some(token));
        }
        let fresh = match manager.refresh_token().await {
            Ok(fresh) => serde_json::to_value(fresh)
                .ok()
                .and_then(|fresh| fresh["access_token"].as_str().map(str::to_owned)),
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => {
                self.log_in(&mut manager).await?
            }
            Err(error) => return Err(error),
        };
        Ok(fresh.filter(|token| token != refused))
    }

    async fn log_in(
        &self,
        manager: &mut AuthorizationManager,
    ) -> Result<Option<String>, AuthError> {
        let Some(again) = &self.again else { return Ok(None) };
        match again().await {
            Ok(Some(new)) => {
                *manager = new;
                current(manager).await
            }
            Ok(None) => Ok(None),
            Err(LoginError::Refused(error)) => Err(error),
            Err(error) => Err(AuthError::AuthorizationFailed(error.to_string())),
        }
    }
}

async fn current(manager: &AuthorizationManager) -> Result<Option<String>, AuthError> {
    match manager.get_access_token().await {
        Ok(token) => Ok(Some(token)),
        Err(AuthError::AuthorizationRequired) => Ok(None),
        Err(error) => Err(error),
    }
}
