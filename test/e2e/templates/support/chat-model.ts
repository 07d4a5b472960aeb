import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../../../support/listen';
import { createCredential } from '../../support/n8n-executions';
import type { N8nRest } from '../../support/n8n-rest';
import type { StoredCredentials } from '../../support/n8n-stage';

export interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
}

export interface ChatTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: { readonly properties: Readonly<Record<string, unknown>> };
}

export interface ChatModel {
  /** The tools that the agent offered in its first request. */
  readonly offered: readonly ChatTool[];
  /** The result of each tool call, in order. */
  readonly given: readonly string[];
  credential(rest: N8nRest): Promise<StoredCredentials>;
  close(): Promise<void>;
}

interface Asked {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: ChatTool }[];
}

/**
 * A stand-in for a chat model with OpenAI's chat completions. It calls the first tool with each of these arguments in
 * turn, and then answers with what `answer` makes of the results.
 */
export async function startChatModel(
  calls: readonly Readonly<Record<string, unknown>>[],
  answer: (given: readonly string[]) => string,
): Promise<ChatModel> {
  let offered: readonly ChatTool[] = [];
  let given: readonly string[] = [];
  const reply = ({ messages, tools = [] }: Asked): object => {
    offered = tools.map((tool) => tool.function);
    given = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
    const next = calls[given.length];
    if (next === undefined) return { role: 'assistant', content: answer(given) };
    const asked = { name: offered[0]?.name ?? '', arguments: JSON.stringify(next) };
    const id = `call_${given.length}`;
    return { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: asked }] };
  };
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const message = reply(body as Asked);
      const reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 0,
          model: 'stand-in',
          choices: [{ index: 0, message, finish_reason: reason }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
      );
    });
  });
  const { url, close } = await listen(server);
  return {
    get offered() {
      return offered;
    },
    get given() {
      return given;
    },
    async credential(rest) {
      const data = { apiKey: 'of-the-stand-in', url: `${url}/v1`, header: false };
      return { openAiApi: await createCredential(rest, { name: 'chat model', type: 'openAiApi', data }) };
    },
    close,
  };
}
