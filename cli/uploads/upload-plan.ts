import { open, stat } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { resolve } from 'node:path';
import { given, isJsonObject, parseExact } from '../../api/json';
import { accountId } from '../../api/account';
import type { Account } from '../../api/account';
import { MediaServiceError, ValidationError } from '../../api/errors';
import { defaultIngestKey, pathIdentity, refuseIngestTag } from '../../api/upload/protocol/ingest-key';
import { fileTypeOf } from '../../api/upload/file-type';
import { planParts } from '../../api/upload/plan-parts';
import { labelOf } from '../../api/upload/sources/source';
import type { PathSource, SourceDescriptor } from '../../api/upload/sources/source';
import { typedFileName } from '../../api/upload/sources/source-rules';
import { addressedSource, checkUpload } from '../../api/upload/validate';
import type { UploadRequest } from '../../api/upload/types';
import { otherSpelling } from '../../files/allowed-path';
import { pathFingerprint } from '../../files/sources/path-change';
import { GIVE_RIGHTS, unreadableCode, unreadableReason } from '../../files/read-failure';
import type { Settings } from '../../settings/settings';
import type { Command } from 'commander';
import type { JsonObject } from '../../api/json';
import { MEDIA_OPTIONS, START_OPTIONS, UPLOAD_OPTIONS } from '../../api/options/upload-options';
import type { FlagValues } from '../flags/options';
import { optionsIn, withOptions, withWait } from '../flags/options';

export interface PlannedUpload {
  /** As the user named it, without a URL's query. */
  readonly file: string;
  readonly request: UploadRequest;
  /** Identity of the content of a file on this machine. */
  readonly content?: string | undefined;
}

interface UploadContext {
  readonly account: Account;
  readonly cwd: string;
  readonly settings: Pick<Settings, 'host' | 'options' | 'tuning'>;
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
      // The worker guesses the type in the same way. Here a wrong name shows before anything is sent.
      if (found.fileName !== undefined) fileTypeOf({ fileType: flags.fileType, fileName: found.fileName });
      if (found.bytes !== undefined) planParts({ bytes: found.bytes, ...shared.options });
      sources.push(found);
    } catch (error) {
      wrong.push({ file: shownName(file), error });
    }
  }
  const { title, id } = flags;
  const planned = sources.map(({ source, label, identity, content }) => {
    const ingestKey = id ?? defaultIngestKey({ accountId: accountId(context.account), identity, title });
    return { file: label, content, request: checkUpload({ ...shared, source, ingestKey }) };
  });
  return { planned, wrong };
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
  readonly content?: string;
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
  const { sourceSecret: secret } = optionsIn(flags, START_OPTIONS);
  const source = addressedSource(file, { secret });
  if (source === undefined) return pathSource(file, flags, context);
  const fileName = typedFileName(source);
  return { source, label: shownName(file), identity: file, ...given({ fileName }) };
}

async function pathSource(
  file: string,
  flags: UploadFlags,
  { cwd, settings: { host } }: UploadContext,
): Promise<FoundSource> {
  const typed = resolve(cwd, file);
  // As the disk spells it, so that it is the same upload however it was typed.
  const path = existsSync(typed) ? typed : ((await otherSpelling(typed)) ?? typed);
  const facts = await readableFile(path, 'Check the path.');
  const source: PathSource = { kind: 'path', path, ...(flags.sharedPath === true ? {} : { host }) };
  return {
    source,
    label: file,
    identity: pathIdentity(host, path, facts),
    content: pathFingerprint(facts, false),
    fileName: path,
    bytes: Number(facts.size),
  };
}

/** Returns what is known of a file on this machine. Rejects if it is missing, can't be read, or isn't a file. */
export async function readableFile(path: string, hint: string): Promise<BigIntStats> {
  const unreadable = (error: unknown): never => {
    const code = unreadableCode(error);
    const todo = code === 'SourceNotAllowed' ? GIVE_RIGHTS : hint;
    throw new MediaServiceError(code, `${path} ${unreadableReason(error)}.`, { field: 'FILE', hint: todo });
  };
  const facts = await stat(path, { bigint: true }).catch(unreadable);
  if (facts.isFile()) {
    await (await open(path).catch(unreadable)).close();
    return facts;
  }
  const [what, todo] = facts.isDirectory()
    ? ['is a folder', '`media-service batches plan` makes a manifest of its files.']
    : ['is not a regular file', hint];
  throw new MediaServiceError('SourceMissing', `${path} ${what}.`, { field: 'FILE', hint: todo });
}

/** The flags of `upload`, as commander returns them. */
export interface UploadFlags extends FlagValues {
  readonly sharedPath?: boolean;
  readonly title?: string;
  readonly metadata?: string;
  readonly library?: boolean;
  readonly fileType?: string;
  readonly id?: string;
  readonly again?: boolean;
  readonly wait?: boolean;
}

export function withUploadFlags(command: Command): Command {
  withOptions(withWait(command), MEDIA_OPTIONS);
  command.option('--library', 'add the media to the permanent media library');
  return withOptions(withOptions(command, START_OPTIONS), UPLOAD_OPTIONS);
}

/** Returns the fields of a request that every file of the command shares, from flags and settings. */
function sharedFieldsOf(
  flags: UploadFlags,
  { cwd, settings: { options, tuning } }: UploadContext,
): Pick<UploadRequest, 'media' | 'metadata' | 'options'> {
  const { metadata, library: isLibrary } = flags;
  const media = optionsIn(flags, MEDIA_OPTIONS);
  refuseIngestTag(media.tags, options.ingestTag);
  return {
    media: { ...media, ...(isLibrary === undefined ? {} : { insights: { isLibrary } }) },
    ...(metadata === undefined ? {} : { metadata: jsonOf('--metadata', metadata, cwd) }),
    options: {
      ...optionsIn(flags, UPLOAD_OPTIONS),
      ...given({ maxParts: options.maxParts, heartbeatMs: tuning?.heartbeatMs }),
    },
  };
}

function jsonOf(flag: string, text: string, cwd: string): JsonObject {
  const example = `Write it as ${flag} '{"name":"value"}' or ${flag} @file.json.`;
  let json = text;
  if (text.startsWith('@')) {
    const path = resolve(cwd, text.slice(1));
    try {
      json = readFileSync(path, 'utf8');
    } catch (error) {
      throw new ValidationError(flag, `The file ${path} ${unreadableReason(error)}.`, example);
    }
  }
  let value: unknown;
  try {
    value = parseExact(json);
  } catch {
    throw new ValidationError(flag, `${flag} isn't valid JSON.`, example);
  }
  if (!isJsonObject(value)) throw new ValidationError(flag, `${flag} must be a JSON object.`, example);
  return value;
}
