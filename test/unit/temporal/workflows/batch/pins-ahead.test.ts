import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PinnedSource, SourceDescriptor } from '../../../../../api/upload/sources/source';
import { PinsAhead } from '../../../../../temporal/workflows/batch/pins-ahead';

const MAX_ROWS = 128;

interface Row {
  readonly id: string;
  readonly source: SourceDescriptor;
}

function files(count: number, from = 0): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const id = String(from + index);
    return { id, source: { kind: 'path', path: `/films/${id}.mp4` } };
  });
}

/** Pins, and the paths that were pinned, in order. */
function pins(fail?: Error): { readonly ahead: PinsAhead; readonly pinned: string[] } {
  const pinned: string[] = [];
  const ahead = new PinsAhead(async (source) => {
    pinned.push('path' in source ? source.path : source.kind);
    if (fail !== undefined) throw fail;
    return pinOf(source, pinned.length);
  });
  return { ahead, pinned };
}

function pinOf(source: SourceDescriptor, bytes: number): PinnedSource {
  return { source, bytes, fileName: 'a.mp4', fingerprint: '' };
}

describe('files of rows that wait for a slot', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are pinned once, and their rows get these pins', async () => {
    const { ahead, pinned } = pins();
    const [one, two] = files(2);
    if (one === undefined || two === undefined) throw new Error('Two rows are needed.');
    ahead.request([one, two]);
    expect(await ahead.take(one)).toEqual(pinOf(one.source, 1));
    expect(await ahead.take(two)).toEqual(pinOf(two.source, 2));
    expect(pinned).toHaveLength(2);
  });

  it('are pinned again if their rows waited ten seconds, because a file may have been replaced', async () => {
    const { ahead, pinned } = pins();
    const rows = files(2);
    const [one, two] = rows;
    if (one === undefined || two === undefined) throw new Error('Two rows are needed.');
    ahead.request(rows);
    await jest.advanceTimersByTimeAsync(9_999);
    expect(await ahead.take(one)).toEqual(pinOf(one.source, 1));
    await jest.advanceTimersByTimeAsync(1);
    expect(await ahead.take(two)).toEqual(pinOf(two.source, 3));
    expect(pinned).toEqual(['/films/0.mp4', '/films/1.mp4', '/films/1.mp4']);
  });

  it('are at most as many as a group takes, and more follow when half of them began', async () => {
    const { ahead, pinned } = pins();
    const rows = files(300);
    ahead.request(rows);
    expect(pinned).toHaveLength(MAX_ROWS);
    for (const row of rows.slice(0, MAX_ROWS / 2 - 1)) await ahead.take(row);
    ahead.request(rows.slice(MAX_ROWS / 2 - 1));
    expect(pinned).toHaveLength(MAX_ROWS);
    for (const row of rows.slice(MAX_ROWS / 2 - 1, MAX_ROWS / 2)) await ahead.take(row);
    ahead.request(rows.slice(MAX_ROWS / 2));
    expect(pinned).toEqual(
      files(MAX_ROWS + MAX_ROWS / 2).map(({ source }) => 'path' in source && source.path),
    );
  });

  it('fail when their row begins, not before', async () => {
    const { ahead } = pins(new Error('It is gone.'));
    const [one] = files(1);
    if (one === undefined) throw new Error('A row is needed.');
    ahead.request([one]);
    await jest.advanceTimersByTimeAsync(1_000);
    await expect(ahead.take(one)).rejects.toThrow('It is gone.');
  });

  it.each<[string, SourceDescriptor]>([
    ['an address', { kind: 'http', url: 'https://cdn.example/a.mp4', label: 'a.mp4' }],
    ['a copy that is deleted at the end', { kind: 'path', path: '/spool/a.mp4', deleteAfter: true }],
  ])('are not pinned ahead if the source is %s', async (_what, source) => {
    const { ahead, pinned } = pins();
    ahead.request([{ id: 'one', source }]);
    expect(pinned).toEqual([]);
    await ahead.take({ id: 'one', source });
    expect(pinned).toHaveLength(1);
  });
});
