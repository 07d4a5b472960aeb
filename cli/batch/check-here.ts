import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { hasCode } from '../../api/errors';
import { given } from '../../api/json';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import { checkManifest } from '../../manifest/check/check-manifest';
import type { CheckOptions, Finding, ManifestSummary } from '../../manifest/check/check-manifest';
import type { RowContext } from '../../manifest/row-request';
import type { Settings } from '../../settings/settings';
import { withSourceAccess } from '../context';
import type { CliContext } from '../context';
import { rowsText } from './batch-text';
import type { ManifestArgument } from './manifest-argument';
import { readableFile } from '../uploads/upload-plan';
import { adviceText } from '../errors/what-to-do';
import { counted, formatBytes, formatCount, plainLine } from '../output/plain-text';

const RELATIVE = "Check the path; relative paths start in the manifest's folder, or in --folder.";

interface CheckHere extends Pick<CheckOptions, 'onFinding' | 'partBytes'> {
  readonly settings: Settings;
  readonly rowContext: RowContext;
  /** Checks whether files exist, and their sizes. */
  readonly looksAtPaths: boolean;
  /** Whether a file may be gone, because the batch may have uploaded it before. Asked at the first missing file. */
  readonly mayBeGone?: () => Promise<boolean>;
}

export interface CheckedHere {
  readonly summary: ManifestSummary;
  /** SHA-256 of the manifest's text. */
  readonly digest: string;
  /** Whether any row names a path. */
  readonly hasPaths: boolean;
}

/** Reads a whole manifest on this machine and checks it with the settings of this command. */
export async function checkHere(
  { cwd, interrupts }: CliContext,
  manifest: ManifestArgument,
  { settings, looksAtPaths, mayBeGone, ...options }: CheckHere,
): Promise<CheckedHere> {
  const { ingestTag, maxParts } = settings.options;
  const signal = interrupts.first;
  const hash = createHash('sha256');
  let hasPaths = false;
  let gone: Promise<boolean> | undefined;
  const summary = await withSourceAccess(settings, cwd, (access) =>
    checkManifest(hashed(manifest.bytes(access, signal), hash), {
      ...options,
      format: manifest.format,
      tempDir: tmpdir(),
      maxParts,
      ...given({ ingestTag }),
      sizeOf: async (source) => {
        signal.throwIfAborted();
        const path = pathOfSource(source);
        if (path === undefined) return undefined;
        hasPaths = true;
        if (!looksAtPaths) return undefined;
        return readableFile(path, RELATIVE).then(
          ({ size }) => Number(size),
          async (error: unknown) => {
            if (hasCode(error, 'SourceMissing') && (await (gone ??= mayBeGone?.())) === true)
              return undefined;
            throw error;
          },
        );
      },
    }),
  );
  return { summary, digest: hash.digest('hex'), hasPaths };
}

/** Shows one mistake or warning: where, what, and what to do. */
export function findingText({ line, column, message, severity, ...advice }: Finding): string {
  const hint = adviceText(advice);
  const where = `line ${String(line)}${column === undefined ? '' : `, ${plainLine(column)}`}`;
  const marked = `${where}: ${severity === 'warning' ? 'warning: ' : ''}${plainLine(message)}`;
  return hint === undefined ? `${marked}\n` : `${marked}\n      -> ${plainLine(hint)}\n`;
}

export function checkSummaryText(summary: ManifestSummary): string {
  const { rows, mistakes, warnings, sized, bytes } = summary;
  const also = warnings === 0 ? '' : `, ${counted(warnings, 'warning')}`;
  const lines = [
    `${mistakes === 0 ? '' : 'Apart from repeated ids, '}${rowsText(rows)} can be uploaded${rows === 0 ? '' : `: ${fileTypesText(summary.fileTypes)}`}.`,
    sized === 0
      ? 'Sizes are not known: no source was looked at.'
      : `${formatBytes(bytes)} in ${counted(sized, 'source')} whose size is known.`,
    mistakes === 0
      ? `No mistakes${also}.`
      : `${counted(mistakes, 'mistake')}${also}. \`batches start\` refuses this manifest until it has none; with --skip-bad it uploads the right rows.`,
  ];
  return `${(rows === 0 ? lines.slice(-1) : lines).join('\n')}\n`;
}

/** `1,200 MP4, 34 MOV`. */
export function fileTypesText(fileTypes: Readonly<Record<string, number>>): string {
  return Object.entries(fileTypes)
    .map(([type, count]) => `${formatCount(count)} ${type}`)
    .join(', ');
}

/** Yields the content, and adds it to the hash. */
async function* hashed(content: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}
