//! A server with a few small tools, to try clients with:
//! `serve FOLDER` speaks over stdio, `serve FOLDER ADDRESS TOKENFILE` over HTTP.

#[path = "../tests/common/tools.rs"]
mod tools;

use std::io::Write as _;
use std::path::Path;

use dogu_mcp::{HttpServer, ServeOptions, Tokens, serve_stdio};

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
    let tokens = arguments.next().ok_or("the token file is missing")?;
    let tokens = Tokens::load_or_create(Path::new(&tokens))?;
    let server = HttpServer::bind(runtime, address.parse()?, tokens, options).await?;
    writeln!(std::io::stderr(), "listening on http://{}/mcp", server.local_addr())?;
    Ok(server.serve(never).await?)
}
