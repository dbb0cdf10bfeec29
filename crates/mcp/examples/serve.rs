//! A server with a few small tools, to try clients with:
//! `serve FOLDER` speaks over stdio, `serve FOLDER ADDRESS STATE` over HTTP, with the token that
//! it prints.

#[path = "../tests/common/tools.rs"]
mod tools;

use std::io::Write as _;
use std::path::Path;

use dogu_mcp::{HttpServer, ServeOptions, TokenStore, serve_stdio};
use dogu_runtime::StateDir;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("the folder is missing")?;
    let runtime = tools::runtime(Path::new(&folder))?.build()?;
    let options = ServeOptions::default();
    let never = std::future::pending();
    let Some(address) = arguments.next() else {
        return Ok(serve_stdio(runtime, options, never).await?);
    };
    let state = arguments.next().ok_or("the state folder is missing")?;
    let tokens = TokenStore::open(&StateDir::open(state)?)?;
    let secret = tokens.find_or_add("example")?.secret;
    let server = HttpServer::bind(runtime, address.parse()?, tokens, options).await?;
    let addr = server.local_addr();
    writeln!(std::io::stderr(), "listening on http://{addr}/mcp with {secret}")?;
    Ok(server.serve(never).await?)
}
