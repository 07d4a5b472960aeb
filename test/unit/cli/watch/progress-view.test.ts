import { PassThrough } from 'node:stream';
import { uploadReading } from '../../../../cli/commands/uploads/wait';
import { batchReading } from '../../../../cli/commands/batches/wait';
import { chooseProgressView, Progress } from '../../../../cli/watch/progress-view';
import type { Named, ProgressView } from '../../../../cli/watch/progress-view';
import { Terminal } from '../../../../cli/output/terminal';
import type { LiveProgress } from '../../../../temporal/upload/client/open-upload';
import { cliContext } from '../../../support/cli-context';
import { drawnStream } from '../drawn-stream';
import { BEGUN, liveBatch } from '../live-fixture';

const SENDING: LiveProgress = { ...BEGUN, bytesTotal: 100, partsRunning: [1], partsTotal: 2 };
const MB = 1_000_000;

type Readings = ReadonlyArray<readonly [second: number, change: Partial<LiveProgress>]>;

/** Shows reports at these times (s) and returns the lines. */
function linesOf(readings: Readings): string[] {
  let now = 0;
  const { context, written } = cliContext();
  const all = [{ id: 'upload/a', name: 'clip.mp4' }];
  const view = chooseProgressView(context.terminal, { now: () => now, all });
  for (const [second, change] of readings) {
    now = second * 1000;
    view.show('upload/a', uploadReading({ ...SENDING, ...change }));
  }
  expect(written.stdout).toBe('');
  return written.stderr.trimEnd().split('\n');
}

const waiting = (second: number): Readings[number] => [second, { waitsForSlot: true, heartbeatAt: second }];

test.each<[what: string, readings: Readings, lines: readonly string[]]>([
  [
    'a line at first, then every five seconds while bytes move',
    [1, 4, 5, 6].reduce<Readings>((all, at) => [...all, [at, { bytesInFlight: at * 10 }]], [[0, {}]]),
    [
      'uploading, 0%, 0 B of 100 B, 0 of 2 parts',
      'uploading, 50%, 50 B of 100 B, 0 of 2 parts, 10 B/s, 5 s left',
    ],
  ],
  [
    'nothing again while nothing moves',
    [
      [0, {}],
      [60, {}],
      [120, {}],
    ],
    ['uploading, 0%, 0 B of 100 B, 0 of 2 parts'],
  ],
  [
    'a wait for a slot once',
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map(waiting),
    [
      'uploading, 0%, 0 B of 100 B, 0 of 2 parts',
      'uploading, 0%, 0 B of 100 B, 0 of 2 parts, waiting for a slot',
    ],
  ],
  [
    'a new phase at once',
    [
      [0, {}],
      [1, { paused: true, bytesInFlight: 10 }],
      [2, { phase: 'processing', bytesDone: 100, partsDone: 2, sessionStatus: 'PENDING_COMPLETE' }],
      [3, { phase: 'completing', paused: true, bytesDone: 100, partsDone: 2 }],
    ],
    [
      'uploading, 0%, 0 B of 100 B, 0 of 2 parts',
      'paused, 10%, 10 B of 100 B, 0 of 2 parts',
      'processing (PENDING_COMPLETE), 100%, 100 B of 100 B, 2 of 2 parts',
      'completing, 100%, 100 B of 100 B, 2 of 2 parts',
    ],
  ],
])('a log has %s', (_what, readings, lines) => {
  expect(linesOf(readings)).toEqual(lines.map((line) => `clip.mp4: ${line}`));
});

describe('one line', () => {
  const HALF = { ...SENDING, bytesTotal: 300 * MB, bytesDone: 100 * MB, partsTotal: 15, partsDone: 5 };

  /** Checked every second: ten seconds at 10 MB/s, then no new byte. */
  function stillFor(seconds: number, lastHeartbeat: number, change: Partial<LiveProgress> = {}): string {
    const shown = new Progress('clip.mp4');
    for (let second = 0; second <= 10 + seconds; second += 1) {
      const bytesInFlight = Math.min(second, 10) * 10 * MB - 50 * MB;
      const heartbeatAt = Math.min(second, lastHeartbeat);
      shown.add(uploadReading({ ...HALF, bytesInFlight, heartbeatAt, ...change }), second * 1000);
    }
    return shown.text;
  }

  test('shows everything, and the rate while heartbeats come', () => {
    expect(stillFor(4, 14, { retries: 1 })).toMatch(
      /^clip\.mp4: uploading, 50%, 150\.0 MB of 300\.0 MB, 5 of 15 parts, 1 retry, [1-9]\.\d MB\/s, \d+ s left$/,
    );
  });

  test('leaves out what is unknown', () => {
    const shown = new Progress('clip.mp4');
    shown.add(uploadReading({ ...BEGUN, phase: 'pinning' }), 0);
    expect(shown.text).toBe('clip.mp4: pinning');
  });

  const waitReason = { code: 'StorageBusy', message: 'storage is busy' } as const;
  test.each<[seconds: number, lastHeartbeat: number, change: Partial<LiveProgress>, ending: RegExp]>([
    [9, 10, {}, / parts$/],
    [12, 10, {}, /, no news from its worker$/],
    [2, 12, { waitsForSlot: true }, / MB\/s, \d+ s left$/],
    [6, 16, { waitsForSlot: true }, /, waiting for a slot$/],
    // The reason has a line of its own.
    [6, 16, { waitsForSlot: true, waitReason }, /, waiting$/],
  ])('after %i s without progress, with a heartbeat at %i s and %j, ends as %s', (...row) => {
    const [seconds, lastHeartbeat, change, ending] = row;
    expect(stillFor(seconds, lastHeartbeat, change)).toMatch(ending);
  });

  test('bytes under way count, but never more than the file has', () => {
    expect(uploadReading({ ...HALF, bytesInFlight: 900 * MB }).done).toBe(300 * MB);
  });
});

const COUNTS = { rows: 20_000, completed: 8_123, failed: 12, running: 64, waiting: 11_801, bytes: 1.2e9 };

test('a batch has one line with its numbers and rows per second', () => {
  const reading = batchReading(liveBatch({ ...COUNTS, earlier: 20 }));
  const shown = new Progress('harbour');
  shown.add({ ...reading, done: reading.done - 400 }, 0);
  shown.add(reading, 10_000);
  expect(shown.text).toBe(
    'harbour: uploading, 40%, 8,135 of 20,000, 8,123 completed (20 earlier), 12 failed, 64 running, 11,801 waiting, ' +
      '1.2 GB, 40 rows/s, 4 min 57 s left',
  );
});

test('a rate needs two reports of what moves, and what was done before says nothing about it', () => {
  const reading = batchReading(liveBatch(COUNTS));
  const shown = new Progress('harbour');
  shown.add({ ...reading, done: 0, moves: false }, 0);
  shown.add({ ...reading, done: 7_000, moves: false }, 1_000);
  shown.add({ ...reading, done: 7_000 }, 2_000);
  shown.add({ ...reading, done: 7_010 }, 3_000);
  expect(shown.text).toContain(', 5.0 rows/s, ');
});

test('bytes that a failed try loses make the progress pause, but never go back', () => {
  const shown = new Progress('clip.mp4');
  shown.add(uploadReading({ ...SENDING, bytesInFlight: 80 }), 0);
  shown.add(uploadReading({ ...SENDING, bytesInFlight: 20 }), 1_000);
  expect(shown.text).toBe('clip.mp4: uploading, 80%, 80 B of 100 B, 0 of 2 parts');
});

/** What a terminal of this size shows after `draw`. */
async function drawn(
  { columns, rows = 24 }: { readonly columns: number; readonly rows?: number },
  all: readonly Named[],
  draw: (view: ProgressView) => void,
): Promise<string[]> {
  const { screen, stream, settled } = drawnStream(columns, rows);
  const stderr = Object.assign(stream, { isTTY: true });
  const terminal = new Terminal({ stdout: new PassThrough(), stderr });
  const view = chooseProgressView(terminal, { now: () => 0, all });
  draw(view);
  view.close();
  await settled();
  return screen.rows();
}

const halfDone = uploadReading({ ...BEGUN, bytesTotal: 300 * MB, bytesDone: 150 * MB });

function bars(names: readonly string[], completed: readonly string[], rows: number): Promise<string[]> {
  const all = names.map((name) => ({ id: `upload/${name}`, name }));
  return drawn({ columns: 80, rows }, all, (view) => {
    for (const { id } of all) view.show(id, halfDone);
    for (const name of completed) view.end(`upload/${name}`, 'completed');
  });
}

test('each running upload has a bar before its line, and several a count', async () => {
  const bar = '██████████░░░░░░░░░░';
  expect(await bars(['clip.mp4', '港の映像.mp4'], [], 24)).toEqual([
    `${bar}  clip.mp4: uploading, 50%, 150.0 MB of 300.0 MB`,
    `${bar}  港の映像.mp4: uploading, 50%, 150.0 MB of 300.0 MB`,
    '0/2 files',
  ]);
  expect(await bars(['clip.mp4'], [], 24)).toHaveLength(1);
});

test('if the terminal has too few rows, the first running uploads are shown, and the count has all', async () => {
  const lines = await bars(['1.mp4', '2.mp4', '3.mp4', '4.mp4', '5.mp4'], ['1.mp4', '3.mp4'], 4);
  expect(lines.map((line) => /[^ ]+\.mp4|files/.exec(line)?.[0])).toEqual(['2.mp4', '4.mp4', 'files']);
  expect(lines.at(-1)).toBe('2/5 files');
});

test('two uploads of files with the same name have a line each, and those that have ended none', async () => {
  const all = ['a', 'b', 'c'].map((id) => ({ id, name: 'clip.mp4' }));
  const [first, second] = await drawn({ columns: 80 }, all, (view) => {
    for (const { id } of all) view.show(id, halfDone);
    view.end('b', 'completed');
    view.end('c', 'cancelled');
  });
  expect(first).toContain('clip.mp4: uploading, 50%');
  expect(second).toBe('1/3 files, 1 cancelled');
});

test('many uploads share one line of a log', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, name: id }));
  const { context, written } = cliContext();
  const view = chooseProgressView(context.terminal, { now: () => 0, all });
  view.show('a', halfDone);
  view.end('a', 'completed');
  view.end('b', 'failed');
  expect(written.stderr).toBe('1/6 files\n');
});

test.each<[columns: number, row: string]>([
  [40, 'harbour: uploading, 40%, 8,135 of 20,0…'],
  [
    100,
    '████████░░░░░░░░░░░░  harbour: uploading, 40%, 8,135 of 20,000, 8,123 completed, 12 failed, 64 run…',
  ],
])('the line of a batch at %i columns', async (columns, row) => {
  const all = [{ id: 'batch/harbour', name: 'harbour' }];
  const show = (view: ProgressView): void => view.show('batch/harbour', batchReading(liveBatch(COUNTS)));
  expect(await drawn({ columns }, all, show)).toEqual([row]);
});
