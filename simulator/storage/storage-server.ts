import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ArmedFault } from '../faults/fault-book';
import { type Answer, send } from '../http/answer';
import type { Handle } from '../http/listener';
import { foreignAnswer, retryAfter } from '../http/play-fault';
import type { SimulatorState } from '../state';
import { type Session, notePart } from '../uploads/session';
import { partBody } from './part-body';
import { StorageRefusal, s3Code, s3Refusal, s3Error } from './s3-error';
import { periodOf } from './url-signature';
import { BrokenBody } from './storage';

/** Path to which redirect faults lead. */
export const REDIRECT_PATH = '/redirected';

/** Handles requests for either storage: records every request to a pre-signed URL and applies faults to it. */
export function storageHandler(state: SimulatorState): Handle {
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://storage');
    const part = Number(url.searchParams.get('partNumber') ?? 0);
    const session = state.sessionsOfStorage.get(url.searchParams.get('uploadId') ?? '');
    // A bearer token sent to storage is a leak. Records the leak, but never the token.
    if (request.headers.authorization !== undefined)
      state.recorder.bearerToStorage.push({ method: request.method ?? '', part, at: state.settings.now() });
    const operation = url.pathname === REDIRECT_PATH ? 'redirected' : 'put';
    const status =
      operation === 'redirected'
        ? sendEarly(request, response, { status: 410, headers: {}, text: '' })
        : await serve({ state, request, response, part, session });
    state.recorder.answered(operation, status, { part: part || undefined, uploadId: session?.uploadId });
  };
}

interface Exchange {
  readonly state: SimulatorState;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly part: number;
  readonly session: Session | undefined;
}

async function serve(exchange: Exchange): Promise<number> {
  const { state, request, response, part, session } = exchange;
  const { recorder, faults } = state;
  const uploadId = session?.uploadId;
  const target = { operation: 'put', part, uploadId } as const;
  const facts = { part, uploadId };
  recorder.emit('part-begun', facts);
  const instead = faults.take({ ...target, when: 'instead' });
  if (instead !== undefined) return answerInstead(exchange, instead);
  if (request.headers['content-type'] === undefined && state.shapes.has('part-type-required')) {
    recorder.emit('part-broken', { ...facts, bytes: 0, reason: 'no Content-Type' });
    return sendEarly(request, response, s3Error(s3Refusal('noContentType')));
  }
  const inside = faults.take({ ...target, when: 'inside' });
  let bytes = 0;
  const onBytes = (more: number): number => (bytes += more);
  try {
    const body = partBody({ state, request, part, uploadId, onBytes }, inside);
    const answer = await state.storage.receive(request, body);
    if (answer.status === 200) return answerStored(exchange, answer, bytes);
    recorder.emit('part-broken', { ...facts, bytes, reason: s3Code(answer.text) ?? String(answer.status) });
    return sendEarly(request, response, answer);
  } catch (error) {
    if (!(error instanceof BrokenBody)) throw error;
    recorder.emit('part-broken', { ...facts, bytes, reason: 'body ended early' });
    request.socket.destroy();
    return 0;
  }
}

function answerInstead({ state, request, response }: Exchange, fault: ArmedFault): number {
  const { effect } = fault.definition;
  const foreign = foreignAnswer(effect, state);
  if (foreign !== undefined) return sendEarly(request, response, foreign);
  if (effect.does === 'silence') return 0;
  if (effect.does !== 'refuse') throw new Error(`Storage can't answer with the effect "${effect.does}".`);
  const { status, code = 'InternalError', message, clock, closes } = effect;
  const headers = { ...retryAfter(fault, status), ...dateOf(clock, request) };
  const answer = s3Error(new StorageRefusal(status, code, fault.reason ?? message), headers);
  if (closes !== true) return sendEarly(request, response, answer);
  send(response, { ...answer, headers: { ...answer.headers, connection: 'close' } }, () =>
    request.socket.destroy(),
  );
  return status;
}

function dateOf(
  clock: 'early' | 'ended' | undefined,
  { url = '/' }: IncomingMessage,
): Record<string, string> {
  if (clock === undefined) return {};
  const { begin, end } = periodOf(url);
  return { date: new Date(clock === 'ended' ? end : begin - 2_000).toUTCString() };
}

/** S3 returns an error without waiting for the body. The rest of the body is read and dropped. */
function sendEarly(request: IncomingMessage, response: ServerResponse, answer: Answer): number {
  request.resume();
  send(response, answer);
  return answer.status;
}

function answerStored(exchange: Exchange, answer: Answer, bytes: number): number {
  const { state, request, response, part, session } = exchange;
  const keptETag = (answer.headers['etag'] ?? '').replaceAll('"', '');
  const fault = state.faults.take({ operation: 'put', when: 'after', part, uploadId: session?.uploadId });
  const does = fault?.definition.effect.does;
  const eTag = does === 'etag-wrong' || does === 'etag-kms' ? otherETag(keptETag, does) : keptETag;
  if (session !== undefined) notePart(session, part, { eTag, keptETag, bytes });
  state.recorder.emit('part-stored', { part, bytes, uploadId: session?.uploadId });
  if (does === 'cut') {
    request.socket.destroy();
    return 0;
  }
  if (does === 'silence') return 0;
  const kms: Record<string, string> = eTag.includes('-') ? { 'x-amz-server-side-encryption': 'aws:kms' } : {};
  send(response, { ...answer, headers: { ...answer.headers, ...kms, etag: `"${eTag}"` } });
  return answer.status;
}

/** Always the same wrong ETag for the same part, as if the part had been damaged in the same way. */
function otherETag(eTag: string, kind: 'etag-wrong' | 'etag-kms'): string {
  const other = createHash('md5').update(eTag).digest('hex');
  return kind === 'etag-wrong' ? other : `${other.slice(0, 16)}-${other.slice(16)}`;
}
