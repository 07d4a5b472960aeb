import { expect, it } from '@jest/globals';
import type { HttpAnswer, HttpRequest, Transport } from '../../../../api/transport/transport';
import { completeSessions } from '../../../../temporal/activities/complete-sessions';
import { accountId, exampleDeps } from './example-deps';
import { runActivity } from './run-activity';

/** Answers reads of the session in order; the last answer repeats. Undefined: never answers. */
function serviceWith(...statuses: (string | undefined)[]): { transport: Transport; calls: string[] } {
  const calls: string[] = [];
  const transport: Transport = {
    async send({ url, method, signal }: HttpRequest): Promise<HttpAnswer> {
      const { pathname } = new URL(url);
      if (!pathname.startsWith('/upload/')) return answerOf({ accessToken: 't' });
      calls.push(`${method} ${pathname}`);
      if (method === 'POST') return { ...answerOf(''), status: 202 };
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      if (status !== undefined) return answerOf({ uploadId: 'u-1', status });
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  };
  return { transport, calls };
}

function answerOf(json: unknown): HttpAnswer {
  const text = json === '' ? '' : JSON.stringify(json);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  return { status: 200, headers: {}, body: body() };
}

const READ = 'GET /upload/u-1';
const SENT = 'POST /upload/u-1/complete';

it.each([
  ['is read again, and ends as it then is', ['PARTIAL', 'COMPLETED'], 'COMPLETED', [READ, SENT, READ]],
  ['is accepted while processed', ['PARTIAL', 'PENDING_COMPLETE'], 'PENDING_COMPLETE', [READ, SENT, READ]],
  [
    'is accepted, whatever an older copy says',
    ['PARTIAL', 'PARTIAL'],
    'PENDING_COMPLETE',
    [READ, SENT, READ],
  ],
  ['is accepted if that read is silent', ['PARTIAL', undefined], 'PENDING_COMPLETE', [READ, SENT, READ]],
  ['already is neither sent nor read again', ['COMPLETED'], 'COMPLETED', [READ]],
])('a session that is completed %s', async (_what, statuses, status, expected) => {
  const { transport, calls } = serviceWith(...statuses);
  const input = { uploadId: 'u-1', parts: [{ partNumber: 1, eTag: 'e' }] };
  const complete = completeSessions(exampleDeps(transport));
  const outcomes = await runActivity(complete, { accountId, inputs: [{ input }] });
  expect(outcomes).toMatchObject([{ value: { uploadId: 'u-1', status } }]);
  expect(calls).toEqual(expected);
});
