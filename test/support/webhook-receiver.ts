import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen';

export interface ReceivedPost {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether the signature matches the key, the ID, the time and the body. */
  readonly verified: boolean;
}

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>;

/** A webhook receiver that checks signatures itself, as standardwebhooks.com describes. */
export async function startWebhookReceiver(key: string | Buffer) {
  const posts: ReceivedPost[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { headers } = request;
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
      const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
      posts.push({ headers, body, verified: headers['webhook-signature'] === signature });
      const { status, headers: more = {} } = receiver.answers.shift() ?? { status: 204 };
      response.writeHead(status, { ...more }).end();
    });
  });
  const { url, close } = await listen(server);
  const receiver = {
    url: `${url}/hooks/0a1b2c3d?token=never-shown`,
    posts,
    /** Statuses of the next answers, with headers; after them 204. */
    answers: [] as { readonly status: number; readonly headers?: Readonly<Record<string, string>> }[],
    close,
  };
  return receiver;
}
