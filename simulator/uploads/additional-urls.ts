import { type Answer, type Call, Refusal, jsonAnswer } from '../http/answer';
import { readRecord, refuseUnknownFields } from '../http/request-body';
import type { SimulatorState } from '../state';
import type { Session } from './session-registry';
import { sessionOf } from './upload-session';
import { issueUrls, shownUrls } from './upload-start';

/**
 * POST /upload/{uploadId}/urls {"partNumbers":[…]}: one of the two offered forms ("Its method, path, request and
 * response: not shown").
 */
export async function requestUrls(state: SimulatorState, call: Call): Promise<Answer> {
  const { request, uploadId } = call;
  requireOffered(state);
  const body = await readRecord(request);
  refuseUnknownFields(body, ['partNumbers'], 'The request');
  const { partNumbers } = body;
  if (!Array.isArray(partNumbers) || partNumbers.length === 0) {
    throw new Refusal(400, 'partNumbers must be an array of part numbers.');
  }
  const session = openSession(state, call);
  const numbers = partNumbers.map((number) =>
    partOf(session, typeof number === 'number' ? number : Number.NaN),
  );
  return jsonAnswer(200, shownUrls(issueUrls(state, session, numbers), { uploadId }, state.shapes));
}

/** GET /upload/{uploadId}/url/{partNumber}: the other form. */
export async function requestUrl(state: SimulatorState, call: Call): Promise<Answer> {
  requireOffered(state);
  const session = openSession(state, call);
  const [url] = issueUrls(state, session, [partOf(session, Number(call.partNumber))]);
  return jsonAnswer(200, url === undefined ? {} : { ...url });
}

function requireOffered(state: SimulatorState): void {
  if (!state.settings.additionalUrls) throw new Refusal(404, 'There is no such operation here.');
}

function openSession(state: SimulatorState, call: Call): Session {
  const session = sessionOf(state, call);
  if (session.status !== 'INITIALIZED' && session.status !== 'PARTIAL') {
    throw new Refusal(400, `The upload session is ${session.status}.`);
  }
  return session;
}

function partOf(session: Session, number: number): number {
  if (Number.isInteger(number) && number >= 1 && number <= session.amountOfParts) return number;
  throw new Refusal(400, `Part numbers go from 1 to ${session.amountOfParts}.`);
}
