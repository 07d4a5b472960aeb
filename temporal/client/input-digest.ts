import { meaningOfSource } from '../../api/upload/sources/source-rules';
import type { UploadRequest } from '../../api/upload/request/upload-request';
import { digestsOf, readDigests } from './value-digest';

/** Prefix of the names of media fields. */
const FIELD = 'media.';

/**
 * Digests of what an upload means: its source, media and metadata, and each field of the media. The options, which say
 * how to send it, are left out. Requests with equal meaning give the same text, whatever the order of their fields.
 * URLs count without their query, because each pre-signed URL has another one; a sealed URL counts only by its label.
 * Handed-over files count by name and size, because each hand-over makes a new path or query.
 */
export function inputDigest({
  source,
  media,
  metadata,
}: Pick<UploadRequest, 'source' | 'media' | 'metadata'>): string {
  const fields = Object.entries<unknown>(media)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, unknown] => [FIELD + name, value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = { source: meaningOfSource(source), media, metadata: metadata ?? {} };
  return digestsOf([...Object.entries(parts), ...fields]);
}

/**
 * Names of the parts in which two digests differ, with the media's fields in place of the media. If the other digest is
 * missing, all three parts.
 */
export function differingParts(mine: string, theirs: string | undefined): string[] {
  const [own, other] = [readDigests(mine), readDigests(theirs)];
  const names = [...new Set([...own.keys(), ...other.keys()])].filter(
    (name) => own.get(name) !== other.get(name),
  );
  const isField = (name: string): boolean => name.startsWith(FIELD);
  const parts = names.filter((name) => !isField(name));
  const fields = names.filter(isField).map((name) => name.slice(FIELD.length));
  return parts.flatMap((part) => (part === 'media' && theirs !== undefined ? fields : [part]));
}

/** Names what differs, for `already exists with …`: `a different title and different tags`. */
export function differenceText(parts: readonly string[]): string {
  return parts.map((part) => (PLURALS.has(part) ? `different ${part}` : `a different ${part}`)).join(' and ');
}

const PLURALS: ReadonlySet<string> = new Set(['media', 'metadata', 'tags']);
