import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './listen';
import { until } from './until';

interface ReceivedPost {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type PostReceiver = Awaited<ReturnType<typeof startPostReceiver>>;

/** A system on loopback that receives posts of JSON. */
export async function startPostReceiver() {
  const posts: ReceivedPost[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      posts.push({ path: request.url ?? '', body: body as ReceivedPost['body'] });
      response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  });
  const { url, close } = await listen(server);
  const receiver = {
    url,
    posts,
    /** Of each answer. */
    status: 200,
    /** Takes the oldest post, or waits for one. */
    next: async () => (await until('a post comes', () => posts.shift())) as ReceivedPost,
    close,
  };
  return receiver;
}
