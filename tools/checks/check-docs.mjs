/** Every Markdown file: links that lead somewhere, short cells in tables, the words of the glossary. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../folders.mjs';
import { capture } from '../run.mjs';
import { deadLinks } from './markdown-links.mjs';
import { longCells } from './markdown-cells.mjs';
import { oldWords } from './markdown-words.mjs';

const { code, stdout } = await capture(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  { cwd: root },
);
if (code !== 0) throw new Error('git cannot list the Markdown files.');

let findings = 0;
const files = stdout.trim().split('\n');
for (const file of files) {
  const text = await readFile(join(root, file), 'utf8');
  const found = [...deadLinks(join(root, file)), ...longCells(text), ...oldWords(text)];
  for (const finding of found) console.error(`${file}:${finding}`);
  findings += found.length;
}
console.log(`docs: ${files.length} files, ${findings} findings.`);
if (findings > 0) process.exitCode = 1;
