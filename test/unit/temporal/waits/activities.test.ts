import { ApplicationFailure, WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { transportErrorOf } from '../../../../api/transport/undici-failure';
import type { Transport } from '../../../../api/transport/transport';
import type { TemporalConnection } from '../../../../temporal/client/connect';
import { seal, sealKeysOf } from '../../../../temporal/seal';
import { waitActivities } from '../../../../temporal/waits/activities';
import { waitUrlPurpose } from '../../../../temporal/waits/types';
import { fakeClock } from '../../api/fake-clock';

const KEYS = sealKeysOf('a secret key');
/** Temporal has forgotten the upload, so it has ended. */
const FORGETFUL = {
  lister: {
    withAbortSignal: (_signal: AbortSignal, run: () => Promise<unknown>) => run(),
    workflow: {
      getHandle: (id: string) => ({
        describe: () => Promise.reject(new WorkflowNotFoundError('unknown', id, undefined)),
      }),
    },
  },
} as unknown as TemporalConnection;

const without =
  (code: string): Transport['send'] =>
  () =>
    Promise.reject(transportErrorOf({ error: { code }, begun: true, host: 'n8n.example' }));
const answering =
  (status: number): Transport['send'] =>
  () =>
    Promise.resolve({ status, headers: {}, body: (async function* () {})() });

/** The post of an upload's end, after an hour of tries a minute apart. `posts`: how many of them were posts. */
async function failureOfPost(send: Transport['send'], posts = 65): Promise<ApplicationFailure> {
  const waitId = 'execution-7/node';
  const { postEnds } = waitActivities({
    connection: FORGETFUL,
    transport: { send },
    clock: fakeClock(Date.parse('2026-11-29T02:00:00Z')),
    hosts: ['127.0.0.1'],
    sealKeysOf: () => KEYS,
    signingKeyOf: () => Promise.resolve(Buffer.from('key')),
  });
  const context = new MockActivityEnvironment(
    { attempt: 70, heartbeatDetails: { ended: 1, posts } },
    { logger: new DefaultLogger('ERROR') },
  );
  const url = seal(KEYS, 'http://127.0.0.1/webhook-waiting/7', waitUrlPurpose(waitId));
  const failure: unknown = await context
    .run(postEnds, { accountId: 'acme', waitId, ids: ['upload/acme/1'], url })
    .catch((error: unknown) => error);
  if (failure instanceof ApplicationFailure) return failure;
  throw new Error(`It did not fail: ${String(failure)}`);
}

it('the first post is tried again after a second, however many looks came before it', async () => {
  expect(await failureOfPost(answering(503), 0)).toMatchObject({ nextRetryDelay: 1_000 });
});

describe('after an hour without n8n, a post is tried again', () => {
  it.each([
    ['whose process has stopped', without('ECONNREFUSED')],
    ['whose name is gone with its container', without('ENOTFOUND')],
    ['that takes the post and never answers', without('UND_ERR_HEADERS_TIMEOUT')],
    ['that breaks the connection', without('ECONNRESET')],
    ['behind a proxy that answers 404', answering(404)],
    ['behind a proxy that answers 502', answering(502)],
    ['that answers 500', answering(500)],
    ['that is starting and answers 503', answering(503)],
    ['whose execution does not wait yet (409)', answering(409)],
  ])('to an n8n %s', async (_what, send) => {
    const { nonRetryable, nextRetryDelay = 60_000 } = await failureOfPost(send);
    expect(nonRetryable).toBe(false);
    expect(nextRetryDelay).toBeLessThanOrEqual(60_000);
  });

  it('but not to an n8n that refuses its token (401)', async () => {
    expect(await failureOfPost(answering(401))).toMatchObject({ type: 'RequestRefused', nonRetryable: true });
  });
});
