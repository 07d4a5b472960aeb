import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { open, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import { pathOfSource, urlOfSource } from '../../api/upload/sources/source-rules';
import { checkManifest } from '../../manifest/check/check-manifest';
import type {
  CheckOptions,
  Finding,
  ManifestSummary,
  SourceWarning,
} from '../../manifest/check/check-manifest';
import type { RowContext } from '../../manifest/row-request';
import type { Settings } from '../../settings/settings';
import { withSourceAccess } from '../context';
import type { CliContext } from '../context';
import { whileSlow } from '../output/terminal';
import { rowsText } from './batch-text';
import type { ManifestToRead } from './manifest-argument';
import { GIVE_RIGHTS, unreadableCode, unreadableReason } from '../../files/read-failure';
import { adviceOf } from '../../api/advice';
import { isInsideFolders } from '../../files/allowed-path';
import { checkSourceHost } from '../../files/sources/allowed-host';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { adviceText } from '../errors/what-to-do';
import type { Separator } from '../../manifest/csv/separator';
import { formatBytes, formatCount, plainLine } from '../output/plain-text';

interface CheckHere extends Pick<CheckOptions, 'onFinding' | 'manifestWarnings' | 'partBytes'> {
  readonly settings: Settings;
  readonly rowContext: RowContext;
  /** Checks whether files exist, and their sizes, with warnings about sources. */
  readonly looksAtPaths: boolean;
  /** Whether a file may be gone, because the batch may have uploaded it before. Asked at the first missing file. */
  readonly mayBeGone?: () => Promise<boolean>;
  readonly json: boolean;
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
  context: CliContext,
  manifest: ManifestToRead,
  { settings, looksAtPaths, mayBeGone, json, ...options }: CheckHere,
): Promise<CheckedHere> {
  const { cwd, interrupts } = context;
  const { ingestTag, maxParts } = settings.options;
  const signal = interrupts.first;
  const hash = createHash('sha256');
  let [rows, hasPaths] = [0, false];
  let gone: Promise<boolean> | undefined;
  const slowness = { json, doing: 'checking the manifest', soFar: () => rowsText(rows) };
  const summary = await withSourceAccess(settings, cwd, (access) => {
    return whileSlow(context, slowness, () =>
      checkManifest(hashed(manifest.bytes(access, signal), hash), {
        ...options,
        format: manifest.format,
        tempDir: tmpdir(),
        maxParts,
        ...given({ ingestTag }),
        ...(!looksAtPaths ? {} : { warningOf: sourceWarningOf({ settings, cwd }) }),
        sizeOf: async (source) => {
          const path = pathOfSource(source);
          if (path === undefined) return undefined;
          hasPaths = true;
          if (!looksAtPaths) return undefined;
          return pathSize(path).catch(async (error: unknown) => {
            if (hasCode(error, 'SourceMissing') && (await (gone ??= mayBeGone?.())) === true)
              return undefined;
            throw error;
          });
        },
        onRow: (count) => {
          signal.throwIfAborted();
          rows = count;
        },
      }),
    );
  });
  return { summary, digest: hash.digest('hex'), hasPaths };
}

/** Bytes of a file on this machine. Rejects if it is missing or can't be read. */
export async function pathSize(path: string): Promise<number> {
  const hint = "Check the path; relative paths start in the manifest's folder, or in --folder.";
  const unreadable = (error: unknown): never => {
    const code = unreadableCode(error);
    const todo = code === 'SourceNotAllowed' ? GIVE_RIGHTS : hint;
    throw new MediaServiceError(code, `${path} ${unreadableReason(error)}`, { hint: todo });
  };
  const facts = await stat(path).catch(unreadable);
  if (facts.isFile()) {
    await (await open(path).catch(unreadable)).close();
    return facts.size;
  }
  const what = facts.isDirectory() ? 'is a folder' : 'is not a regular file';
  throw new MediaServiceError('SourceMissing', `${path} ${what}`, { hint });
}

export interface Started {
  readonly settings: Pick<Settings, 'fileRoots' | 'outputRoots' | 'sourceHosts'>;
  readonly cwd: string;
}

/**
 * Warns about sources that a worker with this command's settings and working folder would refuse: paths outside its
 * folders, links that lead out of them, private addresses. Nothing is refused here, because workers have their own
 * settings. Never rejects.
 */
export function sourceWarningOf({
  settings,
  cwd,
}: Started): (source: SourceDescriptor) => Promise<SourceWarning | undefined> {
  const roots = settings.fileRoots ?? [cwd];
  const hosts = new Map<string, Promise<SourceWarning | undefined>>();
  return async (source) => {
    const path = pathOfSource(source);
    if (path !== undefined) return pathWarning(path, roots);
    const url = urlOfSource(source);
    if (url === undefined) return undefined;
    const found = hosts.get(url.host) ?? addressWarning(url, settings.sourceHosts);
    hosts.set(url.host, found);
    return found;
  };
}

async function addressWarning(url: URL, sourceHosts: readonly string[]): Promise<SourceWarning | undefined> {
  try {
    await checkSourceHost(url, sourceHosts);
  } catch (error) {
    // A name that does not resolve here may resolve on a worker.
    if (!hasCode(error, 'SourceNotAllowed')) return undefined;
    const { message, facts } = error;
    return {
      column: 'source',
      kind: 'address',
      message,
      ...adviceOf(facts),
    };
  }
  return undefined;
}

/** The same for a manifest, which may also be in the folder for batches. */
export async function manifestWarnings(
  { settings, cwd }: Started,
  source: SourceDescriptor | undefined,
): Promise<SourceWarning[]> {
  const path = source === undefined ? undefined : pathOfSource(source);
  if (path === undefined) return [];
  const found = await pathWarning(path, [
    ...(settings.fileRoots ?? [cwd]),
    ...(settings.outputRoots ?? [cwd]),
  ]);
  return found === undefined ? [] : [{ message: `the manifest ${found.message}`, hint: found.hint }];
}

async function pathWarning(
  path: string,
  roots: readonly string[],
): Promise<(SourceWarning & { hint: string }) | undefined> {
  // Undefined: it does not exist, which another check reports.
  const real = await realpath(path).catch(() => undefined);
  const isInside =
    real === undefined ? await isInsideFolders(path, roots, false) : await isInsideFolders(real, roots, true);
  if (isInside) return undefined;
  const isLink = real !== undefined && (await isInsideFolders(path, roots, false));
  const folders = [...new Set(roots)].join(', ');
  return {
    column: 'source',
    kind: 'path',
    message: `${path} ${isLink ? `is a link to ${real}, which ` : ''}is outside of the folders that a worker with these settings reads: ${folders}`,
    hint: isLink
      ? 'Copy the file into one of them: workers follow no link out of their folders.'
      : `Start workers with MEDIA_SERVICE_FILE_ROOTS=${dirname(real ?? path)}, or a folder above it. If it is unset, they read only below the folder that they are started in.`,
  };
}

/** Shows one mistake or warning: where, what, and what to do. */
export function findingText({ line, column, message, severity, ...advice }: Finding): string {
  const hint = adviceText(advice);
  const where = `line ${String(line)}${column === undefined ? '' : `, ${plainLine(column)}`}`;
  const marked = `${where}: ${severity === 'warning' ? 'warning: ' : ''}${plainLine(message)}`;
  return hint === undefined ? `${marked}\n` : `${marked}\n      -> ${plainLine(hint)}\n`;
}

const SEPARATED: Readonly<Record<Separator, string | undefined>> = {
  ',': undefined,
  ';': 'semicolons',
  '\t': 'tabs',
};

export function checkSummaryText(summary: ManifestSummary): string {
  const { rows, mistakes, warnings, sized, bytes } = summary;
  const lines = [
    `${rowsText(rows)} can be uploaded${rows === 0 ? '' : `: ${fileTypesText(summary.fileTypes)}`}.`,
    sized === 0
      ? 'Sizes are not known: no source was looked at.'
      : `${formatBytes(bytes)} in ${formatCount(sized)} source${sized === 1 ? '' : 's'} whose size is known.`,
    mistakes === 0
      ? `No mistakes${warningsText(warnings)}.`
      : `${formatCount(mistakes)} mistake${mistakes === 1 ? '' : 's'}${warningsText(warnings)}. \`batches start\` refuses this manifest until it has none.`,
  ];
  return `${separatorText(summary.separator)}${(rows === 0 ? lines.slice(-1) : lines).join('\n')}\n`;
}

/** A wrong guess explains many mistakes. */
function separatorText(separator: Separator = ','): string {
  const name = SEPARATED[separator];
  return name === undefined ? '' : `Cells are separated by ${name}, as in the header.\n`;
}

/** `1,200 MP4, 34 MOV`. */
export function fileTypesText(fileTypes: Readonly<Record<string, number>>): string {
  return Object.entries(fileTypes)
    .map(([type, count]) => `${formatCount(count)} ${type}`)
    .join(', ');
}

function warningsText(warnings: number): string {
  if (warnings === 0) return '';
  return `, ${formatCount(warnings)} warning${warnings === 1 ? '' : 's'}`;
}

/** Yields the content, and adds it to the hash. */
async function* hashed(content: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}
