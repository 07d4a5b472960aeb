/** Every Markdown file: links that lead somewhere, short cells in tables, the words of the glossary. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../folders.mjs';
import { markdownFiles } from './markdown-files.mjs';
import { deadLinks } from './markdown-links.mjs';
import { longCells } from './markdown-cells.mjs';
import { oldWords } from './markdown-words.mjs';

let findings = 0;
const files = await markdownFiles(root);
for (const file of files) {
  const text = await readFile(join(root, file), 'utf8');
  const found = [...deadLinks(join(root, file)), ...longCells(text), ...oldWords(text)];
  for (const finding of found) console.error(`${file}:${finding}`);
  findings += found.length;
}
console.log(`docs: ${files.length} files, ${findings} findings.`);
if (findings > 0) process.exitCode = 1;
