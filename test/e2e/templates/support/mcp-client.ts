/** A client of the Model Context Protocol, as far as the test needs it: its requests over HTTP, one after another. */
export interface McpClient {
  /** Names of the server's tools. */
  tools(): Promise<string[]>;
  /** The text that a tool returns, also for an error. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

interface Result {
  readonly tools?: readonly { readonly name: string }[];
  readonly content?: readonly { readonly text: string }[];
}

export async function openMcpClient(url: string, token: string): Promise<McpClient> {
  let session: Record<string, string> = {};
  let id = 0;
  const send = async (method: string, params: object = {}): Promise<Result> => {
    const isNote = method.startsWith('notifications/');
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...{ accept: 'application/json, text/event-stream', ...session },
      },
      body: JSON.stringify({ jsonrpc: '2.0', method, params, ...(isNote ? {} : { id: (id += 1) }) }),
    });
    const sessionId = answer.headers.get('mcp-session-id');
    if (sessionId !== null) session = { 'mcp-session-id': sessionId };
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} was answered with ${answer.status}: ${text}`);
    if (isNote) return {};
    // Either JSON, or an event with it.
    const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as {
      readonly result?: Result;
      readonly error?: { readonly message: string };
    };
    if (result === undefined) throw new Error(`${method}: ${error?.message ?? text}`);
    return result;
  };
  const clientInfo = { name: 'test', version: '1' };
  await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  await send('notifications/initialized');
  return {
    tools: async () => ((await send('tools/list')).tools ?? []).map(({ name }) => name),
    call: async (name, args) =>
      ((await send('tools/call', { name, arguments: args })).content ?? [])
        .map(({ text }) => text)
        .join('\n'),
  };
}
