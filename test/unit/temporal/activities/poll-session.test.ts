import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from '@jest/globals';
import type { HttpAnswer, HttpRequest, Transport } from '../../../../api/transport/transport';
import { nextDelayMs, pollSession } from '../../../../temporal/activities/poll-session';
import { accountId, exampleDeps } from './example-deps';

describe('nextDelayMs', () => {
  it('grows from the first delay to a minute and stays there', () => {
    const delays = [1, 2, 3, 8, 500].map((attempt) => nextDelayMs(5_000, attempt));
    expect(delays).toEqual([5_000, 7_500, 11_250, 60_000, 60_000]);
  });
});

/** A service that is still processing, and answers reads of sessions only once it may. */
function slowService(): { readonly transport: Transport; readonly asked: string[]; answer(): void } {
  const asked: string[] = [];
  let answer = (): void => undefined;
  const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
  const transport: Transport = {
    async send({ url }: HttpRequest): Promise<HttpAnswer> {
      const { pathname } = new URL(url);
      if (pathname.startsWith('/upload/')) {
        asked.push(pathname.slice('/upload/'.length));
        await mayAnswer;
      }
      const json = pathname.startsWith('/upload/')
        ? '{"uploadId":"u","status":"PENDING_COMPLETE"}'
        : '{"accessToken":"t"}';
      async function* body(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(json);
      }
      return { status: 200, headers: {}, body: body() };
    },
  };
  return { transport, asked, answer: () => answer() };
}

describe('polls that share three control slots', () => {
  it('read one at a time and once each; the others end their try at once, unasked', async () => {
    const { transport, asked, answer } = slowService();
    const poll = pollSession(exampleDeps(transport, { slots: { control: 3 } }));
    const polling = (uploadId: string): Promise<unknown> =>
      new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000 }).run(poll, {
        accountId,
        uploadId,
        pollDelayMs: 5_000,
        completedAt: Date.now(),
        limitMs: 3_600_000,
      });
    const stillProcessing = { type: 'StillProcessing', category: 'BENIGN', nextRetryDelay: 5_000 };
    const first = polling('first');
    await expect(polling('second')).rejects.toMatchObject({
      ...stillProcessing,
      message: 'The service is still processing (not asked, since other sessions are).',
    });
    answer();
    await expect(first).rejects.toMatchObject({
      ...stillProcessing,
      message: 'The service is still processing (PENDING_COMPLETE).',
    });
    expect(asked).toEqual(['first']);
    await expect(polling('third')).rejects.toMatchObject(stillProcessing);
    expect(asked).toEqual(['first', 'third']);
  });
});
