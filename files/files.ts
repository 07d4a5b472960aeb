import type { FileAccess } from './output-path';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { hasCode, MediaServiceError } from '../api/errors';
import { given } from '../api/json';
import { folderPrefix, locationWithin } from './file-location';
import type { FileLocation } from './file-location';
import { deleteDiskFile, isMissing, readDiskFile, surveyDiskFiles, writeDiskFile } from './disk-files';
import type { DiskEntry, LeftOut } from './disk-files';

/** A file or object below a folder. */
export interface FileEntry extends DiskEntry {
  readonly location: FileLocation;
}

/** Characters of text that are gathered before they are written. */
const WRITE_CHARACTERS = 64 * 1024;

/** Is written as UTF-8. */
export type Content = string | AsyncIterable<string>;

/**
 * Reads the bytes of a location. Its chunks stay valid. Rejects with `SourceMissing` if nothing exists there,
 * `SourceNotAllowed` outside the roots, and as `S3Objects` does.
 */
export function readFileAt(
  access: FileAccess,
  location: FileLocation,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  return location.kind === 's3'
    ? access.s3.read(location, { signal })
    : readDiskFile(access, location.path, signal);
}

/**
 * Reads the whole text of a small file of ours, such as a plan or a state; undefined if it does not exist. Rejects with
 * `OutputFailed` if its bucket is missing or forbidden, because the location is one that we also write to. Otherwise
 * rejects as `readFileAt` does.
 */
export async function readTextAt(access: FileAccess, location: FileLocation): Promise<string | undefined> {
  try {
    return await text(readFileAt(access, location));
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    const isNamedWrong = hasCode(error, 'SourceMissing') || hasCode(error, 'SourceNotAllowed');
    if (location.kind === 'path' || !isNamedWrong) throw error;
    throw new MediaServiceError('OutputFailed', error.message, { ...error.facts, field: 'output' });
  }
}

/**
 * Writes a file or object that appears only when it is whole. It replaces the earlier one, which stays if the write
 * fails. Missing folders are created. Rejects with `OutputFailed` if it is outside the output roots or can't be
 * written. Also rejects as `S3Objects` does, and with the content's own error.
 */
export async function writeFileAt(
  access: FileAccess,
  location: FileLocation,
  content: Content,
): Promise<void> {
  const bytes = bytesOf(content);
  if (location.kind === 'path') return writeDiskFile(access, location.path, bytes);
  const { onlyNew } = access;
  const contentType = CONTENT_TYPES[path.posix.extname(location.key).toLowerCase()];
  await access.s3.write(location, bytes, given({ onlyNew, contentType }));
}

/**
 * Lists every file or object below a folder, at any depth, sorted by the bytes of its name. On S3, memory does not grow
 * with their number; on a disk, it grows with the largest folder. A missing folder has no files. Rejects as
 * `readFileAt` does.
 */
export async function* listFilesAt(
  access: FileAccess,
  folder: FileLocation,
  signal?: AbortSignal,
): AsyncGenerator<FileEntry> {
  for await (const found of surveyFilesAt(access, folder, { signal })) if (!('leftOut' in found)) yield found;
}

/** Like `listFilesAt`, but also yields everything that is not a file or can't be read, in order. */
export async function* surveyFilesAt(
  access: FileAccess,
  folder: FileLocation,
  { signal, maxDepth }: { readonly signal?: AbortSignal | undefined; readonly maxDepth?: number } = {},
): AsyncGenerator<FileEntry | LeftOut> {
  if (folder.kind === 'path') {
    for await (const found of surveyDiskFiles(access, folder.path, maxDepth)) {
      signal?.throwIfAborted();
      yield 'leftOut' in found ? found : { ...found, location: locationWithin(folder, found.name) };
    }
    return;
  }
  const prefix = folderPrefix(folder.key);
  for await (const { key, ...facts } of access.s3.list(folder.bucket, prefix, signal)) {
    const name = key.slice(prefix.length);
    // Some programs mark a folder by an empty object.
    if (name !== '' && !name.endsWith('/')) yield { name, ...facts, location: { ...folder, key } };
  }
}

/**
 * Removes a file inside the output roots, or an object. A missing one counts as removed. Rejects as `writeFileAt` does.
 */
export function deleteFileAt(
  access: FileAccess,
  location: FileLocation,
  signal?: AbortSignal,
): Promise<void> {
  return location.kind === 's3' ? access.s3.delete(location, signal) : deleteDiskFile(access, location.path);
}

/** A missing bucket is a mistake of whoever named it. */
function isNothingThere(error: unknown): boolean {
  if (!(error instanceof MediaServiceError)) return false;
  const { status, details } = error.facts;
  return isMissing(error) || (status === 404 && details?.['s3Code'] !== 'NoSuchBucket');
}

/** Gathers short texts, such as lines, because each piece costs a write. */
async function* bytesOf(content: Content): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const piece of typeof content === 'string' ? [content] : content) {
    text += piece;
    if (text.length < WRITE_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** What browsers and other programs get for our objects. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};
