import { createHash } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { hasCode, ValidationError } from '../api/errors';
import { given } from '../api/json';
import { locationWithin } from '../files/file-location';
import { KEPT, spoolFile } from '../files/sources/spool-file';
import { AnsweredError } from './error-answer';
import { limitsOf } from './gateway-config';
import { KEPT_MS, keptFolder, keptText, newKeptId } from './kept-files';
import type { KeptSource } from './kept-files';
import type { Answer, Call, Route } from './route';
import { ref, text } from './schemas';

/** The free space is looked at after so many bytes. */
const CHECK_BYTES = 64 * 1024 * 1024;

export const FILES_ROUTE: Route = {
  method: 'POST',
  path: '/v1/files',
  operationId: 'sendFile',
  summary: 'Send a file as the body, of any type. It is kept for one upload, and for a day until that begins',
  right: 'start',
  query: { fileName: text('Its name, which shows its type', { minLength: 1, maxLength: 200 }) },
  required: ['fileName'],
  body: 'stream',
  answers: { 201: ref('File') },
  handle: receive,
};

async function receive(call: Call): Promise<Answer> {
  const { query, caller, config, clock, incoming } = call;
  const fileName = String(query['fileName']);
  // It becomes a part of a key in S3.
  if (/[/\\\p{Cc}]|^\.{1,2}$/u.test(fileName)) {
    throw new ValidationError('fileName', 'fileName must be the name of a file, without folders.');
  }
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = incoming.headers;
  if (type.startsWith('multipart/') || encoding !== 'identity') {
    throw new AnsweredError(415, 'Validation', 'The body must be the file itself.', {
      hint: 'Send its bytes alone, not as a form and not compressed: curl -T film.mp4, or n8n Binary File.',
    });
  }
  const now = clock.now();
  const receiving = { incoming, limits: limitsOf(config), hash: createHash('sha256'), bytes: 0 };
  const file = await keep(call, receiving, { fileName, id: newKeptId(now) });
  const { bytes } = receiving;
  const digest = receiving.hash.digest('hex');
  const source = keptText({ ...file, deleteAfter: true, bytes, digest }, caller);
  const expiresAt = new Date(now + KEPT_MS).toISOString();
  return { status: 201, body: { source, fileName, bytes, sha256: digest, expiresAt } };
}

interface Receiving {
  readonly incoming: IncomingMessage;
  readonly limits: ReturnType<typeof limitsOf>;
  readonly hash: ReturnType<typeof createHash>;
  /** Bytes that came so far. */
  bytes: number;
}

async function keep(
  { config, files }: Call,
  receiving: Receiving,
  { fileName, id }: { readonly fileName: string; readonly id: string },
): Promise<KeptSource> {
  const folder = keptFolder(config);
  if (folder === undefined) {
    throw new AnsweredError(409, 'SourceNotAllowed', 'This gateway keeps no files.', {
      hint: 'A gateway alone needs --http-files s3://bucket/prefix, which it and the workers reach. A worker with --http needs MEDIA_SERVICE_SPOOL_DIR.',
    });
  }
  if (folder.kind === 's3') {
    const object = locationWithin(folder, `${id}${KEPT}/${fileName}`);
    await files.s3.write(object, contentOf(receiving));
    return object;
  }
  const { source } = await spoolFile({
    spoolDir: folder.path,
    content: contentOf(receiving, folder.path),
    label: fileName,
    name: `${id}${KEPT}`,
  }).catch((error: unknown) => {
    // Its message names a folder, so only the log has it.
    throw hasCode(error, 'SourceUnavailable') ? noRoom(error) : error;
  });
  return { ...source, ...given({ host: config.worker?.host }), fileName };
}

/** The body as it comes. Rejects if it stops, breaks off or has no bytes, and if the disk of the folder gets full. */
async function* contentOf(receiving: Receiving, folder?: string): AsyncGenerator<Uint8Array> {
  const { incoming, hash } = receiving;
  let checkAt = 0;
  try {
    // Otherwise an error here would end the connection before its answer.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      if (folder !== undefined && receiving.bytes >= checkAt) {
        await requireRoom(folder, receiving);
        checkAt += CHECK_BYTES;
      }
      receiving.bytes += chunk.byteLength;
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!incoming.destroyed) throw error;
    const message = `The file broke off after ${receiving.bytes} bytes. Nothing is kept.`;
    throw new AnsweredError(400, 'Transport', message);
  }
  if (receiving.bytes === 0) throw new ValidationError('body', 'The body has no bytes.');
}

async function requireRoom(folder: string, { incoming, bytes, limits }: Receiving): Promise<void> {
  const expected = Number(incoming.headers['content-length'] ?? 0);
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize - Math.max(0, expected - bytes) < limits.freeBytes) throw noRoom();
}

function noRoom(cause?: unknown): AnsweredError {
  const hint = 'Send it again when uploads have ended, or free some space on the disk of the worker.';
  return new AnsweredError(507, 'SourceUnavailable', 'There is no room for the file.', { hint }, { cause });
}
