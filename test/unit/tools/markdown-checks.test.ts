import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../support/pack';
import { type TempDir, createTempDir } from '../../support/temp-dir';

/** What a function of tools/checks finds. */
function findings(module: string, name: string, argument: string): unknown {
  const url = pathToFileURL(join(ROOT, 'tools', 'checks', `${module}.mjs`)).href;
  const code = `import { ${name} } from ${JSON.stringify(url)};
    process.stdout.write(JSON.stringify(${name}(${JSON.stringify(argument)})));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }),
  );
}

describe('the words of the glossary', () => {
  test('an old word is found with its line, whatever its form and case', () => {
    expect(findings('markdown-words', 'oldWords', 'Fine.\n\nThe upload Goes on.\n')).toEqual([
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
  ])('"%s" is one', (text) => {
    expect(findings('markdown-words', 'oldWords', text)).toHaveLength(1);
  });

  test.each([
    'the flag `--window 20`, and `heldUpBy`',
    '```\nheld up: it goes on\n```',
    '    held up: it goes on',
    'a [link](workflows/batch/batch-window.ts)',
    'a stand-in',
    'read in place',
    'the account of a partner',
    '- a list\n    - with a list, and `goes on`',
  ])('%j is none', (text) => {
    expect(findings('markdown-words', 'oldWords', text)).toEqual([]);
  });

  test('prose after a block is read again', () => {
    expect(findings('markdown-words', 'oldWords', '```sh\nls\n```\n\nIt goes on.')).toHaveLength(1);
  });
});

describe('a cell of a table', () => {
  const cell = (words: number): string => `| a | ${'word '.repeat(words)}|`;

  test('may have 25 words', () => {
    expect(findings('markdown-cells', 'longCells', cell(25))).toEqual([]);
    expect(findings('markdown-cells', 'longCells', `\n${cell(26)}`)).toEqual([
      expect.stringMatching(/^2: a cell has 26 words: word word/),
    ]);
  });

  test('may have more if it repeats a text of the code', () => {
    const row = `| \`MEDIA_SERVICE_X\` | ${'word '.repeat(40)}|`;
    expect(findings('markdown-cells', 'longCells', row)).toEqual([]);
  });
});

describe('a link', () => {
  let dir: TempDir;

  beforeAll(async () => {
    dir = await createTempDir('links');
    await writeFile(
      join(dir.path, 'other.md'),
      "# What's `--new` here?\n\n```sh\n# no heading\n```\n\n## Part 2\n",
    );
  });
  afterAll(() => dir.remove());

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
    expect(findings('markdown-links', 'deadLinks', page)).toEqual(dead);
  });
});
