import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './listen';
import { until } from './until';

interface ReceivedPost {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A system on loopback that receives posts of JSON. */
export interface PostReceiver {
  readonly url: string;
  readonly posts: ReceivedPost[];
  /** Of each answer. Default 200. */
  status: number;
  /** Takes the oldest post, or waits for one. */
  next(): Promise<ReceivedPost>;
  close(): Promise<void>;
}

export async function startPostReceiver(): Promise<PostReceiver> {
  const posts: ReceivedPost[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      posts.push({ path: request.url ?? '', body: body as ReceivedPost['body'] });
      response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  });
  const { url, close } = await listen(server);
  const next = async (): Promise<ReceivedPost> => {
    await until('a post comes', () => posts.length > 0);
    return posts.splice(0, 1)[0] ?? { path: '', body: {} };
  };
  const receiver: PostReceiver = { url, posts, status: 200, next, close };
  return receiver;
}
