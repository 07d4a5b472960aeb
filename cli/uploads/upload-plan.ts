import { access, constants, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { given } from '../../api/json';
import { accountId } from '../../api/account';
import type { Account } from '../../api/account';
import { MediaServiceError, ValidationError } from '../../api/errors';
import { defaultIngestKey, pathIdentity } from '../../api/upload/request/default-ingest-key';
import { fileTypeOf } from '../../api/upload/request/file-type';
import { planParts } from '../../api/upload/parts/part-plan';
import { labelOf } from '../../api/upload/sources/source';
import type { PathSource, SourceDescriptor } from '../../api/upload/sources/source';
import { addressedSource, typedFileName } from '../../api/upload/sources/source-rules';
import type { UploadRequest } from '../../api/upload/request/upload-request';
import { checkUpload } from '../../api/upload/request/upload-validation';
import { otherSpelling } from '../../files/allowed-path';
import { GIVE_RIGHTS, unreadableCode, unreadableReason } from '../../files/read-failure';
import type { Settings } from '../../settings/settings';
import { sourceOptionsOf } from '../flags/option-flags';
import { sharedFieldsOf } from '../flags/upload-flags';
import type { UploadFlags } from '../flags/upload-flags';

export interface PlannedUpload {
  /** As the user named it, without a URL's query. */
  readonly file: string;
  readonly request: UploadRequest;
}

interface UploadContext {
  readonly account: Account;
  /** Name of this machine in task queues. */
  readonly host: string;
  readonly cwd: string;
  /** Max parts that the deployment allows, if set. */
  readonly maxParts?: number | undefined;
  /** Tag that carries the ingest key, if set. */
  readonly ingestTag?: string | false | undefined;
  readonly tuning?: Settings['tuning'];
}

/**
 * Makes one checked request per file or URL, in order. Before the first upload starts, it checks everything that can be
 * known for all of them: existence, size, type, and every rule of the interface. Returns every wrong file with its
 * reason. Throws a `ValidationError` for wrong flags.
 */
export async function planUploads(
  files: readonly string[],
  flags: UploadFlags,
  context: UploadContext,
): Promise<{ readonly planned: readonly PlannedUpload[]; readonly wrong: readonly WrongFile[] }> {
  refuseForSeveral(files, flags);
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
      refuseUnknownType(found, flags);
      if (found.bytes !== undefined) planParts({ bytes: found.bytes, ...shared.options });
      sources.push(found);
    } catch (error) {
      wrong.push({ file: shownName(file), error });
    }
  }
  const planned = sources.map(({ source, label, identity }) => ({
    file: label,
    request: checkUpload({ ...shared, source, ingestKey: keyOf(identity, flags, context) }),
  }));
  return { planned, wrong };
}

/** The worker guesses the type in the same way. Here a wrong name shows before anything is sent. */
function refuseUnknownType({ fileName }: FoundSource, { fileType }: UploadFlags): void {
  if (fileName !== undefined || fileType !== undefined) fileTypeOf({ fileType, fileName });
}

/** Returns the name without a URL's query. */
function shownName(file: string): string {
  return /^(?!s3:)[a-z][a-z0-9+.-]+:\/\//i.test(file) ? labelOf(file) : file;
}

export interface WrongFile {
  /** As the user named it, without a URL's query. */
  readonly file: string;
  readonly error: unknown;
}

interface FoundSource {
  readonly source: SourceDescriptor;
  readonly label: string;
  /** Two sources are the same file if and only if these texts are equal. */
  readonly identity: string;
  readonly fileName?: string;
  readonly bytes?: number;
}

function refuseForSeveral(files: readonly string[], { title, id }: UploadFlags): void {
  const flag = title === undefined ? '--id' : '--title';
  if (files.length < 2 || (title ?? id) === undefined) return;
  const message = `${flag} is for one file; ${files.length} were named.`;
  throw new ValidationError(flag, message, `Upload them one by one, or omit ${flag}.`);
}

async function foundSource(file: string, flags: UploadFlags, context: UploadContext): Promise<FoundSource> {
  const { sourceSecret: secret } = sourceOptionsOf(flags);
  const source = addressedSource(file, { secret });
  if (source === undefined) return pathSource(file, flags, context);
  const fileName = typedFileName(source);
  return { source, label: shownName(file), identity: file, ...given({ fileName }) };
}

async function pathSource(
  file: string,
  flags: UploadFlags,
  { cwd, host }: UploadContext,
): Promise<FoundSource> {
  const typed = resolve(cwd, file);
  // As the disk spells it, so that it is the same upload however it was typed.
  const path = existsSync(typed) ? typed : ((await otherSpelling(typed)) ?? typed);
  const facts = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (facts.isDirectory())
    throw missing(
      `${path} is a folder.`,
      'Upload it as a batch: `media-service batches plan` makes its manifest.',
    );
  if (!facts.isFile()) throw missing(`${path} is not a regular file.`);
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const source: PathSource = { kind: 'path', path, ...(flags.sharedPath === true ? {} : { host }) };
  return {
    source,
    label: file,
    identity: pathIdentity(host, path, facts),
    fileName: path,
    bytes: facts.size,
  };
}

function unreadable(path: string, error: unknown): MediaServiceError {
  const code = unreadableCode(error);
  const hint = code === 'SourceNotAllowed' ? GIVE_RIGHTS : 'Check the path.';
  return new MediaServiceError(code, `${path} ${unreadableReason(error)}.`, { field: 'FILE', hint });
}

function missing(message: string, hint = 'Check the path.'): MediaServiceError {
  return new MediaServiceError('SourceMissing', message, { field: 'FILE', hint });
}

function keyOf(identity: string, { title, id }: UploadFlags, { account }: UploadContext): string {
  return id ?? defaultIngestKey({ accountId: accountId(account), identity, title });
}
