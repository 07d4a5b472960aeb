import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textWidth } from '../../cli/output/text-width';
import { commandEnv, buildCommand } from '../support/command';
import { startOnTerminal, type CommandOnTerminal } from '../support/pseudo-terminal';
import { openUploadFixture, type UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

let fixture: UploadFixture;
let env: Record<string, string>;

beforeAll(async () => {
  await buildCommand();
  fixture = await openUploadFixture();
  await fixture.startWorker();
  env = commandEnv(fixture);
});
afterAll(() => fixture.close());

function start(
  words: readonly string[],
  columns: number,
  change: Record<string, string> = {},
): CommandOnTerminal {
  return startOnTerminal(words, { cwd: fixture.folder, env: { ...env, ...change }, columns });
}

/**
 * Watches an upload of two parts. The second part is held until the terminal shows that the upload is sent. A part that
 * is not held yet must not miss its release.
 */
async function watched(
  name: string,
  columns: number,
  change: Record<string, string> = {},
): Promise<{ readonly exit: number | null; readonly lines: string[] }> {
  await fixture.writeFile(name, 2);
  const from = fixture.simulator.events().at(-1)?.seq ?? 0;
  fixture.simulator.fault('hold:always:part=2');
  const command = start(['upload', name, '--wait', '--title', name, '--part-size', '5MiB'], columns, change);
  await command.until('%');
  await fixture.simulator.waitFor(({ event, part, seq }) => event === 'held' && part === 2 && seq > from);
  fixture.simulator.clearFaults();
  fixture.simulator.release();
  return command.ended;
}

describe.each([40, 80, 100, 200])('a terminal of %i columns', (columns) => {
  it('shows the whole result of an upload, and its bar only once', async () => {
    const name = `harbour-at-dawn-${columns}.mp4`;
    const { exit, lines } = await watched(name, columns);
    const { mediaId } = fixture.simulator.seen().sessions.find(({ title }) => title === name) ?? {};
    expect(exit).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^${name}: COMPLETED, .* parts verified, media id ${String(mediaId)}$`),
      ),
      expect.stringMatching(/^harbour-at.* 100% .*completed$/),
    ]);
  });

  it('shows the table of uploads within its width, except for IDs that are wider', async () => {
    const name = `listed-${columns}.mp4`;
    await fixture.writeFile(name, 0.5);
    expect((await start(['upload', name, '--wait'], columns).ended).exit).toBe(0);
    const { lines } = await until(
      `uploads list shows ${name}`,
      () => start(['uploads', 'list', '--name', name], columns).ended,
      (shown) => shown.lines.some((line) => line.includes(name)),
    );
    const [head = '', ...rows] = lines;
    expect(head).toMatch(/^STATUS +FILE/);
    const wide = rows.filter((line) => textWidth(line) > columns && line.trim().includes(' '));
    expect(wide).toEqual([]);
    expect(rows.join('\n')).toMatch(new RegExp(`^COMPLETED +${name}`, 'm'));
  });

  it('shows all numbers of a batch, and only once', async () => {
    const rows = [1, 2, 3].map((at) => `row-${columns}-${at}.mp4`);
    for (const row of rows) await fixture.writeFile(row, 0.5);
    await writeFile(join(fixture.folder, `rows-${columns}.csv`), ['source', ...rows].join('\n'));
    const { exit, lines } = await start(['batch', 'start', `rows-${columns}.csv`, '--watch'], columns).ended;
    expect(exit).toBe(0);
    const text = lines.join(' ');
    for (const cell of ['done 3 of 3', 'running 0', 'failed 0', 'waiting 0'])
      expect(text.split(cell)).toHaveLength(2);
    expect(text.split('100%')).toHaveLength(2);
  });
});

it.each([
  ['TERM=dumb', { TERM: 'dumb' }],
  ['NO_COLOR', { NO_COLOR: '1' }],
])('%s gets plain lines, which are never redrawn', async (label, change: Record<string, string>) => {
  const { exit, lines } = await watched(`plain-${label.toLowerCase()}.mp4`, 80, change);
  expect(exit).toBe(0);
  expect(lines.join('\n')).not.toMatch(/[█░]/);
  // The first line may show any step.
  expect(lines).toContainEqual(expect.stringMatching(/\.mp4: [a-z]+, \d+% /));
  expect(lines.at(-1)).toContain('COMPLETED');
});
