import { text } from 'node:stream/consumers';
import { MediaServiceError } from '../api/errors';
import { contentTypeOf } from './content-type';
import type { Place } from './place';
import type { PlaceAccess } from './place-access';
import {
  createFileAt,
  deleteFileAt,
  hasFileAt,
  listFilesAt,
  readFileAt,
  surveyFilesAt,
  writeFileAt,
  type LeftOut,
} from './path-place';
import { folderPrefix, placeWithin } from './place-text';

/** A file or object below a folder. */
export interface PlaceEntry {
  readonly place: Place;
  /** Below the folder, with slashes. */
  readonly name: string;
  readonly bytes: number;
  /** Epoch ms, where it is known. */
  readonly modifiedAt?: number;
}

/** Pieces of text go out as UTF-8. */
export type Content = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/**
 * The bytes of a place, in chunks that stay valid. Rejects with `SourceMissing` where nothing is there, `SourceNotAllowed` outside the roots, and as
 * `S3Objects`.
 */
export function readPlace(
  access: PlaceAccess,
  place: Place,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  return place.kind === 's3' ? access.s3.read(place, { signal }) : readFileAt(access, place.path, signal);
}

/** The whole text of a small place; undefined where nothing is there. Rejects as `readPlace`. */
export async function readPlaceText(
  access: PlaceAccess,
  place: Place,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!(await hasPlace(access, place, signal))) return undefined;
  return text(readPlace(access, place, signal));
}

/**
 * Writes a place that appears only when it is whole; what was there is replaced, or stays if this fails. Missing folders are made. Rejects with `OutputFailed`
 * where it lies outside the output roots or cannot be written, as `S3Objects`, and with what the content rejects with.
 */
export async function writePlace(access: PlaceAccess, place: Place, content: Content): Promise<void> {
  const bytes = bytesOf(content);
  if (place.kind === 'path') return writeFileAt(access, place.path, bytes);
  const contentType = contentTypeOf(place.key);
  return access.s3.write(place, bytes, contentType === undefined ? {} : { contentType });
}

/**
 * Writes a small place where nothing is there yet, whole; false: something is, and stays. Of several that do so at once one succeeds (in S3: where the store
 * knows `If-None-Match`). Rejects as `writePlace`.
 */
export async function createPlace(access: PlaceAccess, place: Place, content: string): Promise<boolean> {
  const bytes = Buffer.from(content, 'utf8');
  if (place.kind === 'path') return createFileAt(access, place.path, bytes);
  const contentType = contentTypeOf(place.key);
  return access.s3.create(place, bytes, contentType === undefined ? {} : { contentType });
}

/** Whether something is there: a file, not a folder, or an object. Rejects where that cannot be told. */
export async function hasPlace(access: PlaceAccess, place: Place, signal?: AbortSignal): Promise<boolean> {
  if (place.kind === 'path') return hasFileAt(access, place.path);
  try {
    await access.s3.facts(place, signal);
    return true;
  } catch (error) {
    if (isMissingObject(error)) return false;
    throw error;
  }
}

/**
 * Every file or object below a folder, at any depth, by the bytes of its name; `nameStart` narrows it to names that begin so. Memory does not grow with
 * their number on S3, and with the largest folder's on a disk. A missing folder holds nothing. Rejects as `readPlace`.
 */
export async function* listPlaces(
  access: PlaceAccess,
  folder: Place,
  { nameStart = '', signal }: { readonly nameStart?: string; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<PlaceEntry> {
  if (folder.kind === 'path') {
    for await (const entry of listFilesAt(access, folder.path)) {
      signal?.throwIfAborted();
      if (entry.name.startsWith(nameStart)) yield { ...entry, place: placeWithin(folder, entry.name) };
    }
    return;
  }
  const prefix = folderPrefix(folder.key);
  for await (const { key, ...facts } of access.s3.list(folder.bucket, prefix + nameStart, signal)) {
    const name = key.slice(prefix.length);
    // Some programs mark a folder by an empty object.
    if (name !== '' && !name.endsWith('/')) yield { name, ...facts, place: { ...folder, key } };
  }
}

/** As `listPlaces`; and each thing below a folder that is no file or cannot be read, which that leaves out, in its turn. */
export async function* surveyPlaces(
  access: PlaceAccess,
  folder: Place,
  { signal, maxDepth }: { readonly signal?: AbortSignal | undefined; readonly maxDepth?: number } = {},
): AsyncGenerator<PlaceEntry | LeftOut> {
  if (folder.kind === 's3') {
    yield* listPlaces(access, folder, { signal });
    return;
  }
  for await (const found of surveyFilesAt(access, folder.path, maxDepth)) {
    signal?.throwIfAborted();
    yield 'leftOut' in found ? found : { ...found, place: placeWithin(folder, found.name) };
  }
}

/** Removes a file inside the output roots, or an object; what is gone already is removed. Rejects as `writePlace`. */
export function deletePlace(access: PlaceAccess, place: Place, signal?: AbortSignal): Promise<void> {
  return place.kind === 's3' ? access.s3.delete(place, signal) : deleteFileAt(access, place.path);
}

/** A bucket that is missing is a mistake of whoever named it. */
function isMissingObject(error: unknown): boolean {
  if (!(error instanceof MediaServiceError)) return false;
  const { status, details } = error.facts;
  return status === 404 && details?.['s3Code'] !== 'NoSuchBucket';
}

async function* bytesOf(content: Content): AsyncGenerator<Uint8Array> {
  const pieces = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
}
