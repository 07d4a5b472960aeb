import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../support/pack';
import { useTempDir } from '../../support/use-temp-dir';

/** Loads a module once, and calls it for each message. Jest can't load these modules itself. */
const CALLED = `process.on('message', async ([url, name, argument]) => {
  const module = await import(url);
  process.send(JSON.stringify(module[name](argument)));
});`;

let checks: ChildProcess;
beforeAll(() => {
  checks = spawn(process.execPath, ['--input-type=module', '-e', CALLED], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
});
afterAll(() => void checks.kill());

/** The result of a function of tools/checks. */
async function findings(module: string, name: string, argument: string): Promise<unknown> {
  const url = pathToFileURL(join(ROOT, 'tools', 'checks', `${module}.mjs`)).href;
  checks.send([url, name, argument]);
  const answer: unknown[] = await once(checks, 'message');
  return JSON.parse(String(answer[0]));
}

describe('the glossary check', () => {
  test('finds an old word with its line, whatever its form and case', async () => {
    expect(await findings('glossary-words', 'oldWords', 'Fine.\n\nThe upload Goes on.\n')).toEqual([
      '3: "Goes on" -> continue',
    ]);
  });

  test.each([
    'the ledger',
    'its account of each row',
    'a place for files',
    'the window is 256',
    'workers tell',
    'it is held up',
    'mend the file',
    'begin anew',
    'heed a limit',
    'it has to end',
    'as it stands',
    'a date that is none',
    'metadata that is no JSON',
  ])('reports "%s"', async (text) => {
    expect(await findings('glossary-words', 'oldWords', text)).toHaveLength(1);
  });

  test.each([
    'the flag `--window 20`, and `waitReason`',
    '```\nheld up: it goes on\n```',
    '    held up: it goes on',
    'a [link](workflows/batch/batch-window.ts)',
    'a stand-in',
    'a part that is no longer needed',
    'a file that is no larger than the limit',
    'read in place',
    'placed into place',
    'the account of a partner',
    '- a list\n    - with a list, and `goes on`',
  ])('does not report %j', async (text) => {
    expect(await findings('glossary-words', 'oldWords', text)).toEqual([]);
  });

  test('reads the comments and texts of TypeScript, but no names', async () => {
    const code = [
      'const window = 1; // The window is full.',
      '/** Tells `reported` the user. */',
      "fail('it stands still');",
      'fail(`the ledger of ${window}`);',
      "choose('window');",
    ];
    expect(await findings('glossary-words', 'oldWordsOfCode', code.join('\n'))).toEqual([
      '1: "window" -> concurrency, or period',
      '2: "Tells" -> report, say, name, notify',
      '3: "stands" -> is, are',
      '4: "ledger" -> page journal',
    ]);
  });

  test('finds an old word in each kind of name', async () => {
    const code = [
      'const tellAll = 1;',
      'class A { readonly #placeOf = 1; }',
      'type BatchLedger = string;',
      'const MOST_KEPT = 1;',
      'interface HeldUp {}',
    ];
    expect(await findings('glossary-words', 'oldNames', code.join('\n'))).toEqual([
      '1: the name "tellAll" -> report, notify, send',
      '2: the name "placeOf" -> location, context, or what it is',
      '3: the name "BatchLedger" -> page journal',
      '4: the name "MOST_KEPT" -> max',
      '5: the name "HeldUp" -> wait reason',
    ]);
  });

  test('accepts names of others, names that only contain the letters, and texts', async () => {
    const code = [
      'const catchupWindow = replaced;',
      'const atMost = heldToken;',
      "const telephone = 'place';",
      'displaced(heartbeatMs);',
    ];
    expect(await findings('glossary-words', 'oldNames', code.join('\n'))).toEqual([]);
  });

  test('reads names of files and folders', async () => {
    expect(await findings('glossary-words', 'oldWordsOfPath', 'api/places/ledger-lines.test.ts')).toEqual([
      '1: the name "places" -> location, context, or what it is',
      '1: the name "ledger-lines" -> page journal',
    ]);
    expect(await findings('glossary-words', 'oldWordsOfPath', '.github/workflows/check.yml')).toEqual([]);
  });

  test('reads the notes of a template and the comments of a file for operators', async () => {
    const lines = ['# Fine.', '  "content": "## One\\nWishes go `its place`"', '# It goes on.'];
    expect(await findings('glossary-words', 'oldWordsOfLines', lines.join('\n'))).toEqual([
      '2: "Wishes" -> request, preferred',
      '3: "goes on" -> continue',
    ]);
  });

  test('finds an old word in the title of a test', async () => {
    const code = [
      "describe('a part that goes on', () => {});",
      "it.each([['a place for it']])('is read: %s', () => {});",
    ];
    expect(await findings('glossary-words', 'oldWordsOfCode', code.join('\n'))).toEqual([
      '1: "goes on" -> continue',
      '2: "place" -> file location, folder, or what it is',
    ]);
  });

  test('finds a word that wraps over two lines of code', async () => {
    const code = [
      '/**',
      ' * The check is switched',
      ' * off.',
      ' */',
      '// It was never',
      '// to be read; it goes',
      '  // on.',
      '// Fine.',
      '',
      '// on.',
      'fail(`it is',
      '  to be read`);',
    ];
    expect(await findings('glossary-words', 'oldWordsOfCode', code.join('\n'))).toEqual([
      '1: "switched off" -> turn on, turn off',
      '5: "goes on" -> continue',
      '11: "is to be" -> can, can\'t, must',
    ]);
  });

  test.each([
    ['test/unit/api/upload/parts/part-plan.test.ts', true],
    ['test/support/memory.ts', true],
    ['tools/checks/check-docs.mjs', true],
    ['test/support/slowest-first.cjs', true],
    ['test/unit/tools/markdown-checks.test.ts', false],
    ['tools/checks/glossary-words.mjs', false],
    ['test/histories/record.ts', false],
    ['deploy/compose/compose.yaml', false],
  ])('reads the code of %s: %j', async (file, read) => {
    expect(await findings('glossary-words', 'isCheckedSource', file)).toBe(read);
  });

  test.each(["unexpected field 'place'", 'a window title'])(
    'accepts a text of others: "%s"',
    async (text) => {
      expect(await findings('glossary-words', 'oldWordsOfCode', `fail(${JSON.stringify(text)});`)).toEqual(
        [],
      );
    },
  );

  test('checks prose again after a block', async () => {
    expect(await findings('glossary-words', 'oldWords', '```sh\nls\n```\n\nIt goes on.')).toHaveLength(1);
  });
});

describe('the cell of a table', () => {
  const cell = (words: number): string => `| a | ${'word '.repeat(words)}|`;

  test('may have 20 words', async () => {
    expect(await findings('markdown-layout', 'longCells', cell(20))).toEqual([]);
    expect(await findings('markdown-layout', 'longCells', `\n${cell(21)}`)).toEqual([
      expect.stringMatching(/^2: a cell has 21 words: word word/),
    ]);
  });

  test('may not have more if it repeats a text of the code', async () => {
    const row = `| \`MEDIA_SERVICE_X\` | ${'word '.repeat(21)}|`;
    expect(await findings('markdown-layout', 'longCells', row)).toHaveLength(1);
  });
});

describe('a line of a page', () => {
  const row = (length: number): string => `| ${'a'.repeat(length - 4)} |`;

  test('may have 120 characters, whatever their number of bytes', async () => {
    const lines = ['a'.repeat(120), '…'.repeat(120), row(120)];
    expect(await findings('markdown-layout', 'longLines', lines.join('\n'))).toEqual([]);
  });

  test('may not have more, in a table or a block of code either', async () => {
    const lines = ['a'.repeat(121), row(122), '```sh', 'a'.repeat(123), '```'];
    expect(await findings('markdown-layout', 'longLines', lines.join('\n'))).toEqual([
      '1: the line has 121 characters',
      '2: the line has 122 characters: shorten its cells, or write a list',
      '4: the line has 123 characters',
    ]);
  });
});

test('a typographic apostrophe is reported with its line', async () => {
  const text = "it's\nit\u2019s\nits";
  expect(await findings('glossary-words', 'typographicApostrophes', text)).toEqual(["2: \u2019 -> '"]);
});

describe('a link', () => {
  const dir = useTempDir('links');

  beforeAll(async () => {
    await writeFile(
      join(dir.path, 'other.md'),
      "# What's `--new` here?\n\n```sh\n# no heading\n```\n\n## Part 2\n",
    );
  });

  test.each([
    { link: 'other.md', dead: [] },
    { link: 'other.md#whats---new-here', dead: [] },
    { link: 'other.md#part-2', dead: [] },
    { link: '#own', dead: [] },
    { link: 'https://example.org/none', dead: [] },
    { link: 'none.md', dead: ['none.md: there is no such file'] },
    { link: 'other.md#part-3', dead: ['other.md#part-3: there is no such heading'] },
    { link: 'other.md#no-heading', dead: ['other.md#no-heading: there is no such heading'] },
    { link: '#others', dead: ['#others: there is no such heading'] },
  ])('to $link: $dead', async ({ link, dead }) => {
    const page = join(dir.path, 'page.md');
    await writeFile(page, `# Own\n\nSee [it](${link}).\n`);
    expect(await findings('markdown-links', 'deadLinks', page)).toEqual(dead);
  });
});
