import { randomUUID } from 'node:crypto';
import { type Answer, type Call, Refusal, jsonAnswer, refuseUnless } from '../http/answer';
import { readCount, readRecord, refuseUnknownFields } from '../http/request-body';
import { EXTENSIONS, type MediaItem, sanitizedTitle } from '../media/media-item';
import type { Json, JsonRecord } from '../json';
import { type ShapeChoice, chosenOf } from '../shapes/shapes';
import type { PartToSign } from '../storage/url-signature';
import type { SimulatorState } from '../state';
import { type StartRequest, readStart } from './start-rules';
import { type Session, isOpen } from './session';
import { sessionOf } from './upload-session';

/**
 * POST {upload_url}/upload/start (api.md). Creates a session, its media (inactive until COMPLETED), and the first
 * URLs.
 */
export async function startUpload(state: SimulatorState, { request, subAccountId }: Call): Promise<Answer> {
  const start = readStart(await readRecord(request), state.shapes.has('metadata-in-media'));
  const mediaId = randomUUID();
  const keyName = `uploads/${mediaId}.${start.fileType.toLowerCase()}`;
  const session: Session = {
    uploadId: randomUUID(),
    s3UploadId: await state.storage.createUpload(keyName),
    keyName,
    amountOfParts: start.amountOfParts,
    item: mediaOf(state, { id: mediaId, subAccountId }, start),
    parts: new Map(),
    status: 'INITIALIZED',
    failureReason: null,
    completesAccepted: 0,
    completesRefused: 0,
  };
  state.sessions.set(session.uploadId, session);
  state.sessionsOfStorage.set(session.s3UploadId, session);
  state.media.push(session.item);
  state.recorder.counts.starts += 1;
  state.recorder.emit('started', { uploadId: session.uploadId, mediaId });
  const numbers = Array.from(
    { length: Math.min(start.amountOfParts, state.settings.initialUrls) },
    (_, at) => at + 1,
  );
  const urls = issueUrls(state, session, numbers);
  const { uploadId } = session;
  return jsonAnswer(201, shownUrls(urls, { uploadId, mediaId }, state.shapes));
}

/** POST /upload/{uploadId}/urls {"partNumbers":[…]} ("Its method, path, request and response: not shown"). */
export async function requestUrls(state: SimulatorState, call: Call): Promise<Answer> {
  const { request, uploadId } = call;
  if (!state.settings.additionalUrls) throw new Refusal(404, 'There is no such operation here.');
  const body = await readRecord(request);
  refuseUnknownFields(body, ['partNumbers'], 'The request');
  const { partNumbers } = body;
  const areNumbers = Array.isArray(partNumbers) && partNumbers.length > 0;
  refuseUnless(areNumbers, 'partNumbers must be an array of part numbers.');
  const session = sessionOf(state, call);
  refuseUnless(isOpen(session), `The upload session is ${session.status}.`);
  const { amountOfParts } = session;
  const refusal = `Part numbers go from 1 to ${amountOfParts}.`;
  const numbers = partNumbers.map((number) => readCount(number, amountOfParts, refusal));
  return jsonAnswer(200, shownUrls(issueUrls(state, session, numbers), { uploadId }, state.shapes));
}

function issueUrls(
  { storage, shapes }: SimulatorState,
  { item, keyName, s3UploadId }: Session,
  numbers: readonly number[],
): IssuedUrl[] {
  const signed = signedOf(shapes, EXTENSIONS.get(item.fileType)?.mime ?? '');
  return numbers.map((partNumber) => ({
    partNumber,
    presignedUrl: storage.urls.sign({ keyName, s3UploadId, partNumber, ...signed }),
  }));
}

/** What the URLs sign besides the host. */
function signedOf(shapes: ShapeChoice, mime: string): Pick<PartToSign, 'headers' | 'query'> {
  if (shapes.has('urls-sign-content-type')) return { headers: { 'content-type': mime } };
  if (shapes.has('urls-sign-acl')) return { headers: { 'x-amz-acl': 'private' } };
  return shapes.has('urls-fix-checksum') ? { query: { 'x-amz-checksum-crc32': 'AAAAAA==' } } : {};
}

function mediaOf(
  state: SimulatorState,
  { id, subAccountId }: Pick<MediaItem, 'id' | 'subAccountId'>,
  start: StartRequest,
): MediaItem {
  const now = new Date(state.settings.now()).toISOString();
  const { amountOfParts: _parts, mime: _mime, title, ...fields } = start;
  return {
    id,
    title,
    sanitizedTitle: title === null ? null : sanitizedTitle(title),
    ...fields,
    isActive: false,
    subAccountId,
    createdAt: now,
    updatedAt: now,
    fileUrl: null,
    isUploaded: true,
  };
}

interface IssuedUrl {
  readonly partNumber: number;
  readonly presignedUrl: string;
}

type UrlShape = (urls: readonly IssuedUrl[], ids: JsonRecord) => JsonRecord;

const objects = (urls: readonly IssuedUrl[]): Json[] => urls.map((url) => ({ ...url }));

const URL_SHAPES: Readonly<Record<string, UrlShape>> = {
  'urls-objects': (urls, ids) => ({ ...ids, presignedUrls: objects(urls) }),
  'urls-no-numbers': (urls, ids) => ({
    ...ids,
    presignedUrls: urls.map(({ presignedUrl }) => ({ presignedUrl })),
  }),
  'urls-map': (urls, ids) => ({
    ...ids,
    presignedUrls: Object.fromEntries(
      urls.map(({ partNumber, presignedUrl }) => [String(partNumber), presignedUrl]),
    ),
  }),
  'urls-strings': (urls, ids) => ({ ...ids, presignedUrls: urls.map(({ presignedUrl }) => presignedUrl) }),
  'urls-shuffled': (urls, ids) => ({ ...ids, presignedUrls: objects([...urls].reverse()) }),
  'urls-nested': (urls, ids) => ({ data: { ...ids, multipart: { parts: objects(urls) } } }),
};

/** Pre-signed URLs and the fields of their session, in the chosen shape ("Names of response fields …: not shown"). */
function shownUrls(urls: readonly IssuedUrl[], ids: JsonRecord, shapes: ShapeChoice): JsonRecord {
  return chosenOf(URL_SHAPES, shapes)?.(urls, ids) ?? {};
}
