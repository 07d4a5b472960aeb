import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/pack';
import { tempFolder } from '../support/after-test';

export const DEPLOY = join(ROOT, 'deploy');

export interface Checked {
  readonly code: number;
  /** stdout, then stderr, without empty lines around. */
  readonly output: string;
}

/** Runs a program that checks files, to its end. */
export async function check(program: string, args: readonly string[]): Promise<Checked> {
  return new Promise((done) => {
    execFile(program, args, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      done({ code, output: (stdout + stderr).trim() });
    });
  });
}

export interface Change {
  /** Path below deploy/. */
  readonly file: string;
  /** Text that the file must contain. */
  readonly from: string;
  readonly to: string;
}

/** The path of a copy of deploy/ with replaced texts, for one test. */
export async function changedCopy(...changes: readonly Change[]): Promise<string> {
  const dir = await tempFolder('deploy');
  await cp(DEPLOY, dir, { recursive: true });
  for (const { file, from, to } of changes) {
    const path = join(dir, file);
    const text = await readFile(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
    await writeFile(
      path,
      text.replace(from, () => to),
    );
  }
  return dir;
}
