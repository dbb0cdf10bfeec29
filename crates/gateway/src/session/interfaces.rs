//! The user interfaces that a server lists.

use rmcp::model::{
    ClientRequest, ErrorCode, ListResourcesRequest, PaginatedRequestParams, ServerResult,
};
use serde_json::{Map, Value};

use super::{CallError, MAX_PAGES, Patience, Session};

impl Session {
    /// The `_meta` of a resource that the server lists; none where it does not list it.
    pub(crate) async fn listed_resource(
        &self,
        uri: &str,
        patience: &Patience<'_>,
    ) -> Result<Option<Map<String, Value>>, CallError> {
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let page = |cursor| PaginatedRequestParams::default().with_cursor(Some(cursor));
            let request = ListResourcesRequest {
                params: cursor.clone().map(page),
                ..ListResourcesRequest::default()
            };
            let answer = self.request(ClientRequest::ListResourcesRequest(request), patience).await;
            let page = match answer {
                Ok(ServerResult::ListResourcesResult(page)) => page,
                // It lists none.
                Err(CallError::Refused(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                    return Ok(None);
                }
                Ok(_) => return Err(CallError::Unreadable("its list of resources is none")),
                Err(error) => return Err(error),
            };
            if let Some(found) = page.resources.into_iter().find(|resource| resource.uri == uri) {
                return Ok(Some(found.meta.map(|meta| meta.0).unwrap_or_default()));
            }
            // A cursor that leads to itself would never end.
            if page.next_cursor.is_none() || page.next_cursor == cursor {
                return Ok(None);
            }
            cursor = page.next_cursor;
        }
        Ok(None)
    }
}
