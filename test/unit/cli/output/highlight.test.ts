import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { highlight, highlightBar } from '../../../../cli/output/plain-text';
import { keptOutput } from '../kept-output';

const ESCAPE = '\x1b[';

test.each([
  ['an error', 'Error (clip.mp4): it is gone.\n  What to do: Check the path.\n'],
  ['a warning', 'Warning: no worker is there.'],
  ['a mark of doctor', 'ok    login: done\nFAIL  Temporal: refused\n      -> Start it.\n'],
  ['the head of a table', 'STATUS  FILE  SUB-ACCOUNT\nCOMPLETED  a.mp4  x\n'],
  ['the end of an upload', 'clip.mp4: COMPLETED, 2.0 MB in 3 s'],
])('%s is coloured, and its text stays the same', (_label, text) => {
  expect(highlight(text)).toContain(ESCAPE);
  expect(stripVTControlCharacters(highlight(text))).toBe(text);
});

test.each([['a.mp4: uploading, 41%'], ['an Error: in the middle'], ['NOTES'], ['okay: fine']])(
  '%s stays plain',
  (text) => {
    expect(highlight(text)).toBe(text);
  },
);

test('a bar is coloured, and keeps its width', () => {
  const line = 'clip.mp4 ███░░░  50%';
  expect(highlightBar(line)).toContain(ESCAPE);
  expect(stripVTControlCharacters(highlightBar(line))).toBe(line);
});

describe('a terminal', () => {
  async function printed(
    isTTY: boolean,
    colours: boolean,
    plain = false,
  ): Promise<Record<'stdout' | 'stderr', string[]>> {
    const kind = { isTTY, hasColors: () => colours };
    const { terminal, written } = keptOutput({ stdout: kind, stderr: kind }, { plain });
    await terminal.data('ok    login: done\n');
    terminal.note('Warning: no worker is there.');
    await terminal.json({ error: 'Error: none: FAILED' });
    terminal.report('{"error":{"message":"x: FAILED"}}\n');
    const linesOf = (text: string): string[] => text.trimEnd().split('\n');
    return { stdout: linesOf(written.stdout), stderr: linesOf(written.stderr) };
  }

  test('with colours gets them, but never in JSON', async () => {
    const coloured = expect.stringContaining(ESCAPE);
    const plain = expect.not.stringContaining(ESCAPE);
    expect(await printed(true, true)).toEqual({ stdout: [coloured, plain], stderr: [coloured, plain] });
  });

  test.each([
    ['without colours', true, false, false],
    ['of a user who wants none (NO_COLOR, TERM=dumb)', true, true, true],
    ['that is a file or a pipe', false, true, false],
  ])('%s gets plain text', async (_label, tty, colours, plain) => {
    expect(JSON.stringify(await printed(tty, colours, plain))).not.toContain(
      JSON.stringify(ESCAPE).slice(1, -1),
    );
  });
});
