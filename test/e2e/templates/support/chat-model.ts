import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../../../support/listen';
import { createCredential } from '../../support/n8n-executions';
import type { N8nRest } from '../../support/n8n-rest';
import type { StoredCredentials } from '../../support/n8n-stage';

interface ChatTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: { readonly properties: Readonly<Record<string, unknown>> };
}

interface ChatModel {
  /** The tools that the agent offered. */
  readonly offered: readonly ChatTool[];
  credential(rest: N8nRest): Promise<StoredCredentials>;
  close(): Promise<void>;
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly { readonly function: ChatTool }[];
}

/**
 * A stand-in for a chat model with OpenAI's chat completions. It calls the first tool with these arguments, and then
 * answers with the result.
 */
export async function startChatModel(args: Readonly<Record<string, unknown>>): Promise<ChatModel> {
  let offered: readonly ChatTool[] = [];
  const reply = ({ messages, tools }: Asked): object => {
    offered = tools.map((tool) => tool.function);
    const result = messages.find(({ role }) => role === 'tool');
    if (result !== undefined) return { role: 'assistant', content: result.content };
    const call = { name: offered[0]?.name, arguments: JSON.stringify(args) };
    const calls = [{ id: 'call_1', type: 'function', function: call }];
    return { role: 'assistant', content: null, tool_calls: calls };
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
    async credential(rest) {
      const data = { apiKey: 'of-the-stand-in', url: `${url}/v1`, header: false };
      return { openAiApi: await createCredential(rest, { name: 'chat model', type: 'openAiApi', data }) };
    },
    close,
  };
}
