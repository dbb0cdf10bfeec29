//! Logging in at servers: authorization code with PKCE in the person's browser, or the client's
//! own credentials. Tokens are kept in the state folder, a file for each server that only its
//! owner may read.

mod callback;
mod store;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use dogu_runtime::StateDir;
use dogu_runtime::mcp::{ExpandError, McpServer, OAuthSettings, Place};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, ClientCredentialsConfig,
    CredentialStore as _, OAuthClientConfig, OAuthState, WWWAuthenticateParams,
};

use callback::Callback;
use store::FileStore;

use crate::http::Login;

/// How long a person may take in the browser.
const PATIENCE: Duration = Duration::from_mins(5);
/// What dogu calls itself where it has to register.
const CLIENT_NAME: &str = "dogu";

/// Why nobody is logged in.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// Only servers at an address have a login.
    #[error("`{0}` is started as a program; it gets what it needs by `env`")]
    NoAddress(String),
    /// There is no such server.
    #[error("there is no server `{0}` in the settings")]
    NoServer(String),
    /// There is no state folder.
    #[error("there is no place to keep a login")]
    NoPlace,
    /// A variable is missing.
    #[error(transparent)]
    Expand(#[from] ExpandError),
    /// The browser could not come back.
    #[error("the browser could not come back to this machine")]
    Callback(#[source] std::io::Error),
    /// Nobody came back.
    #[error("nobody logged in within {} minutes", PATIENCE.as_secs() / 60)]
    TooLate,
    /// Client credentials without the one or the other.
    #[error("`oauth` needs a `client_id` and a `client_secret` for `client_credentials`")]
    NoCredentials,
    /// The server or its authorization server said no.
    #[error("the login failed")]
    Refused(#[from] AuthError),
}

/// Where logins are kept.
#[derive(Clone, Debug)]
pub struct Logins {
    folder: PathBuf,
}

impl Logins {
    /// Those of a state folder; none where no folder for them can be made.
    pub fn open(state: &StateDir) -> Option<Self> {
        state.folder("logins").ok().map(|folder| Self { folder })
    }

    fn store(&self, server: &str, url: &str) -> FileStore {
        let hash = blake3::hash(format!("{server}\0{url}").as_bytes()).to_hex();
        FileStore::new(self.folder.join(format!("{}.json", &hash[..32])))
    }

    /// Whether there is a login for a server.
    pub fn has(&self, server: &str, url: &str) -> bool {
        self.store(server, url).is_there()
    }

    /// Keeps what a server said when a login was not for enough, for the next one.
    pub(crate) fn keep_challenge(&self, server: &str, url: &str, challenge: &str) {
        self.store(server, url).keep_challenge(challenge);
    }

    /// Forgets a login; whether there was one.
    pub fn forget(&self, server: &str, url: &str) -> bool {
        self.store(server, url).remove()
    }
}

/// Logs in at a server. `challenge` is what it said when it wanted a login, `open` is told the
/// address that the person must visit.
pub async fn login(
    logins: &Logins,
    name: &str,
    server: &McpServer,
    challenge: Option<String>,
    open: impl FnOnce(&str),
) -> Result<(), LoginError> {
    let Place::Address { url, .. } = &server.place else {
        return Err(LoginError::NoAddress(name.to_owned()));
    };
    let mut manager = new_manager(url).await?;
    let store = logins.store(name, url);
    let granted = store.load().await.ok().flatten().map(|known| known.granted_scopes);
    let granted = granted.unwrap_or_default();
    let challenge = challenge.or_else(|| store.kept_challenge());
    manager.set_credential_store(store.clone());
    let mut state = OAuthState::Unauthorized(manager);
    let settings = server.oauth.clone().unwrap_or_default();
    if settings.client_credentials {
        let config = credentials(&settings, url)?;
        state.authenticate_client_credentials(config).await?;
        store.forget_challenge();
        return Ok(());
    }
    let callback = Callback::listen(settings.callback_port).await.map_err(LoginError::Callback)?;
    let mut request = request(&settings, &callback.redirect_uri());
    if let Some(challenge) = challenge {
        let wanted = more_scopes(&challenge, url, &granted);
        if !wanted.is_empty() {
            request = request.with_scopes(wanted);
        }
        request = request.with_challenge(challenge);
    }
    state.start_authorization(request).await?;
    open(&state.get_authorization_url().await?);
    let came_back = tokio::time::timeout(PATIENCE, callback.wait()).await;
    let url = came_back.map_err(|_| LoginError::TooLate)?.map_err(LoginError::Callback)?;
    state.handle_callback_url(&url).await?;
    store.forget_challenge();
    Ok(())
}

/// What to ask for where a login was not for enough: what it was for, and what is missing.
fn more_scopes(challenge: &str, url: &str, granted: &[String]) -> Vec<String> {
    let Ok(url) = url.parse() else { return Vec::new() };
    let said = WWWAuthenticateParams::parse(challenge, &url);
    if !said.is_insufficient_scope() {
        return Vec::new();
    }
    let missing = said.scope.unwrap_or_default();
    let mut all = granted.to_vec();
    all.extend(missing.split_ascii_whitespace().map(str::to_owned));
    all.retain(|scope| !scope.is_empty());
    all.sort();
    all.dedup();
    all
}

fn request(settings: &OAuthSettings, redirect_uri: &str) -> AuthorizationRequest {
    let mut request = AuthorizationRequest::new(redirect_uri)
        .with_client_name(CLIENT_NAME)
        .with_initial_scope_selection();
    if !settings.scopes.is_empty() {
        request = request.with_scopes(settings.scopes.iter().cloned());
    }
    if let Some(metadata) = &settings.client_metadata_url {
        request = request.with_client_metadata_url(metadata);
    }
    if let Some(id) = &settings.client_id {
        request = request.with_preregistered_client(id);
        if let Some(secret) = &settings.client_secret {
            request = request.with_client_secret(secret);
        }
    }
    request
}

/// The token is for this server and no other.
fn credentials(settings: &OAuthSettings, url: &str) -> Result<ClientCredentialsConfig, LoginError> {
    let (Some(client_id), Some(client_secret)) =
        (settings.client_id.clone(), settings.client_secret.clone())
    else {
        return Err(LoginError::NoCredentials);
    };
    let (scopes, resource) = (settings.scopes.clone(), Some(url.to_owned()));
    Ok(ClientCredentialsConfig::ClientSecret { client_id, client_secret, scopes, resource })
}

async fn new_manager(url: &str) -> Result<AuthorizationManager, AuthError> {
    // It is an error that there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    AuthorizationManager::new(url).await
}

/// The login that there is at a server; none where nobody has logged in.
pub(crate) async fn existing(
    logins: &Logins,
    name: &str,
    url: &str,
    settings: Option<OAuthSettings>,
) -> Result<Option<Login>, LoginError> {
    let Some(manager) = manager_of(logins, name, url, settings.as_ref()).await? else {
        return Ok(None);
    };
    let login = Login::new(manager);
    if !settings.as_ref().is_some_and(|settings| settings.client_credentials) {
        return Ok(Some(login));
    }
    let (logins, name, url) = (logins.clone(), name.to_owned(), url.to_owned());
    Ok(Some(login.or_again(Arc::new(move || {
        let (logins, name, url) = (logins.clone(), name.clone(), url.clone());
        let settings = settings.clone();
        Box::pin(async move { manager_of(&logins, &name, &url, settings.as_ref()).await })
    }))))
}

/// What keeps a token fresh; none where nobody has logged in.
async fn manager_of(
    logins: &Logins,
    name: &str,
    url: &str,
    settings: Option<&OAuthSettings>,
) -> Result<Option<AuthorizationManager>, LoginError> {
    let store = logins.store(name, url);
    let by_itself = settings.filter(|settings| settings.client_credentials);
    if by_itself.is_none() && !store.is_there() {
        return Ok(None);
    }
    let mut manager = new_manager(url).await?;
    manager.set_credential_store(store);
    if let Some(settings) = by_itself {
        let mut state = OAuthState::Unauthorized(manager);
        state.authenticate_client_credentials(credentials(settings, url)?).await?;
        return Ok(state.into_authorization_manager());
    }
    if !manager.initialize_from_store().await? {
        return Ok(None);
    }
    if let Some((id, secret)) =
        settings.and_then(|s| s.client_id.as_deref().zip(s.client_secret.as_deref()))
    {
        let config = OAuthClientConfig::new(id, "http://127.0.0.1/callback");
        manager.configure_client(config.with_client_secret(secret))?;
    }
    Ok(Some(manager))
}
