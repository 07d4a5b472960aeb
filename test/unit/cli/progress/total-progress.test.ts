import { expect, test } from '@jest/globals';
import { createTotalProgress } from '../../../../cli/progress/total-progress';
import type { TotalProgress } from '../../../../cli/progress/total-progress';

const MB = 1_000_000;

function three(bytes?: number): TotalProgress {
  const size = bytes === undefined ? {} : { bytes };
  return createTotalProgress(['a', 'b', 'c'].map((id) => ({ id, ...size })));
}

test('the total counts files, bytes, and the rate of all', () => {
  const total = three(100 * MB);
  for (let second = 0; second <= 10; second += 1) {
    const at = second * 1000;
    total.show('a', { at, bytes: second * 10 * MB, bytesTotal: 100 * MB });
    total.show('b', { at, bytes: second * 5 * MB, bytesTotal: 100 * MB });
  }
  total.end('a', { at: 10_000, bytes: 100 * MB });
  expect(total.bar()).toEqual({
    name: '1/3 files',
    share: 0.5,
    facts: ['150.0 MB of 300.0 MB', expect.stringMatching(/^1[45]\.\d MB\/s, 1[01] s left$/)],
  });
});

test('bytes that arrived before the first look do not count for the rate', () => {
  const total = three(100 * MB);
  total.show('a', { at: 0, bytes: 90 * MB, bytesTotal: 100 * MB });
  total.end('b', { at: 1000, bytes: 100 * MB });
  total.show('a', { at: 2000, bytes: 90 * MB, bytesTotal: 100 * MB });
  expect(total.bar().facts).toEqual(['190.0 MB of 300.0 MB', '']);
});

test('while sizes are missing, each file counts the same', () => {
  const total = three();
  total.end('a', { at: 0, bytes: 5 * MB });
  total.show('b', { at: 0, bytes: 1 * MB, bytesTotal: 2 * MB });
  expect(total.bar()).toEqual({ name: '1/3 files', share: 0.5, facts: ['6.0 MB', ''] });
});

test.each(['failed', 'cancelled'] as const)('a %s file is named, and its bytes no longer count', (how) => {
  const total = three(100 * MB);
  total.end('a', { at: 0, bytes: 100 * MB });
  total.end('b', { at: 0, how });
  expect(total.bar()).toMatchObject({ name: `1/3 files, 1 ${how}`, share: 0.5 });
});

test('failed and cancelled files are counted apart', () => {
  const total = three(100 * MB);
  total.end('a', { at: 0, how: 'cancelled' });
  total.end('b', { at: 0, how: 'failed' });
  expect(total.bar().name).toBe('0/3 files, 1 failed, 1 cancelled');
});

test('two uploads whose files have the same name count as two', () => {
  const uploads = ['upload/a', 'upload/b'].map((id) => ({ id, file: 'clip.mp4', bytes: 100 * MB }));
  const total = createTotalProgress(uploads);
  for (const { id } of uploads) total.end(id, { at: 0, bytes: 100 * MB });
  expect(total.bar()).toMatchObject({ name: '2/2 files', facts: ['200.0 MB of 200.0 MB', ''] });
});
