import { Writable } from 'node:stream';
import { createLiveLines } from '../../../../cli/output/terminal';
import type { ScreenSize } from '../../../../cli/output/terminal';
import { drawnStream } from '../drawn-stream';

function drawing(columns: number, rows: number, render: (size: ScreenSize) => readonly string[]) {
  const drawn = drawnStream(columns, rows);
  return { ...drawn, live: createLiveLines(drawn.stream, render) };
}

test.each([40, 80, 100, 200])(
  'on a terminal of %i columns, printed lines stay whole above the drawn lines',
  async (columns) => {
    const printed = [0, 1, 2, 3, 4].map((at) => `clip-${at}.mp4: COMPLETED, ${'2.0 MB, '.repeat(at * 6)}id`);
    let drawn = 0;
    const { live, screen, settled } = drawing(columns, 24, () => [`drawn ${(drawn += 1)}`, 'x'.repeat(500)]);
    for (const line of printed) {
      live.draw();
      live.print(line);
    }
    live.draw();
    await settled();
    expect(screen.lines()).toEqual([...printed, 'drawn 11', `${'x'.repeat(columns - 2)}…`]);
  },
);

test('lines beyond the rows of the terminal are cut, and none is left behind', async () => {
  const { live, screen, settled } = drawing(40, 5, ({ rows }) =>
    Array.from({ length: rows + 3 }, (_unused, at) => `bar ${at}`),
  );
  for (let at = 0; at < 4; at += 1) live.draw();
  live.print('above');
  live.draw();
  await settled();
  expect(screen.lines()).toEqual(['above', 'bar 0', 'bar 1', 'bar 2', 'bar 3']);
});

test('the echo of a key press is wiped', async () => {
  const { live, screen, settled } = drawing(40, 24, () => ['bar']);
  live.draw();
  await settled();
  await screen.write('^C');
  live.draw();
  await settled();
  expect(screen.lines()).toEqual(['bar']);
});

test('a pseudo-terminal without a size counts as 80 columns wide', () => {
  const sizes: ScreenSize[] = [];
  const screen = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), {
    columns: 0,
    rows: 0,
  });
  createLiveLines(screen, (size) => {
    sizes.push(size);
    return [];
  }).draw();
  expect(sizes).toEqual([{ columns: 79, rows: 23 }]);
});
