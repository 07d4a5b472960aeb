import { createHash } from 'node:crypto';
import { meaningOfSource, identitiesDiffer, identityText } from '../../../api/upload/sources/source-rules';
import type { UploadRequest } from '../../../api/upload/types';
import { canonicalJson } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';

/**
 * Digests of what an upload means: its source, its metadata and each field of its media. The options, which say how to
 * send it, are left out. Requests with equal meaning give the same text, whatever the order of their fields.
 * URLs count without their query, because each pre-signed URL has another one; a sealed URL counts only by its label.
 * Files that were sent to the HTTP door count by name and size, because each has its own path.
 */
export function inputDigest({
  source,
  media,
  metadata,
}: Pick<UploadRequest, 'source' | 'media' | 'metadata'>): string {
  const fields = Object.entries<unknown>(media)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return digestsOf([['source', meaningOfSource(source)], ...fields, ['metadata', metadata ?? {}]]);
}

/** Names of the parts in which two digests differ. */
export function differingParts(mine: string, theirs: string | undefined): string[] {
  const [own, other] = [readDigests(mine), readDigests(theirs)];
  return [...new Set([...own.keys(), ...other.keys()])].filter((name) => own.get(name) !== other.get(name));
}

/** The error for an upload under the same key that differs in these parts. */
export function otherInput(workflowId: string, parts: readonly string[], hint: string): MediaServiceError {
  const differing = parts.map((part) => (PLURALS.has(part) ? `different ${part}` : `a different ${part}`));
  return new MediaServiceError(
    'InputDiffers',
    `The upload ${workflowId} already exists with ${differing.join(' and ')}.`,
    { outcome: 'refused', details: { workflowId, differs: parts.join(', ') }, hint },
  );
}

const PLURALS: ReadonlySet<string> = new Set(['metadata', 'tags']);

/**
 * Digests of named values, as text for a memo: `name:digest name:digest`, the first 16 hexadecimal digits of each
 * SHA-256. The order of a value's fields does not matter.
 */
export function digestsOf(values: Iterable<readonly [name: string, value: unknown]>): string {
  const digestOf = (value: unknown): string =>
    createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
  return [...values].map(([name, value]) => `${name}:${digestOf(value)}`).join(' ');
}

/** Reads the text of `digestsOf`: digests by name. */
function readDigests(text = ''): Map<string, string> {
  const parts = text.split(' ').filter((part) => part !== '');
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part.slice(part.indexOf(':') + 1)]));
}

/**
 * Throws `InputDiffers` if the source's content now differs from that of the upload to join, because another file may
 * have the same name now. Returns a warning if that is unknown, otherwise undefined. `then` and `now`: `sourceIdentity`
 * of the file; unset: nothing identifies it, or its starter can't compare it.
 */
export function refuseOtherContent(
  workflowId: string,
  then: string | undefined,
  now: string | undefined,
): string | undefined {
  if (then === undefined) return undefined;
  if (now === undefined) return NOT_KNOWN;
  if (!identitiesDiffer(then, now)) return undefined;
  throw new MediaServiceError(
    'InputDiffers',
    `The file has changed since the upload ${workflowId} was started: then ${identityText(then)}, now ${identityText(now)}.`,
    {
      outcome: 'refused',
      details: { workflowId, differs: 'content' },
      hint: 'To upload the new content, {again}, or use another {ingestKey}.',
    },
  );
}

const NOT_KNOWN =
  'It is not known whether the file has changed since it was uploaded: only a file on the machine that starts the upload is compared.';
