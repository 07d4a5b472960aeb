import { TransportError } from '../../../errors';
import { discardBody } from '../../../answers/read-answer';
import type { HttpAnswer } from '../../../transport/transport';
import type { HttpSource, SourceReader } from '../source';
import type { Pinned } from '../source-kind';
import type { SourceAccess } from '../source-access';
import { getSource } from './http-request';
import { contentRange, eTagIn, httpFingerprint, versionOf } from './http-version';
import { sourceChanged } from '../source-failure';
import { secretHeadersOf } from './secret-headers';

/**
 * Reads ranges of a pinned http source. Each request has If-Match if the pin has a strong ETag, and each answer's
 * version is compared with the pin. A connection that ends early rejects with a `TransportError`, which can be retried.
 */
export function openHttpSource(access: SourceAccess, pinned: Pinned<HttpSource>): SourceReader {
  const { label } = pinned.source;
  return {
    async *read(offset, length, signal) {
      const eTag = eTagIn(pinned.fingerprint);
      const answer = await getSource(access, {
        url: access.unseal(pinned.source.url),
        secret: await secretHeadersOf(access, pinned.source),
        headers: {
          range: `bytes=${offset}-${offset + length - 1}`,
          ...(eTag === undefined ? {} : { 'if-match': eTag }),
        },
        signal,
      });
      await refuseOther(answer, { fingerprint: pinned.fingerprint, label, offset });
      let read = 0;
      for await (const chunk of answer.body) {
        read += chunk.byteLength;
        yield chunk;
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
  const same = httpFingerprint(versionOf(status, headers)) === fingerprint;
  if (status === 206 && same && contentRange(headers)?.first === offset) return;
  await discardBody(body);
  if (status === 206 && same)
    throw sourceChanged(label, 'its server sent a different range than the one requested');
  throw sourceChanged(
    label,
    status === 206
      ? 'its ETag, modification time or size is different'
      : `its server answered a range with ${status}`,
  );
}
