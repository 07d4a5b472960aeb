import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/pack';
import {
  type PageBlock,
  RUN_PAGES,
  TYPESCRIPT_PAGES,
  allBlocks,
  isMarked,
  linesOutsideBlocks,
  pages,
} from '../../support/page-blocks';

const blocks = allBlocks();
const where = ({ page, line }: PageBlock): string => `${page}:${line}`;

describe('a block of code on a page of the docs', () => {
  test('names its language, so that no command hides from the tests', () => {
    const others = blocks.filter(({ language }) => !['sh', 'ts', 'json', 'yaml', 'ini'].includes(language));
    expect(others.map(where)).toEqual([]);
  });

  test.each<[language: string, run: readonly string[], least: number]>([
    ['sh', RUN_PAGES, 30],
    ['ts', TYPESCRIPT_PAGES, 6],
  ])('is run by a test if it is %s, or says why it is not', (language, run, least) => {
    const all = blocks.filter((block) => block.language === language);
    expect(all.length).toBeGreaterThan(least);
    expect(all.filter((block) => !run.includes(block.page) && !isMarked(block)).map(where)).toEqual([]);
  });
});

describe('the mark of a block that is not run', () => {
  const marks = pages().flatMap((page) =>
    readFileSync(join(ROOT, page), 'utf8')
      .split('\n')
      .filter((line) => /^ *<!-- *(?:not run|run by)/i.test(line))
      .map((line) => `${page}: ${line.trim()}`),
  );

  test('is directly before the block, and has a reason or a test that runs it', () => {
    expect(marks.length).toBeGreaterThan(10);
    expect(blocks.filter(isMarked).map(({ page, mark = '' }) => `${page}: <!-- ${mark} -->`)).toEqual(marks);
  });

  test('names only tests that exist', () => {
    const named = blocks.flatMap(({ mark = '' }) => mark.match(/\btest\/[\w/.-]+\.ts\b/g) ?? []);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

test('a command is never in an indented block, which names no language', () => {
  const indented = pages().flatMap((page) =>
    linesOutsideBlocks(page)
      .filter(({ text }) =>
        /^ {4,}(?:sudo |\$ )?(?:media-service|npm|npx|temporal|docker|kubectl) /.test(text),
      )
      .map(({ line }) => `${page}:${line}`),
  );
  expect(indented).toEqual([]);
});
