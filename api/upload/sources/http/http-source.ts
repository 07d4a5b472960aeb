import { TransportError } from '../../../errors';
import { discardBody } from '../../../answers/read-answer';
import type { HttpAnswer } from '../../../transport/transport';
import type { HttpSource, SourceReader } from '../source';
import type { Pinned } from '../source-kind';
import type { SourceAccess } from '../source-access';
import { getSource } from './http-request';
import { firstOf, httpFingerprint, versionOf } from './http-version';
import { sourceChanged } from '../source-failure';
import { secretHeadersOf } from './secret-headers';

/**
 * Reads ranges of a pinned http source, and compares each answer's version with the pin. No request has If-Match: some
 * servers refuse their own ETag in it, and the comparison shows the same. A connection that ends early rejects with a
 * `TransportError`, which can be retried.
 */
export function openHttpSource(access: SourceAccess, pinned: Pinned<HttpSource>): SourceReader {
  const { label } = pinned.source;
  return {
    async *read(offset, length, signal) {
      const answer = await getSource(access, {
        url: access.unseal(pinned.source.url),
        secret: await secretHeadersOf(access, pinned.source),
        headers: { range: `bytes=${offset}-${offset + length - 1}` },
        signal,
      });
      await refuseOther(answer, { fingerprint: pinned.fingerprint, label, offset });
      let read = 0;
      for await (const chunk of answer.body) {
        // A server may send more than the range.
        const piece = chunk.subarray(0, length - read);
        read += piece.byteLength;
        if (piece.byteLength > 0) yield piece;
        if (piece.byteLength < chunk.byteLength) break;
      }
      if (read < length) {
        throw new TransportError(`the source ${label} ended after ${read} of ${length} bytes`, {
          operation: 'source',
          outcome: 'ambiguous',
        });
      }
    },
  };
}

interface Expected {
  readonly fingerprint: string;
  readonly label: string;
  readonly offset: number;
}

async function refuseOther(
  { status, headers, body }: HttpAnswer,
  { fingerprint, label, offset }: Expected,
): Promise<void> {
  const seen = httpFingerprint(versionOf(status, headers));
  const first = firstOf(status, headers);
  if (seen === fingerprint && first === offset) return;
  await discardBody(body);
  throw sourceChanged(
    label,
    seen === fingerprint ? otherRange(status, first) : otherVersion(fingerprint, seen),
  );
}

function otherRange(status: number, first: number | undefined): string {
  return first === 0 && status === 200
    ? 'its server answered a range with the whole content (200)'
    : `its server sent a different range than the one requested (${status})`;
}

function otherVersion(pinned: string, seen: string | undefined): string {
  const shown = (version: string): string => version.replace(/^http;/, '').replace(';', ', ');
  return `it was ${shown(pinned)}, and is ${seen === undefined ? 'without a size, or without ETag and Last-Modified' : shown(seen)}`;
}
