import { expect, test } from '@jest/globals';
import { createProgressBars } from '../../../../cli/progress/progress-view';
import { drawnStream } from '../drawn-stream';
import { BEGUN } from '../live-fixture';

const BYTES = 300_000_000;

async function shown(
  files: readonly string[],
  completed: readonly string[],
  rows: number,
): Promise<string[]> {
  const { screen, stream, settled } = drawnStream(80, rows);
  const uploads = files.map((file) => ({ id: file, file, bytes: BYTES }));
  const view = createProgressBars(stream, { now: () => 0, uploads });
  for (const file of files) view.show(file, { ...BEGUN, bytesTotal: BYTES, bytesDone: BYTES / 2 });
  for (const file of completed) view.completed(file, BYTES);
  view.close();
  await settled();
  return screen.lines();
}

test('bars are drawn one below the other, even with wide characters in a name, and the last is the total', async () => {
  const bar = '█████████░░░░░░░░░░';
  const [first = '', second = '', total = ''] = await shown(['/in/clip.mp4', '港の映像.mp4'], [], 24);
  expect(first).toMatch(new RegExp(`^clip\\.mp4 +${bar}  50%  150\\.0 MB of 300\\.0 MB  uploading$`));
  expect(second).toMatch(new RegExp(`^港の映像\\.mp4 +${bar}  50%  150\\.0 MB of 300\\.0 MB  uploading$`));
  expect(total).toMatch(new RegExp(`^0/2 files +${bar}  50%  300\\.0 MB of 600\\.0 MB$`));
});

test('one upload has one bar', async () => {
  expect(await shown(['clip.mp4'], [], 24)).toHaveLength(1);
});

test('if the terminal has too few rows, running uploads are shown, and the total counts the others', async () => {
  const files = ['1.mp4', '2.mp4', '3.mp4', '4.mp4', '5.mp4'];
  const lines = await shown(files, ['1.mp4', '3.mp4'], 4);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['2.mp4', '4.mp4', '2/5']);
  expect(lines.at(-1)).toMatch(/^2\/5 files .* 70% {2}1\.1 GB of 1\.5 GB$/);
});

test('two uploads of files with the same name have a bar each', async () => {
  const { screen, stream, settled } = drawnStream(80, 24);
  const uploads = ['upload/a', 'upload/b'].map((id) => ({ id, file: 'clip.mp4', bytes: BYTES }));
  const view = createProgressBars(stream, { now: () => 0, uploads });
  view.show('upload/a', { ...BEGUN, bytesTotal: BYTES, bytesDone: BYTES / 2 });
  view.show('upload/b', { ...BEGUN, bytesTotal: BYTES, bytesDone: BYTES / 4 });
  view.completed('upload/b', BYTES);
  view.close();
  await settled();
  const [first = '', second = '', total = ''] = screen.lines();
  expect(first).toMatch(/^clip\.mp4 .* 50% /);
  expect(second).toMatch(/^clip\.mp4 .*100% .*completed$/);
  expect(total).toMatch(/^1\/2 files .* 75% /);
});
