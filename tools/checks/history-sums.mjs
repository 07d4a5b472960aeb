import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { filesOf } from '../inputs-hash.mjs';
import { capture } from '../run.mjs';

export const HISTORIES = 'test/histories';
export const SUMS = `${HISTORIES}/SHA256SUMS`;

/** SHA-256 of every saved history, by name, as `0.1.0/completed.json`. */
export async function sumsNow(project) {
  const folder = join(project, HISTORIES);
  const sums = new Map();
  for (const path of await filesOf(folder)) {
    if (!path.endsWith('.json')) continue;
    const name = relative(folder, path).split(sep).join('/');
    sums.set(
      name,
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
  }
  return sums;
}

/** The text form that `sha256sum` writes and reads. */
export function sumsText(sums) {
  return [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join('');
}

export function readSums(text) {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/** Differences from the stored sums, and from those of every release in git. */
export async function sumFindings(project) {
  const now = await sumsNow(project);
  const kept = readSums(await readFile(join(project, SUMS), 'utf8').catch((error) => noSums(error)));
  const findings = differences(now, kept, 'SHA256SUMS');
  for (const tag of await releases(project)) {
    const { code, stdout } = await capture('git', ['show', `${tag}:${SUMS}`], { cwd: project });
    if (code !== 0) continue;
    // Later releases added more histories.
    const released = readSums(stdout);
    const same = new Map([...now].filter(([name]) => released.has(name)));
    findings.push(...differences(same, released, `the release ${tag}`));
  }
  return [...new Set(findings)];
}

function noSums(error) {
  if (error.code === 'ENOENT') return '';
  throw error;
}

function differences(now, kept, where) {
  const changed = [...now].filter(([name, sum]) => kept.has(name) && kept.get(name) !== sum);
  return [
    ...changed.map(([name]) => `${HISTORIES}/${name}: differs from ${where}.`),
    ...[...kept.keys()]
      .filter((name) => !now.has(name))
      .map((name) => `${HISTORIES}/${name}: is missing; ${where} has it.`),
    ...[...now.keys()]
      .filter((name) => !kept.has(name))
      .map((name) => `${HISTORIES}/${name}: is not in ${where}.`),
  ];
}

/** Tags of releases. Empty if the folder is not a git clone. */
export async function releases(project) {
  const { code, stdout } = await capture('git', ['tag', '--list', 'v*'], { cwd: project });
  return code === 0 ? stdout.split('\n').filter((tag) => tag !== '') : [];
}
