import { spawn } from 'node:child_process';
import { buildCommand, COMMAND, lookAll, untilShown } from '../support/built-command';
import { commandEnv } from '../support/command';
import { letGo, nextHeld } from '../support/held';
import { createTerminalScreen } from '../support/terminal-screen';
import { useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
let fixture: UploadFixture;
beforeAll(async () => {
  await buildCommand();
  ({ fixture } = on);
});

interface OnTerminal {
  /** Resolves once the text is on the terminal. Rejects with the whole screen if the command ends first. */
  until(text: string): Promise<void>;
  readonly ended: Promise<{ readonly exit: number | null; readonly lines: string[] }>;
}

/** As a process in a pseudo-terminal of its own, with the program `script` of util-linux. */
function start(words: readonly string[], columns: number, change?: Record<string, string>): OnTerminal {
  const screen = createTerminalScreen(columns, { convertEol: false });
  const quoted = [process.execPath, COMMAND, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const command = `stty cols ${columns} rows 24 -echo; exec ${quoted.join(' ')}`;
  const cwd = fixture.folder;
  const own = { PATH: process.env['PATH'] ?? '', HOME: cwd, SHELL: '/bin/sh', TERM: 'xterm' };
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd,
    env: { ...own, ...commandEnv(fixture), ...change },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const watchers = new Set<() => void>();
  let written = Promise.resolve();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written = screen.write(text).then(() => lookAll(watchers));
  });
  const ended = new Promise<number | null>((done) => child.once('close', done)).then(async (exit) => {
    await written;
    return { exit, lines: screen.lines() };
  });
  return {
    ended,
    until: (text) => untilShown({ text, shown: () => screen.lines().join('\n'), ended, watchers }),
  };
}

/**
 * Watches an upload of two parts. The second part is held until the terminal shows that the upload is sent. A part that
 * is not held yet must not miss its release.
 */
async function watched(
  name: string,
  columns: number,
  change?: Record<string, string>,
): Promise<Awaited<OnTerminal['ended']>> {
  await fixture.writeFile(name, 2);
  const held = nextHeld(fixture.simulator);
  fixture.simulator.fault('hold:always:part=2');
  const words = ['upload', name, '--wait', '--title', name, '--part-size', '5MiB'];
  const command = start(words, columns, change);
  await command.until('uploading');
  await held();
  letGo(fixture.simulator);
  return command.ended;
}

it.each([40, 80])('a terminal of %i columns shows the whole result, and no bar after it', async (columns) => {
  const name = `harbour-at-dawn-${columns}.mp4`;
  const { exit, lines } = await watched(name, columns);
  const { mediaId } = fixture.simulator.seen().sessions.find(({ title }) => title === name) ?? {};
  expect(exit).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^${name}: COMPLETED, .* parts verified, media id ${String(mediaId)}$`)),
  ]);
});

it('TERM=dumb gets plain lines, which are never redrawn', async () => {
  const { exit, lines } = await watched('plain.mp4', 80, { TERM: 'dumb' });
  expect(exit).toBe(0);
  expect(lines.join('\n')).not.toMatch(/[█░]/);
  // The first line may show any step.
  expect(lines).toContainEqual(expect.stringMatching(/\.mp4: [a-z]+, \d+%, /));
  expect(lines.at(-1)).toContain('COMPLETED');
});
