import { expect, it } from '@jest/globals';
import type { HttpAnswer, HttpRequest, Transport } from '../../../../api/transport/transport';
import { nextDelayMs, pollSessions } from '../../../../temporal/activities/poll-sessions';
import { accountId, exampleDeps } from './example-deps';
import { runActivity } from './run-activity';

it('nextDelayMs grows from the first delay to a minute and stays there', () => {
  const delays = [1, 2, 3, 8, 500].map((attempt) => nextDelayMs(5_000, attempt));
  expect(delays).toEqual([5_000, 7_500, 11_250, 60_000, 60_000]);
});

/** A service that is still processing, and answers reads of sessions only when the test allows it. */
function slowService(statuses: Readonly<Record<string, string>> = {}): {
  readonly transport: Transport;
  readonly asked: string[];
  answer(): void;
} {
  const asked: string[] = [];
  let answer = (): void => undefined;
  const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
  const transport: Transport = {
    async send({ url }: HttpRequest): Promise<HttpAnswer> {
      const { pathname } = new URL(url);
      const uploadId = pathname.startsWith('/upload/') ? pathname.slice('/upload/'.length) : undefined;
      if (uploadId !== undefined) {
        asked.push(uploadId);
        await mayAnswer;
      }
      const status = statuses[uploadId ?? ''] ?? 'PENDING_COMPLETE';
      const json = JSON.stringify(uploadId === undefined ? { accessToken: 't' } : { uploadId, status });
      async function* body(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(json);
      }
      return { status: 200, headers: {}, body: body() };
    },
  };
  return { transport, asked, answer: () => answer() };
}

function pollsOf(...uploadIds: string[]): Parameters<ReturnType<typeof pollSessions>>[0] {
  const polled = { pollDelayMs: 5_000, completedAt: Date.now(), limitMs: 3_600_000 };
  return { accountId, inputs: uploadIds.map((uploadId) => ({ input: { uploadId, ...polled } })) };
}

it('groups of polls that share three control slots read one at a time and once each; the others end their try at once without a request', async () => {
  const { transport, asked, answer } = slowService();
  const poll = pollSessions(exampleDeps(transport, { slots: { control: 3 } }));
  const polling = (uploadId: string): Promise<unknown> => runActivity(poll, pollsOf(uploadId));
  const stillProcessing = { category: 'BENIGN', nextRetryDelay: 5_000 };
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

it('a group of polls returns what has ended a moment later, and requeues the others', async () => {
  const { transport, answer } = slowService({ ended: 'COMPLETED' });
  answer();
  const poll = pollSessions(exampleDeps(transport));
  expect(await runActivity(poll, pollsOf('ended', 'going-on'))).toMatchObject([
    { value: { uploadId: 'ended', status: 'COMPLETED' } },
    { again: { tries: 1, afterMs: 1_000 } },
  ]);
});
