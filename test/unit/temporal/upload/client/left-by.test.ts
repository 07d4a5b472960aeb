import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { leftBy } from '../../../../../temporal/upload/client/left-by';

const SESSION = { uploadId: 'u-1', fileName: 'film.mp4', fileType: 'MP4', bytes: 5, partBytes: 1 };

const payloads = (...values: readonly unknown[]) => ({
  payloads: values.map((value) => defaultPayloadConverter.toPayload(value)),
});
const sent = (partNumber: number) => ({ partNumber, eTag: `e${partNumber}`, verified: true });
const inResult = (partNumber: number) => ({ ...sent(partNumber), bytes: 1, attempts: 2, ms: 3 });

function scheduled(eventId: number, uploadId: string, name = 'sendParts') {
  const input = payloads({ uploadId, accountId: 'a', parts: [{ partNumber: 9, offset: 0, bytes: 1 }] });
  return { eventId, activityTaskScheduledEventAttributes: { activityType: { name }, input } };
}

function completed(scheduledEventId: number, result: unknown) {
  return { activityTaskCompletedEventAttributes: { scheduledEventId, result: payloads(result) } };
}

const refusedAfter = (...done: readonly object[]) => ({
  applicationFailureInfo: { details: payloads({ status: 403 }, done) },
});

const started = (earlier: unknown, more: object = {}) => ({
  workflowExecutionStartedEventAttributes: { input: payloads({ earlier, ...more }) },
});

function leftIn(events: readonly object[], memo: object = SESSION, name = 'FAILED') {
  const loadedDataConverter = { payloadCodecs: [], payloadConverter: defaultPayloadConverter };
  const client = {
    options: { loadedDataConverter },
    workflow: { getHandle: () => ({ fetchHistory: async () => ({ events }) }) },
  } as unknown as Client;
  const status = { name } as Parameters<typeof leftBy>[1]['status'];
  return leftBy(client, { workflowId: 'w', runId: 'r', status, memo: { ...memo } });
}

it.each<[string, readonly object[], readonly number[]]>([
  ['nothing of a run that sent no part', [started(undefined)], []],
  [
    'what its activities sent, and no part without an ETag',
    [scheduled(5, 'u-1'), completed(5, [inResult(2), { partNumber: 4 }, inResult(1)])],
    [2, 1],
  ],
  [
    'what an activity sent before it failed',
    [
      scheduled(5, 'u-1'),
      { activityTaskFailedEventAttributes: { scheduledEventId: 5, failure: refusedAfter(inResult(3)) } },
    ],
    [3],
  ],
  [
    'what the run was started with, besides',
    [started({ ...SESSION, parts: [sent(1)] }), scheduled(5, 'u-1'), completed(5, [inResult(2)])],
    [1, 2],
  ],
  [
    'nothing of other sessions and other activities',
    [
      started({ ...SESSION, uploadId: 'u-0', parts: [sent(1)] }),
      scheduled(5, 'u-0'),
      completed(5, [inResult(2)]),
      scheduled(7, 'u-1', 'completeSession'),
      completed(7, [inResult(3)]),
    ],
    [],
  ],
])('an ended upload left its session, with %s', async (_what, events, numbers) => {
  expect(await leftIn(events)).toEqual({ earlier: { ...SESSION, parts: numbers.map(sent) } });
});

it('an upload that was ended from outside, and had no session, or says so, may have sent a start', async () => {
  expect(await leftIn([], {}, 'TERMINATED')).toEqual({ startPending: true });
  expect(await leftIn([], {}, 'FAILED')).toEqual({});
  expect(await leftIn([], { startPending: true }, 'FAILED')).toEqual({ startPending: true });
});

it.each([
  ['CANCELLED', {}],
  ['FAILED', {}],
  ['TERMINATED', { startPending: true }],
])(
  'a run that was %s before it read its earlier session leaves that, and perhaps a start',
  async (name, start) => {
    const earlier = { ...SESSION, parts: [sent(1)] };
    expect(await leftIn([started(earlier)], {}, name)).toEqual({ earlier, ...start });
  },
);

it.each<[string, readonly object[], true | undefined]>([
  ['may have sent the start of another', [started(SESSION), scheduled(9, 'none', 'startSession')], true],
  ['did not search for an earlier start', [started(SESSION, { startPending: true })], true],
  ['sent no other start', [started(SESSION)], undefined],
])('a terminated run that read its earlier session %s', async (_what, events, startPending) => {
  const left = await leftIn(events, SESSION, 'TERMINATED');
  expect([left.earlier?.uploadId, left.startPending]).toEqual(['u-1', startPending]);
});
