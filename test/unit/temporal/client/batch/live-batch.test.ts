import { describe, expect, it } from '@jest/globals';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { findWaitReason, type Look } from '../../../../../temporal/client/wait-reason';
import { rowsWaitReason, rowsOf } from '../../../../../temporal/client/batch/live-batch';

type Described = Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>;
const described = (raw: object): Described => ({ raw: raw, taskQueue: 'q' });
const read = (payloads: readonly unknown[]): Promise<unknown[]> => Promise.resolve([...payloads]);
const look: Look = { read, unserved: () => Promise.resolve(undefined) };
const waiting = (type: string, message: string): Described =>
  described({ pendingActivities: [{ lastFailure: { message, applicationFailureInfo: { type } } }] });
const GOING = described({ pendingActivities: [{}] });
const AWAY = waiting('Transport', "S3 can't be reached");
const BUSY = waiting('StorageBusy', 'storage answers 503');

describe('the wait reason of rows', () => {
  it.each([
    ['no row runs', [], undefined],
    ['no row waits', [GOING, GOING], undefined],
    ['one of them waits', [GOING, AWAY], "1 of 2 checked rows waits: S3 can't be reached"],
    ['the only one waits', [AWAY], "1 of 1 checked row waits: S3 can't be reached"],
    ['they wait for several', [BUSY, AWAY, GOING, AWAY], "2 of 4 checked rows wait: S3 can't be reached"],
  ])('if %s', async (_label, rows, message) => {
    expect((await rowsWaitReason(rows, (row) => findWaitReason(row, look)))?.message).toBe(message);
  });
});

it('takes the rows of a page in the order in which they began', () => {
  const pendingChildren = [
    { workflowId: 'later', initiatedId: 30 },
    { workflowId: 'first', initiatedId: 5 },
  ];
  expect(rowsOf(described({ pendingChildren }))).toEqual(['first', 'later']);
  expect(rowsOf(described({}))).toEqual([]);
});
