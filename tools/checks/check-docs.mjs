/**
 * Checks every Markdown file for dead links, long lines and table cells, and words outside the glossary. Checks for the
 * same words: comments, texts and names of TypeScript and JavaScript, templates, deploy/, and all file names. Checks the
 * content of all of them for typographic apostrophes.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { root } from '../folders.mjs';
import { deadLinks } from './markdown-links.mjs';
import { longCells, longLines } from './markdown-layout.mjs';
import {
  isCheckedSource,
  oldNames,
  oldWords,
  oldWordsOfCode,
  oldWordsOfLines,
  oldWordsOfPath,
  typographicApostrophes,
} from './glossary-words.mjs';
import { filesOf } from '../inputs-hash.mjs';

let findings = 0;
const documents = await filesWith(root, '.md');
for (const file of documents) {
  const text = await readFile(join(root, file), 'utf8');
  report(file, [
    ...deadLinks(join(root, file)),
    ...longCells(text),
    ...longLines(text),
    ...oldWords(text),
    ...typographicApostrophes(text),
  ]);
}
const files = await filesWith(root, '');
const sources = files.filter(isCheckedSource);
for (const file of sources) {
  const text = await readFile(join(root, file), 'utf8');
  report(file, [...oldWordsOfCode(text), ...oldNames(text), ...typographicApostrophes(text)]);
}
const others = files.filter((file) => /^(deploy\/.*(?<!\.md)|workflows\/.*\.json)$/.test(file));
for (const file of others) {
  const text = await readFile(join(root, file), 'utf8');
  report(file, [...oldWordsOfLines(text), ...typographicApostrophes(text)]);
}
for (const file of files) report(file, oldWordsOfPath(file));
console.log(
  `docs: ${documents.length} documents, ${sources.length} sources and ${others.length} other files, ${findings} findings.`,
);
if (findings > 0) process.exitCode = 1;

/**
 * @param {string} file
 * @param {readonly string[]} found
 */
function report(file, found) {
  for (const finding of found) console.error(`${file}:${finding}`);
  findings += found.length;
}

/**
 * The project's own files whose names end so, as relative paths.
 * @param {string} folder
 * @param {string} end
 */
async function filesWith(folder, end) {
  const names = (await readdir(folder)).filter((name) => !/^(\.|dist$|node_modules$|packages$)/.test(name));
  // Its build copies docs there.
  names.push('packages/media-service/README.md');
  const files = await Promise.all(names.map((name) => filesOf(join(folder, name))));
  return files
    .flat()
    .filter((file) => file.endsWith(end))
    .map((file) => relative(folder, file));
}
