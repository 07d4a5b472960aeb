import type { EventFacts, EventName, SimulatorEvent } from '../../../simulator/control/recorder';
import { blindRepeats } from '../../chaos/activity-table/blind-repeats';

const SESSIONS = [
  { uploadId: 'first', title: 'Film', tags: { ingestKey: 'film' } },
  { uploadId: 'second', title: 'Film', tags: { ingestKey: 'film' } },
  { uploadId: 'other', title: 'Other film', tags: { ingestKey: 'other' } },
];
type Entry = readonly [EventName, EventFacts];
const FIRST: Entry = ['started', { uploadId: 'first' }];
const SECOND: Entry = ['started', { uploadId: 'second' }];
const COMPLETE: Entry = ['request', { operation: 'complete', uploadId: 'first', status: 0 }];
const searchedFor = (ingestKey: string): Entry => ['searched', { tags: { ingestKey } }];
const failedFor = (ingestKey: string): Entry => ['search-failed', { tags: { ingestKey } }];
const readOf = (uploadId: string): Entry => ['request', { operation: 'session', uploadId, status: 200 }];
const search = (status: number): Entry => ['request', { operation: 'search', status }];

function found(...entries: readonly Entry[]): string[] {
  const events = entries.map(([event, facts], index): SimulatorEvent => {
    return { seq: index + 1, at: 0, event, ...facts };
  });
  return blindRepeats(events, SESSIONS);
}

describe('requests that are repeated blindly', () => {
  it.each<[string, readonly Entry[]]>([
    ['nothing between them', []],
    ['a search for another file between them', [searchedFor('other'), search(200)]],
    ['a search for all media between them', [['searched', {}], search(200)]],
    ['a search for another file that failed between them', [failedFor('other'), search(503)]],
    ['a search for all media that failed between them', [['search-failed', {}], search(503)]],
    ['a read of another session between them', [readOf('other')]],
    ['a search for another file whose token was refused between them', [failedFor('other'), search(401)]],
  ])('are two starts of a file with %s', (_, between) => {
    expect(found(searchedFor('film'), readOf('first'), FIRST, ...between, SECOND)).toEqual([
      'start after first',
    ]);
  });

  it.each<[string, readonly Entry[]]>([
    ['a search for it', [searchedFor('film'), search(200)]],
    ['a search whose answer was lost', [searchedFor('film'), search(0)]],
    ['a search for it that failed', [failedFor('film'), search(503)]],
    ['a search for it whose token was refused', [failedFor('film'), search(401)]],
    ['a read of its first session', [readOf('first')]],
  ])('are not two starts of a file with %s between them', (_, between) => {
    expect(found(FIRST, ...between, SECOND)).toEqual([]);
  });

  it('are not the starts of two files', () => {
    expect(found(FIRST, ['started', { uploadId: 'other' }])).toEqual([]);
  });

  it('are two completes of a session without a read of it between them', () => {
    expect(found(FIRST, COMPLETE, COMPLETE)).toEqual(['complete of first']);
    expect(found(FIRST, COMPLETE, readOf('other'), COMPLETE)).toEqual(['complete of first']);
    expect(found(FIRST, COMPLETE, readOf('first'), COMPLETE)).toEqual([]);
  });
});
