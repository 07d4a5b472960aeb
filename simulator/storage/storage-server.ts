import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SeenOperation } from '../control/recorder';
import type { ArmedFault } from '../faults/fault-book';
import { send } from '../http/answer';
import { type Handle, isReusedConnection } from '../http/listener';
import { retryAfter } from '../http/play-fault';
import { type Session, notePart } from '../uploads/session-registry';
import type { World } from '../world';
import { partBody } from './part-body';
import { s3Error } from './s3-error';
import { BrokenBody, type StorageAnswer, StorageRefusal } from './storage';

/** Where redirect faults lead. */
export const REDIRECT_PATH = '/redirected';

/** Stands before either storage: sees every request to a pre-signed URL, records it, and spoils it where a fault says so. */
export function storageHandler(world: () => World): Handle {
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://storage');
    const part = Number(url.searchParams.get('partNumber') ?? 0);
    const session = world().sessions.byStorageId(url.searchParams.get('uploadId') ?? '');
    noteAuthorization(world(), request, part);
    const operation = operationOf(request, url);
    const exchange = { world: world(), request, response, part, session };
    const status = operation === 'redirected' ? refuseArrival(exchange) : await serve(exchange);
    world().recorder.answered(operation, status, {
      ...(part === 0 ? {} : { part }),
      ...(session === undefined ? {} : { uploadId: session.uploadId }),
      reusedConnection: isReusedConnection(request),
    });
  };
}

interface Exchange {
  readonly world: World;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly part: number;
  readonly session: Session | undefined;
}

function operationOf(request: IncomingMessage, url: URL): SeenOperation {
  if (url.pathname === REDIRECT_PATH) return 'redirected';
  return request.method === 'PUT' ? 'put' : 'storage-other';
}

/** A bearer token sent to storage is a leak: it is flagged, never kept. */
function noteAuthorization({ recorder, settings }: World, request: IncomingMessage, part: number): void {
  if (request.headers.authorization === undefined) return;
  recorder.bearerToStorage.push({
    method: request.method ?? '',
    part: part === 0 ? null : part,
    at: settings.now(),
  });
  recorder.emit('bearer-to-storage', part === 0 ? {} : { part });
}

function refuseArrival({ request, response }: Exchange): number {
  request.resume();
  send(response, { status: 410, headers: {}, text: '' });
  return 410;
}

async function serve(exchange: Exchange): Promise<number> {
  const { world, request, response, part, session } = exchange;
  const { recorder, faults } = world;
  const uploadId = session?.uploadId;
  const occasion = { operation: 'put', part, uploadId } as const;
  const facts = { part, ...(uploadId === undefined ? {} : { uploadId }) };
  recorder.emit('part-begun', facts);
  const instead = faults.take({ ...occasion, when: 'instead' });
  if (instead !== undefined) return answerInstead(exchange, instead);
  const inside = faults.take({ ...occasion, when: 'inside' });
  recorder.putsNow += 1;
  recorder.mostPutsAtOnce = Math.max(recorder.mostPutsAtOnce, recorder.putsNow);
  let bytes = 0;
  const onBytes = (more: number): void => {
    bytes += more;
    recorder.bytesReceived += more;
  };
  try {
    const answer = await world.storage.receive({
      method: request.method ?? '',
      target: request.url ?? '/',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: partBody({ world, request, part, uploadId, onBytes }, inside),
    });
    if (answer.status === 200) return answerStored(exchange, answer, bytes);
    recorder.emit('part-broken', { ...facts, bytes, reason: answer.code ?? String(answer.status) });
    return sendEarly(request, response, answer);
  } catch (error) {
    if (!(error instanceof BrokenBody)) throw error;
    recorder.emit('part-broken', { ...facts, bytes, reason: 'body ended early' });
    request.socket.destroy();
    return 0;
  } finally {
    recorder.putsNow -= 1;
  }
}

function answerInstead({ world, request, response }: Exchange, fault: ArmedFault): number {
  const { effect } = fault.definition;
  if (effect.does === 'redirect') {
    return sendEarly(request, response, {
      status: 307,
      headers: { location: world.redirectTarget },
      text: '',
    });
  }
  if (effect.does !== 'refuse') return 0;
  const refusal = new StorageRefusal(
    effect.status,
    effect.code ?? 'InternalError',
    fault.reason ?? effect.message,
  );
  return sendEarly(request, response, s3Error(refusal, retryAfter(fault, effect.status)));
}

/** S3 answers an error without waiting for the body; what still comes is read and thrown away. */
function sendEarly(request: IncomingMessage, response: ServerResponse, answer: StorageAnswer): number {
  request.resume();
  send(response, answer);
  return answer.status;
}

function answerStored(exchange: Exchange, answer: StorageAnswer, bytes: number): number {
  const { world, request, response, part, session } = exchange;
  const keptETag = (answer.headers['etag'] ?? '').replaceAll('"', '');
  const fault = world.faults.take({ operation: 'put', when: 'after', part, uploadId: session?.uploadId });
  const effect = fault?.definition.effect;
  const eTag = effect?.does === 'etag' ? otherETag(keptETag, effect.kind) : keptETag;
  if (session !== undefined) notePart(session, part, { eTag, keptETag, bytes });
  world.recorder.bytesStored += bytes;
  world.recorder.emit('part-stored', {
    part,
    bytes,
    ...(session === undefined ? {} : { uploadId: session.uploadId }),
  });
  if (effect?.does === 'cut') {
    request.socket.destroy();
    return 0;
  }
  if (effect?.does === 'silence') return 0;
  const kms: Record<string, string> = eTag.includes('-') ? { 'x-amz-server-side-encryption': 'aws:kms' } : {};
  send(response, { ...answer, headers: { ...answer.headers, ...kms, etag: `"${eTag}"` } });
  return answer.status;
}

/** The same one for the same part, as a part that arrives damaged in the same way twice would have. */
function otherETag(eTag: string, kind: 'wrong' | 'kms'): string {
  const other = createHash('md5').update(eTag).digest('hex');
  return kind === 'wrong' ? other : `${other.slice(0, 16)}-${other.slice(16)}`;
}
