//! What is shown without a token. There is no secret in it.

/// Tells someone who opened the address in a browser where they are.
pub(crate) async fn root() -> &'static str {
    "dogu: tools for AI agents, over the Model Context Protocol (MCP).\n\
     \n\
     The endpoint is /mcp (streamable HTTP). It needs a token:\n\
     \x20   Authorization: Bearer <token>\n\
     The token is in the file `http-token` of dogu's state folder, on the machine that runs it.\n"
}

/// Tells a supervisor that the server is alive.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}
