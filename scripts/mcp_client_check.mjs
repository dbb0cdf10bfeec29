// Drives an MCP server with the official TypeScript SDK and checks what comes back.
//
//     mcp_client_check.mjs stdio FOLDER COMMAND [ARGUMENT...]
//     mcp_client_check.mjs http FOLDER URL TOKEN
//
// FOLDER is the server's workspace; it must hold `hello.txt` with the text `hello from a file`.
// MCP_SDK names the folder of the SDK. Each check is made in both eras and prints one line. Exit 1
// if one failed.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const sdk = pathToFileURL(join(process.env.MCP_SDK, 'dist/')).href;
const { Client, StreamableHTTPClientTransport } = await import(sdk + 'index.mjs');
const { StdioClientTransport } = await import(sdk + 'stdio.mjs');

const [transport, folder, ...target] = process.argv.slice(2);
const eras = { legacy: '2025-11-25', auto: '2026-07-28' };
const questions = [];
let failed = 0;

function check(era, what, ok, found) {
  console.log(`${ok ? 'ok' : 'FAILED'}  ${era}  ${what}${ok ? '' : ': ' + JSON.stringify(found)}`);
  failed += ok ? 0 : 1;
}

function connection() {
  if (transport === 'stdio') {
    return new StdioClientTransport({ command: target[0], args: target.slice(1), env: { ...process.env }, stderr: 'ignore' });
  }
  const headers = { Authorization: `Bearer ${target[1]}` };
  return new StreamableHTTPClientTransport(new URL(target[0]), { requestInit: { headers } });
}

for (const [era, version] of Object.entries(eras)) {
  const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: era } };
  const client = new Client({ name: 'check', version: '1' }, options);
  client.setRequestHandler('elicitation/create', async (request) => {
    questions.push(request.params.message);
    return { action: 'accept', content: { answer: 'allow_once' } };
  });
  await client.connect(connection());
  const spoken = client.getNegotiatedProtocolVersion?.() ?? version;
  check(era, 'the era is spoken', spoken === version, spoken);
  const { tools } = await client.listTools();
  check(era, 'tools are listed', tools.some((tool) => tool.name === 'read_file'), tools.map((tool) => tool.name));
  const read = await client.callTool({ name: 'read_file', arguments: { path: 'hello.txt' } });
  check(era, 'read_file reads', read.content[0].text.includes('hello from a file'), read);
  const made = join(folder, 'new.txt');
  questions.length = 0;
  const write = await client.callTool({ name: 'write_file', arguments: { path: 'new.txt', content: 'x' } });
  check(era, 'the user is asked once, about what would be written', questions.length === 1 && questions[0].includes('new.txt'), questions);
  check(era, 'a write that the user approves is made', !write.isError && existsSync(made), write);
  rmSync(made, { force: true });
  await client.close();
}
process.exit(failed ? 1 : 0);
