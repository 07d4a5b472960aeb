import { MockActivityEnvironment } from '@temporalio/testing';
import { MediaServiceError } from '../../../../api/errors';
import { Refusals } from '../../../../temporal/worker/other-workers';
import { fakeQueues } from '../client/fake-queues';

const CONTROL = 'media-service.acme-1';
const BOTH = ['11@mac/aaaaaa', '12@mac/bbbbbb'] as const;
const [MAC, RENDER] = BOTH;
const NOT_ALLOWED = new MediaServiceError('SourceNotAllowed', 'a.mp4 is outside', { outcome: 'unsent' });

interface Try {
  /** Workers that poll for workflow tasks of the account. */
  readonly alive: readonly string[];
  readonly error?: Error;
  readonly refusedBy?: readonly string[];
  readonly attempt?: number;
}

/** The verdict on a try of the worker on mac. */
async function judge({
  alive,
  error = NOT_ALLOWED,
  refusedBy,
  attempt = 1,
}: Try): Promise<{ readonly error: Error; readonly isLeft: boolean }> {
  const { workflowService } = fakeQueues(alive.map((identity) => ({ queue: CONTROL, identity }))).client;
  const withAbortSignal = (_signal: AbortSignal, run: () => Promise<unknown>): Promise<unknown> => run();
  const client = { options: { namespace: 'default' }, workflowService, withAbortSignal } as never;
  const info = { taskQueue: `${CONTROL}.transfer@mac`, attempt, heartbeatDetails: { refusedBy } };
  return new MockActivityEnvironment(info, { client }).run(async () => {
    const refusals = new Refusals(MAC);
    return { ...(await refusals.judge<Error>(error)), refusedBy: refusals.refusedBy };
  });
}

describe('a step that this worker may not do', () => {
  it('is left to another living worker, as not done, and the next try knows who refused it', async () => {
    expect(await judge({ alive: BOTH })).toMatchObject({
      error: {
        code: 'SourceNotAllowed',
        message: `a.mp4 is outside (worker ${MAC})`,
        facts: { outcome: 'unsent', retryAfterMs: 1_000, details: { permanent: false } },
      },
      isLeft: true,
      refusedBy: [MAC],
    });
  });

  it.each<[label: string, last: Try, workers: string]>([
    ['no other worker lives', { alive: [MAC] }, `worker ${MAC}`],
    ['all have refused it', { alive: BOTH, refusedBy: [RENDER] }, `workers ${RENDER}, ${MAC}`],
    ['it was tried 20 times', { alive: BOTH, refusedBy: [MAC], attempt: 20 }, `worker ${MAC}`],
  ])('fails if %s, and the error names the workers', async (_label, last, workers) => {
    const { error, isLeft } = await judge(last);
    expect(error).toMatchObject({
      message: `a.mp4 is outside (${workers})`,
      facts: { details: { permanent: true } },
    });
    expect(isLeft).toBe(false);
  });

  it('waits longer from try to try', async () => {
    const { error } = await judge({ alive: BOTH, attempt: 12 });
    expect(error).toMatchObject({ facts: { retryAfterMs: 30_000 } });
  });

  it('keeps every other error as it is', async () => {
    const error = new MediaServiceError('SourceMissing', 'gone', {});
    expect(await judge({ alive: BOTH, error })).toEqual({ error, isLeft: false });
  });
});
