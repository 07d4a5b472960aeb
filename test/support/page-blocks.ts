import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './pack';

/** A fenced block of code on a page of the docs. */
export interface PageBlock {
  readonly page: string;
  /** The last heading of the second level above it. */
  readonly chapter: string;
  /** Of its first line of code. */
  readonly line: number;
  /** Empty if the fence names none. */
  readonly language: string;
  /** Without the indentation of its list. */
  readonly text: string;
  /** Content of the HTML comment directly before it. */
  readonly mark?: string;
  /** The indented block directly after it: what the block prints. */
  readonly shown?: string;
}

export interface PageLine {
  readonly line: number;
  readonly text: string;
}

/** The pages whose unmarked shell blocks `test/integration/docs-commands.test.ts` runs, in this order. */
export const RUN_PAGES = [
  'README.md',
  'docs/cli.md',
  'docs/configuration.md',
  'docs/batch.md',
  'docs/gateway.md',
  'docs/reports.md',
  'docs/operations/upgrade.md',
  'simulator/README.md',
] as const;
export type RunPage = (typeof RUN_PAGES)[number];

/** The pages whose unmarked TypeScript a test runs: `guide-api`, and `docs-commands` for the last one. */
export const TYPESCRIPT_PAGES = ['README.md', 'docs/guide-api.md', 'docs/batch.md'] as const;

/** The marks of a block that no test of its page runs. */
export const NOT_RUN = /^Not run in a test: \S.{10,}\.$/;
export const RUN_BY = /^Run by (test\/\S+\.test\.ts)\.$/;

const FENCE = /^( *)```(\S*)$/;
const COMMENT = /^ *<!-- (.*) -->$/;
const INDENTED = /^ {4}/;

/** Every Markdown file of the project except the changelog. */
export function pages(): readonly string[] {
  // The second package's build copies docs there.
  const exclude = ['dist', 'node_modules', 'packages', 'CHANGELOG.md'];
  return [...globSync('**/*.md', { cwd: ROOT, exclude }), 'packages/media-service/README.md'];
}

/** Every fenced block of all pages. */
export function allBlocks(): readonly PageBlock[] {
  return pages().flatMap(blocksOf);
}

/** The blocks of a page in one of these languages that a test of the page must run. */
export function blocksToRun(page: string, languages: readonly string[] = ['sh']): readonly PageBlock[] {
  return blocksOf(page).filter((block) => languages.includes(block.language) && !isMarked(block));
}

export function isMarked({ mark = '' }: PageBlock): boolean {
  return NOT_RUN.test(mark) || RUN_BY.test(mark);
}

/** The first command of a block, without its comment. */
export function firstLineOf({ text }: PageBlock): string {
  const [first = ''] = text.split(/\s*(?:#|\n)/);
  return first;
}

export function blocksOf(page: string): readonly PageBlock[] {
  const lines = linesOf(page);
  const blocks: PageBlock[] = [];
  let mark: string | undefined;
  let chapter = '';
  for (let index = 0; index < lines.length; index += 1) {
    const text = lines[index] ?? '';
    const [, indent, language = ''] = FENCE.exec(text) ?? [];
    if (indent === undefined) {
      if (text.trim() !== '') mark = COMMENT.exec(text)?.[1];
      if (text.startsWith('## ')) chapter = text.slice(3);
      continue;
    }
    const end = lines.indexOf(`${indent}\`\`\``, index + 1);
    if (end === -1) throw new Error(`${page}:${index + 1}: the block has no end.`);
    const code = lines.slice(index + 1, end).map((line) => line.slice(indent.length));
    const shown = shownAfter(lines.slice(end + 1));
    blocks.push({
      ...{ page, chapter, line: index + 2, language, text: code.join('\n') },
      ...(mark === undefined ? {} : { mark }),
      ...(shown === undefined ? {} : { shown }),
    });
    mark = undefined;
    index = end;
  }
  return blocks;
}

/** The lines of a page outside of its fenced blocks. */
export function linesOutsideBlocks(page: string): readonly PageLine[] {
  const blocks = blocksOf(page);
  const isInside = (at: number): boolean =>
    blocks.some(({ line, text }) => at >= line && at < line + text.split('\n').length);
  return linesOf(page)
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ line }) => !isInside(line));
}

function linesOf(page: string): readonly string[] {
  return readFileSync(join(ROOT, page), 'utf8').split('\n');
}

function shownAfter(lines: readonly string[]): string | undefined {
  const from = lines.findIndex((line) => line.trim() !== '');
  if (from === -1 || !INDENTED.test(lines[from] ?? '')) return undefined;
  const after = lines.slice(from);
  const length = after.findIndex((line) => !INDENTED.test(line));
  const shown = after.slice(0, length === -1 ? undefined : length);
  return `${shown.map((line) => line.slice(4)).join('\n')}\n`;
}
