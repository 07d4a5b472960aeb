import { type Answer, type Call, Refusal, jsonAnswer, refuseUnless } from '../http/answer';
import { readRecord, refuseUnknownFields } from '../http/request-body';
import { type Json, type JsonRecord, isJsonRecord } from '../json';
import type { ShapeChoice } from '../shapes/shapes';
import type { SimulatorState } from '../state';
import { processUpload } from './processing';
import { type Session, isOpen } from './session';
import { sessionOf, shownSession } from './upload-session';

/**
 * POST {upload_url}/upload/{uploadId}/complete (api.md). Returns 202, and then processes the session in the
 * background.
 */
export async function completeUpload(state: SimulatorState, call: Call): Promise<Answer> {
  const { request, uploadId } = call;
  const session = sessionOf(state, call);
  try {
    checkCompletion(await readRecord(request), session, state.shapes);
  } catch (error) {
    if (error instanceof Refusal) session.completesRefused += 1;
    throw error;
  }
  session.status = 'PENDING_COMPLETE';
  session.completesAccepted += 1;
  state.recorder.emit('complete-accepted', { uploadId, mediaId: session.item.id });
  void processUpload(state, session);
  if (state.shapes.has('complete-answers-empty')) return { status: 202, headers: {}, text: '' };
  return jsonAnswer(202, shownSession(state, session, session.status));
}

/** "At least 5 MB, except the last part". S3 means 5 MiB. */
export function leastPartBytes(shapes: ShapeChoice): number {
  return shapes.has('parts-from-5-mb') ? 5_000_000 : 5 * 1024 * 1024;
}

/** "At most 600 MB". */
const MAX_PART_BYTES = 600_000_000;

/**
 * Checks a completion payload against the session.
 * @throws Refusal 400 naming the wrong part.
 */
function checkCompletion(body: JsonRecord, session: Session, shapes: ShapeChoice): void {
  refuseUnless(isOpen(session), `The upload session is ${session.status}: it was completed before.`);
  const parts = partsOf(body, shapes);
  const wanted = shapes.has('complete-sent') ? Math.max(1, session.parts.size) : session.amountOfParts;
  refuseUnless(parts.length === wanted, `The session has ${wanted} parts, the payload ${parts.length}.`);
  parts.forEach((part, at) => checkPart(part, { expected: at + 1, last: wanted, session, shapes }));
}

function partsOf(body: JsonRecord, shapes: ShapeChoice): Json[] {
  const outer = shapes.has('complete-wrapped') ? body['payload'] : body;
  refuseUnless(isJsonRecord(outer), 'payload is required.');
  if (outer !== body) refuseUnknownFields(body, ['payload'], 'The completion payload');
  refuseUnknownFields(outer, ['parts'], 'The completion payload');
  const { parts } = outer;
  refuseUnless(Array.isArray(parts), 'parts is required and must be an array.');
  return parts;
}

interface PartContext {
  readonly expected: number;
  readonly last: number;
  readonly session: Session;
  readonly shapes: ShapeChoice;
}

function checkPart(part: Json, { expected, last, session, shapes }: PartContext): void {
  const [numberKey, eTagKey] = shapes.has('complete-capitals')
    ? ['PartNumber', 'ETag']
    : ['partNumber', 'eTag'];
  refuseUnless(isJsonRecord(part), `parts: entry ${expected} is not an object.`);
  refuseUnknownFields(part, [numberKey, eTagKey], `parts: entry ${expected}`);
  const isNext = part[numberKey] === expected;
  refuseUnless(isNext, `Parts are not contiguous: part ${expected} is expected instead.`);
  const stored = session.parts.get(expected);
  refuseUnless(stored !== undefined, `Part ${expected} was not uploaded.`);
  const isStored = [stored.eTag, `"${stored.eTag}"`].some((eTag) => eTag === part[eTagKey]);
  refuseUnless(isStored, `The eTag of part ${expected} is not that of the uploaded part.`);
  refuseUnless(stored.bytes <= MAX_PART_BYTES, `Part ${expected} is larger than 600 MB.`);
  const isLargeEnough = stored.bytes >= leastPartBytes(shapes) || expected === last;
  refuseUnless(isLargeEnough, `Part ${expected} is smaller than 5 MB and not the last one.`);
}
