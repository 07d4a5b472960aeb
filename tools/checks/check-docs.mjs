/**
 * Checks every Markdown file for dead links, long table cells and words outside the glossary, and the comments and texts of
 * the product's TypeScript for the same words.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../folders.mjs';
import { filesWith } from './project-files.mjs';
import { deadLinks } from './markdown-links.mjs';
import { longCells } from './markdown-cells.mjs';
import { oldWords, oldWordsOfCode } from './glossary-words.mjs';

let findings = 0;
const documents = await filesWith(root, '.md');
for (const file of documents) {
  const text = await readFile(join(root, file), 'utf8');
  report(file, [...deadLinks(join(root, file)), ...longCells(text), ...oldWords(text)]);
}
const sources = (await filesWith(root, '.ts')).filter((file) => !file.startsWith('test'));
for (const file of sources) report(file, oldWordsOfCode(await readFile(join(root, file), 'utf8')));
console.log(`docs: ${documents.length} documents and ${sources.length} sources, ${findings} findings.`);
if (findings > 0) process.exitCode = 1;

/**
 * @param {string} file
 * @param {readonly string[]} found
 */
function report(file, found) {
  for (const finding of found) console.error(`${file}:${finding}`);
  findings += found.length;
}
