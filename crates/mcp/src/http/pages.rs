//! What is shown without a token. There is no secret in it.

/// Tells someone who opened the address in a browser where they are.
pub(crate) async fn root() -> &'static str {
    "dogu: tools for AI agents, over the Model Context Protocol (MCP).\n\
     \n\
     The endpoint is /mcp (streamable HTTP). It needs a token:\n\
     \x20   Authorization: Bearer <token>\n\
     `dogu mcp install CLIENT` gives a client its own, on the machine that runs this server;\n\
     `dogu mcp tokens add NAME` makes one for any other client.\n"
}

/// Tells a supervisor that the server is alive.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}
