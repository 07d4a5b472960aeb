import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { MediaServiceError } from '../../api/errors';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { checkManifest, type Finding } from '../../manifest/check/check-manifest';
import type { ManifestFormat } from '../../manifest/format';
import type { RowPlace } from '../../manifest/row-request';
import { plainJson, plainLine } from '../output/plain-text';
import type { Terminal } from '../output/terminal';
import { ReportedFailure } from '../errors/reported-failure';
import { EXIT_CODES } from '../exit-codes';
import { formatCount } from './batch-text';

export interface ManifestCheck {
  readonly format: ManifestFormat;
  readonly place: RowPlace;
  readonly ingestTag?: string | false | undefined;
  readonly partBytes?: number | undefined;
  readonly maxParts?: number | undefined;
  /** Files named by path lie here, so that they can be looked at. */
  readonly pathsAreHere: boolean;
  readonly json: boolean;
}

export interface CheckedManifest {
  /** SHA-256 of its text. */
  readonly digest: string;
  readonly rows: number;
  /** Whether any row names a path. */
  readonly hasPaths: boolean;
}

/** Reads a whole manifest and reports every mistake in one go; throws `ReportedFailure` where there is one. Warnings keep nobody from starting. */
export async function checkBeforeStart(
  terminal: Terminal,
  bytes: AsyncIterable<Uint8Array>,
  check: ManifestCheck,
): Promise<CheckedManifest> {
  const hash = createHash('sha256');
  let hasPaths = false;
  const summary = await checkManifest(hashed(bytes, hash), {
    format: check.format,
    place: check.place,
    tempDir: tmpdir(),
    onFinding: (finding) => tell(terminal, finding, check.json),
    sizeOf: async (source) => {
      if (source.kind === 'path') hasPaths = true;
      return check.pathsAreHere ? sizeHere(source) : undefined;
    },
    ...(check.ingestTag === undefined ? {} : { ingestTag: check.ingestTag }),
    partBytes: check.partBytes,
    maxParts: check.maxParts,
  });
  const { rows, mistakes } = summary;
  if (mistakes === 0) return { digest: hash.digest('hex'), rows, hasPaths };
  const { code: exitCode } = EXIT_CODES.USAGE;
  const message = `The manifest has ${formatCount(mistakes)} mistake${mistakes === 1 ? '' : 's'}: nothing was started.`;
  terminal.note(
    check.json ? plainJson({ error: { code: 'Validation', field: 'MANIFEST', message, exitCode } }) : message,
  );
  throw new ReportedFailure(exitCode);
}

function tell(terminal: Terminal, { line, column, message, hint, severity }: Finding, json: boolean): void {
  if (json) {
    terminal.note(plainJson({ [severity]: { line, column, message, hint } }));
    return;
  }
  const where = `line ${String(line)}${column === undefined ? '' : `, ${column}`}`;
  const help = hint === undefined ? '' : ` ${hint}`;
  terminal.note(plainLine(`${severity === 'warning' ? 'Warning, ' : ''}${where}: ${message}.${help}`));
}

async function sizeHere(source: SourceDescriptor): Promise<number | undefined> {
  if (source.kind !== 'path') return undefined;
  const facts = await stat(source.path).catch(() => undefined);
  if (facts?.isFile() === true && facts.size > 0) return facts.size;
  let what = 'does not exist';
  if (facts !== undefined) what = facts.isFile() ? 'is empty' : 'is no regular file';
  throw new MediaServiceError('SourceMissing', `${source.path} ${what}`, { hint: 'Check the path.' });
}

async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}
