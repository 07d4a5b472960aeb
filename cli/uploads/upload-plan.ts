import { createHash } from 'node:crypto';
import { access, constants, stat } from 'node:fs/promises';
import { posix, resolve } from 'node:path';
import { accountId } from '../../api/account/account-id';
import type { Account } from '../../api/account/account';
import { MediaServiceError, ValidationError } from '../../api/errors';
import { fileTypeOf } from '../../api/upload/request/file-type';
import { planParts } from '../../api/upload/parts/part-plan';
import type { PathSource, SourceDescriptor } from '../../api/upload/sources/source';
import { fileNameOfUrl, labelOf } from '../../api/upload/sources/source-label';
import type { UploadRequest } from '../../api/upload/request/upload-request';
import { checkUpload } from '../../api/upload/request/upload-validation';
import { systemCodeOf, unreadableReason } from '../../api/upload/sources/source-failure';
import { parseLocation, locationText } from '../../files/location-text';
import { sharedFieldsOf, type UploadFlags } from '../flags/upload-flags';

export interface PlannedUpload {
  /** As the user named it, without a URL's query. */
  readonly file: string;
  readonly request: UploadRequest;
  /** Unset: only the worker will know. */
  readonly bytes?: number;
  readonly fileType?: string;
}

export interface UploadContext {
  readonly account: Account;
  /** Name of this machine in task queues. */
  readonly host: string;
  readonly cwd: string;
  /** Max parts that the deployment allows, if set. */
  readonly maxParts?: number | undefined;
  /** Tag that carries the ingest key, if set. */
  readonly ingestTag?: string | false | undefined;
}

/**
 * Makes one checked request per file or URL, in order. Before the first upload starts, it checks everything that can be
 * known for all of them: existence, size, type, and every rule of the interface. Throws a `ValidationError` for wrong
 * flags, and `WrongFiles` for wrong files.
 */
export async function planUploads(
  files: readonly string[],
  flags: UploadFlags,
  context: UploadContext,
): Promise<PlannedUpload[]> {
  refuseForSeveral(files, flags);
  refuseUnused(files, flags);
  const shared = sharedFieldsOf(flags, context);
  if (flags.fileType !== undefined) fileTypeOf({ fileType: flags.fileType });
  const sources: FoundSource[] = [];
  const wrong: WrongFile[] = [];
  const seen = new Set<string>();
  for (const file of files) {
    try {
      const found = await foundSource(file, flags, context);
      if (seen.has(found.identity)) throw new ValidationError('FILE', `${found.label} is named twice.`);
      seen.add(found.identity);
      // The worker guesses it in the same way. Here a wrong name shows before anything is sent.
      const fileType = knownFileType(found, flags);
      if (found.bytes !== undefined) planParts({ bytes: found.bytes, ...shared.options });
      sources.push({ ...found, ...(fileType === undefined ? {} : { fileType }) });
    } catch (error) {
      wrong.push({ file: shownName(file), error });
    }
  }
  const requests = sources.map(({ source, label, identity, bytes, fileType }) => ({
    file: label,
    request: checkUpload({ ...shared, source, ingestKey: keyOf(identity, flags, context) }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(fileType === undefined ? {} : { fileType }),
  }));
  if (wrong.length > 0) throw new WrongFiles(wrong);
  return requests;
}

function knownFileType({ fileName }: FoundSource, { fileType }: UploadFlags): string | undefined {
  return fileName === undefined && fileType === undefined ? undefined : fileTypeOf({ fileType, fileName });
}

/** Returns the name without a URL's query; a blank name is in quotes. */
function shownName(file: string): string {
  if (isUrl(file)) return labelOf(file);
  return file.trim() === '' ? JSON.stringify(file) : file;
}

export interface WrongFile {
  /** As the user named it, without a URL's query. */
  readonly file: string;
  readonly error: unknown;
}

/** Every file of a command that can't be uploaded, with its reason. */
export class WrongFiles extends Error {
  override readonly name = 'WrongFiles';
  constructor(readonly wrong: readonly WrongFile[]) {
    super(`Cannot be uploaded: ${wrong.map(({ file }) => file).join(', ')}.`);
  }
}

interface FoundSource {
  readonly source: SourceDescriptor;
  readonly label: string;
  /** Two sources are the same file if and only if these texts are equal. */
  readonly identity: string;
  readonly fileName?: string;
  readonly fileType?: string;
  readonly bytes?: number;
}

function refuseForSeveral(files: readonly string[], flags: UploadFlags): void {
  if (files.length < 2) return;
  for (const [flag, value] of [
    ['--title', flags.title],
    ['--workflow-id', flags.workflowId],
  ] as const) {
    if (value !== undefined) {
      throw new ValidationError(
        flag,
        `${flag} is for one file; ${files.length} were named.`,
        'Upload them one by one, or leave it out.',
      );
    }
  }
}

async function foundSource(file: string, flags: UploadFlags, context: UploadContext): Promise<FoundSource> {
  if (isUrl(file)) return urlSource(file, flags);
  return isS3(file) ? s3Source(file, flags) : pathSource(file, flags, context);
}

/** A flag that no source of the command uses is a mistake. */
function refuseUnused(files: readonly string[], { sourceSecret, requesterPays }: UploadFlags): void {
  if (sourceSecret !== undefined && !files.some(isUrl)) {
    throw new ValidationError(
      '--source-secret',
      '--source-secret is for http(s) URLs; none was named.',
      'S3 takes its credentials from the environment of the worker.',
    );
  }
  if (requesterPays === true && !files.some(isS3)) {
    throw new ValidationError('--requester-pays', '--requester-pays is for s3://bucket/key; none was named.');
  }
}

function isS3(file: string): boolean {
  return /^s3:\/\//i.test(file);
}

function isUrl(file: string): boolean {
  return /^https?:\/\//i.test(file);
}

/** Matches `ftp://host/file.mp4`, but not `C:\\file.mp4`. */
function isOtherUrl(file: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(file) && !isUrl(file);
}

function urlSource(url: string, { sourceSecret }: UploadFlags): FoundSource {
  if (!URL.canParse(url))
    throw new ValidationError(
      'FILE',
      'The address isn’t a valid URL.',
      'Write it in full, as https://host/file.mp4.',
    );
  const label = labelOf(url);
  const fileName = fileNameOfUrl(url);
  return {
    source: {
      kind: 'http',
      url,
      label,
      ...(sourceSecret === undefined ? {} : { headersSecret: sourceSecret }),
    },
    label,
    identity: url,
    // Without an extension in its path, the answer's MIME type decides. Only the worker sees it.
    ...(fileName?.includes('.') === true ? { fileName } : {}),
  };
}

function s3Source(file: string, { requesterPays }: UploadFlags): FoundSource {
  const location = parseLocation(file, { cwd: '/', field: 'FILE' });
  if (location.kind !== 's3' || location.key === '' || location.key.endsWith('/')) {
    throw new ValidationError(
      'FILE',
      'The address has no object key.',
      'Write it in full, as s3://bucket/file.mp4.',
    );
  }
  const label = locationText(location);
  return {
    source: { ...location, ...(requesterPays === true ? { requesterPays } : {}) },
    label,
    identity: label,
    // As for a URL: without an extension, the object's own MIME type decides.
    ...(posix.extname(location.key) === '' ? {} : { fileName: location.key }),
  };
}

async function pathSource(
  file: string,
  flags: UploadFlags,
  { cwd, host }: UploadContext,
): Promise<FoundSource> {
  if (isOtherUrl(file)) {
    throw new ValidationError(
      'FILE',
      'Only paths of files, http(s) URLs and s3://bucket/key are read.',
      'Download it first, or name an http(s) address of it.',
    );
  }
  if (file.trim() === '') {
    throw new ValidationError('FILE', 'An argument is empty.', 'Check that the shell variable is set.');
  }
  const path = resolve(cwd, file);
  const facts = await stat(path).catch((error: unknown) => {
    throw missing(`${path} ${unreadableReason(error)}.`, hintFor(error));
  });
  if (facts.isDirectory())
    throw missing(`${path} is a folder.`, 'Add --recursive to upload everything in it.');
  if (!facts.isFile()) throw missing(`${path} is not a regular file.`);
  await access(path, constants.R_OK).catch(() => {
    throw missing(
      `${path} can’t be read by this user.`,
      'Give this user and the worker’s user the right to read it.',
    );
  });
  const source: PathSource = { kind: 'path', path, ...(flags.sharedPath === true ? {} : { host }) };
  const identity = JSON.stringify([host, path, facts.size, Math.round(facts.mtimeMs)]);
  return { source, label: file, identity, fileName: path, bytes: facts.size };
}

function hintFor(error: unknown): string | undefined {
  const isForbidden = ['EACCES', 'EPERM'].includes(systemCodeOf(error) ?? '');
  return isForbidden ? 'Give this user the right to enter the folders of its path.' : undefined;
}

function missing(message: string, hint = 'Check the path.'): MediaServiceError {
  return new MediaServiceError('SourceMissing', message, { field: 'FILE', hint });
}

/** The same file with the same title for the same account is the same upload, so a second start joins the first. */
function keyOf(identity: string, flags: UploadFlags, { account }: UploadContext): string {
  const text = JSON.stringify([accountId(account), identity, flags.title ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
