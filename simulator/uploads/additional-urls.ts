import { type Answer, type Call, Refusal, jsonAnswer } from '../http/answer';
import { readRecord, refuseUnknownFields } from '../http/request-body';
import type { Json } from '../json';
import type { SimulatorState } from '../state';
import type { Session } from './session';
import { sessionOf } from './upload-session';
import { issueUrls, shownUrls } from './upload-start';

/** POST /upload/{uploadId}/urls {"partNumbers":[…]} ("Its method, path, request and response: not shown"). */
export async function requestUrls(state: SimulatorState, call: Call): Promise<Answer> {
  const { request, uploadId } = call;
  if (!state.settings.additionalUrls) throw new Refusal(404, 'There is no such operation here.');
  const body = await readRecord(request);
  refuseUnknownFields(body, ['partNumbers'], 'The request');
  const { partNumbers } = body;
  if (!Array.isArray(partNumbers) || partNumbers.length === 0) {
    throw new Refusal(400, 'partNumbers must be an array of part numbers.');
  }
  const session = sessionOf(state, call);
  if (session.status !== 'INITIALIZED' && session.status !== 'PARTIAL') {
    throw new Refusal(400, `The upload session is ${session.status}.`);
  }
  const numbers = partNumbers.map((number) => partOf(session, number));
  return jsonAnswer(200, shownUrls(issueUrls(state, session, numbers), { uploadId }, state.shapes));
}

function partOf(session: Session, number: Json): number {
  if (
    typeof number === 'number' &&
    Number.isInteger(number) &&
    number >= 1 &&
    number <= session.amountOfParts
  )
    return number;
  throw new Refusal(400, `Part numbers go from 1 to ${session.amountOfParts}.`);
}
