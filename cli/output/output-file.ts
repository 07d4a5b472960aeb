import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { writeWhole } from '../../files/disk/write-whole';
import { ValidationError } from '../../api/errors';
import { outputFailed } from '../../files/output-path';

export interface OutputFlags {
  /** Unset: stdout. */
  readonly output?: string;
}

/** Adds `--output`. The file `-` is stdout. */
export function withOutputFlags(
  command: Command,
  note = 'it is replaced when the new one is complete',
): Command {
  return command
    .option('-o, --output <file>', `write to this file instead of stdout; ${note}`)
    .hook('preAction', (_command, own) => {
      if (own.getOptionValue('output') === '-') own.setOptionValue('output', undefined);
    });
}

/**
 * Returns the format of an output: as its flag says, else as the name of the file ends, else the first one. Throws a
 * `ValidationError` for a name that ends otherwise.
 */
export function formatOfOutput<const Format extends string>(
  { format, output = '' }: { readonly format?: Format | undefined; readonly output?: string | undefined },
  formats: readonly [Format, ...Format[]],
): Format {
  const [, ending] = /\.([a-z\d]+)$/i.exec(output) ?? [];
  if (format !== undefined || ending === undefined) return format ?? formats[0];
  const word = ending.toLowerCase() === 'txt' ? 'text' : ending.toLowerCase();
  const found = formats.find((one) => one === word);
  if (found !== undefined) return found;
  const hint = `Add --format, or let the name end in one of ${formats.map((one) => `.${one}`).join(', ')}.`;
  throw new ValidationError('--output', `The name ${output} does not show the format of the file.`, hint);
}

interface Destination {
  readonly cwd: string;
  readonly path: string;
  /** Only this user may read it (0600). Unset: the process's umask decides. */
  readonly ownerOnly?: boolean;
}

const OWNER_ONLY = 0o600;
/** The process's umask decides. */
const EVERYBODY = 0o666;

/**
 * Writes pieces of text to a file that appears, or replaces an earlier one, only when it is whole. Until then its name
 * is `<name>.<random>.part`. A symbolic link stays, and its target is replaced. Once it resolves, file and name survive
 * a crash of the machine.
 *
 * Throws a `ValidationError` on `--output` for a folder, a pipe or a device, before it requests the first piece. Throws
 * `OutputFailed` if it can't be written.
 */
export async function writeOutputFile(
  { cwd, path, ownerOnly = false }: Destination,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<{ path: string; bytes: number }> {
  const target = resolve(cwd, path);
  const file = await regularFile(target);
  let bytes = 0;
  async function* content(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      const chunk = Buffer.from(piece);
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  await writeWhole({
    file,
    // Short enough for any file system, however many bytes its characters take.
    partial: `${basename(file).slice(0, 50)}.${randomBytes(6).toString('hex')}.part`,
    content: content(),
    mode: ownerOnly ? OWNER_ONLY : EVERYBODY,
    failed: (error) => outputFailed(target, error),
  });
  return { path: target, bytes };
}

/** Returns the path of the file itself, with links followed. */
async function regularFile(target: string): Promise<string> {
  // Undefined: it does not exist, or is a dead link.
  const there = await stat(target).catch(() => undefined);
  if (there === undefined) return target;
  if (there.isFile()) return realpath(target);
  throw new ValidationError(
    '--output',
    `${target} is not a regular file, so it can't be replaced.`,
    'Name a file, or omit --output and redirect stdout.',
  );
}
