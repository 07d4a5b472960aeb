import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from '@jest/globals';
import type { HttpAnswer, HttpRequest, Transport } from '../../../../api/transport/transport';
import { completeSessions } from '../../../../temporal/activities/complete-sessions';
import { accountId, exampleDeps } from './example-deps';

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

describe('a session that is completed', () => {
  it.each([
    ['is read again, and ends with that status if it was processed', ['PARTIAL', 'COMPLETED'], 'COMPLETED'],
    ['is accepted while it is processed', ['PARTIAL', 'PENDING_COMPLETE'], 'PENDING_COMPLETE'],
    ['is accepted, whatever an older copy of it says', ['PARTIAL', 'PARTIAL'], 'PENDING_COMPLETE'],
    ['is accepted if that read does not answer', ['PARTIAL', undefined], 'PENDING_COMPLETE'],
  ])('%s', async (_what, statuses, ended) => {
    const { transport, calls } = serviceWith(...statuses);
    const env = new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000 });
    const input = { uploadId: 'u-1', parts: [{ partNumber: 1, eTag: 'e' }] };
    const outcomes = await env.run(completeSessions(exampleDeps(transport)), {
      accountId,
      inputs: [{ input }],
    });
    expect(outcomes).toMatchObject([{ value: { uploadId: 'u-1', status: ended } }]);
    expect(calls).toEqual([READ, SENT, READ]);
  });

  it('already is neither sent nor read again', async () => {
    const { transport, calls } = serviceWith('COMPLETED');
    const env = new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000 });
    const input = { uploadId: 'u-1', parts: [{ partNumber: 1, eTag: 'e' }] };
    await env.run(completeSessions(exampleDeps(transport)), { accountId, inputs: [{ input }] });
    expect(calls).toEqual([READ]);
  });
});
