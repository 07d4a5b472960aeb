import { MockActivityEnvironment } from '@temporalio/testing';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { lookOutside } from '../../../../../temporal/batch/activities/large-row';
import type { PageRow } from '../../../../../temporal/batch/files/page-journal';
import type { UploadMemo } from '../../../../../temporal/upload/types';

const session = (uploadId: string) => ({ uploadId, fileName: 'film.mp4', fileType: 'MP4', bytes: 5 });
const PARTS = [{ partNumber: 1, eTag: 'e1', verified: true }];
const STARTED_WITH = { ...session('u-1'), parts: PARTS };

/** An own workflow of the row that was started with the session `u-1`. */
function temporalWith(name: string, memo: UploadMemo): Client {
  const input = { payloads: [defaultPayloadConverter.toPayload({ earlier: STARTED_WITH })] };
  const events = [{ workflowExecutionStartedEventAttributes: { input } }];
  const described = { workflowId: 'w', runId: 'r', status: { name }, memo: { inputDigest: 'd', ...memo } };
  const handle = { describe: async () => described, fetchHistory: async () => ({ events }) };
  return {
    options: { loadedDataConverter: { payloadCodecs: [], payloadConverter: defaultPayloadConverter } },
    withAbortSignal: (_signal: AbortSignal, run: () => Promise<unknown>) => run(),
    workflow: { count: async () => ({ count: 1 }), getHandle: () => handle },
  } as unknown as Client;
}

function found(name: string, memo: UploadMemo, journal: object): Promise<unknown> {
  const environment = new MockActivityEnvironment({}, { client: temporalWith(name, memo) });
  const row = { planned: { row: { id: 'film' } }, left: [], ...journal } as unknown as PageRow;
  return environment.run(async () => (await lookOutside('acme', 'films'))(row, 'd'));
}

const FAILED = { result: { orphans: [] } };
const REPLACED = { ...FAILED, session: session('u-2'), left: [{ uploadId: 'u-1', reason: 'left' }] };

it.each<[string, string, UploadMemo, journal: object, left: object]>([
  [
    'what it was started with, if it did not come to read that',
    ...(['CANCELLED', {}, { ...FAILED, session: session('u-1') }] as const),
    { earlier: STARTED_WITH },
  ],
  ['nothing, if the journal names a newer session', 'CANCELLED', {}, REPLACED, {}],
  ['perhaps a start beside a newer session', 'TERMINATED', {}, REPLACED, { startPending: true }],
  [
    'its own session, which the journal does not know',
    ...(['FAILED', session('u-3'), REPLACED] as const),
    { earlier: { ...session('u-3'), parts: [] } },
  ],
  ['nothing of another file', 'FAILED', { inputDigest: 'other', ...session('u-3') }, REPLACED, {}],
])('the ended workflow of a row left %s', async (_what, name, memo, journal, left) => {
  expect(await found(name, memo, journal)).toEqual({ left });
});
