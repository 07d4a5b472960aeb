import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { writeWhole } from '../../files/disk/write-whole';
import { ValidationError } from '../../api/errors';
import { notWritable, outputFailed } from '../../files/output-path';

export interface OutputFlags {
  /** Unset: stdout. */
  readonly output?: string;
  readonly force?: boolean;
}

/** Adds `--output` and `--force`. The file `-` is stdout. */
export function withOutputFlags(command: Command, note = 'it appears when it is complete'): Command {
  return command
    .option('-o, --output <file>', `write to this file instead of stdout; ${note}`)
    .option('--force', 'replace the file if it exists')
    .hook('preAction', (_command, own) => {
      if (own.getOptionValue('output') === '-') own.setOptionValue('output', undefined);
    });
}

interface Destination {
  readonly cwd: string;
  readonly path: string;
  /** Replace an existing file. */
  readonly replace: boolean;
  /** Only this user may read it (0600). Unset: the process's umask decides. */
  readonly ownerOnly?: boolean;
}

const OWNER_ONLY = 0o600;
/** The process's umask decides. */
const EVERYBODY = 0o666;

/**
 * Writes pieces of text to a file that appears only when it is whole. Until then its name is `<name>.<random>.part`; a
 * failure or the process's end removes it. A symbolic link stays, and its target is replaced. Once it resolves, file and
 * name survive a crash of the machine.
 *
 * Throws a `ValidationError` on `--output` if the file exists, is a folder or no regular file, or can't be opened. It
 * does so before it requests the first piece. Throws `OutputFailed` if it can't be written further.
 */
export async function writeOutputFile(
  { cwd, path, replace, ownerOnly = false }: Destination,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<{ path: string; bytes: number }> {
  const target = resolve(cwd, path);
  const real = await replaceable(target, replace);
  // Short enough for any file system, however many bytes its characters take.
  const partial = `${basename(real).slice(0, 50)}.${randomBytes(6).toString('hex')}.part`;
  // A second Ctrl-C ends the process at once.
  const removePartial = (): void => rmSync(join(dirname(real), partial), { force: true });
  process.once('exit', removePartial);
  let bytes = 0;
  async function* content(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      const chunk = Buffer.from(piece);
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  try {
    await writeWhole({
      file: real,
      partial,
      content: content(),
      mode: ownerOnly ? OWNER_ONLY : EVERYBODY,
      notOpened: (error) => notOpened(target, error),
      failed: (error) => outputFailed(target, error),
    });
    return { path: target, bytes };
  } finally {
    process.off('exit', removePartial);
  }
}

function notOpened(target: string, error: unknown): ValidationError {
  return new ValidationError(
    '--output',
    notWritable(target, error),
    'Choose a folder that exists and may be written.',
  );
}

/** Returns the path of the file itself, with links followed. */
async function replaceable(target: string, replace: boolean): Promise<string> {
  const refused = (why: string, hint: string): ValidationError =>
    new ValidationError('--output', `${target} ${why}.`, hint);
  // Undefined: it does not exist, or is a dead link.
  const there = await stat(target).catch(() => undefined);
  if (there === undefined) {
    // Undefined: it does not exist.
    const link = await lstat(target).catch(() => undefined);
    if (link === undefined) return target;
    throw refused('is a link to something that does not exist', 'Name the file itself, or remove the link.');
  }
  if (there.isDirectory()) throw refused('is a folder', 'Name a file in it.');
  if (!there.isFile()) {
    throw refused(
      "is not a regular file, so it can't be replaced",
      'Omit --output, and redirect stdout to it.',
    );
  }
  if (!replace) throw refused('exists already', 'Choose another name, or replace it with --force.');
  return realpath(target);
}
