import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../../support/listen';
import { until } from '../../../support/until';

export interface HookCall {
  readonly path: string;
  readonly body: unknown;
}

export interface HookServer {
  readonly url: string;
  /** Returns the oldest call that was not taken yet, or waits for one. */
  next(): Promise<HookCall>;
  /** Answers every call from now on with this status. Default 200. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

/** A system on loopback that receives notifications by POST in JSON. */
export async function startHookServer(): Promise<HookServer> {
  const calls: HookCall[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      calls.push({ path: request.url ?? '', body: JSON.parse(body) as unknown });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  });
  const { url, close } = await listen(server);
  return {
    url,
    async next() {
      await until('a call comes', () => calls.length > 0);
      return calls.splice(0, 1)[0] ?? { path: '', body: undefined };
    },
    answerWith(next) {
      status = next;
    },
    close,
  };
}
