import { randomUUID } from 'node:crypto';
import { type Answer, jsonAnswer } from '../http/answer';
import { readRecord } from '../http/request-body';
import type { Call } from '../http/call';
import { EXTENSIONS, type MediaItem, sanitizedTitle } from '../media/media-item';
import type { World } from '../world';
import type { Session } from './session-registry';
import { type StartRequest, readStart } from './start-rules';
import { type IssuedUrl, sessionLink, shownUrls } from './url-shapes';

/** POST {upload_url}/upload/start (api.md): makes a session, its media (inactive until COMPLETED), and the first URLs. */
export async function startUpload(world: World, { request }: Call): Promise<Answer> {
  const start = readStart(await readRecord(request), {
    maxParts: world.settings.maxParts,
    metadataInside: world.shapes.has('metadata-inside'),
  });
  const mediaId = randomUUID();
  const keyName = `uploads/${mediaId}.${start.fileType.toLowerCase()}`;
  const session: Session = {
    uploadId: randomUUID(),
    mediaId,
    s3UploadId: await world.storage.createUpload(keyName),
    keyName,
    amountOfParts: start.amountOfParts,
    creator: start.creator,
    metadata: start.metadata,
    item: mediaOf(world, mediaId, start),
    parts: new Map(),
    status: 'INITIALIZED',
    failureReason: null,
    completesAccepted: 0,
    completesRefused: 0,
  };
  world.sessions.add(session);
  world.media.push(session.item);
  world.recorder.starts += 1;
  world.recorder.emit('started', { uploadId: session.uploadId, mediaId });
  const numbers = Array.from(
    { length: Math.min(start.amountOfParts, world.settings.initialUrls) },
    (_, at) => at + 1,
  );
  const urls = await issueUrls(world, session, numbers);
  const { uploadId } = session;
  const shown = { ids: { uploadId, mediaId }, link: sessionLink(request, uploadId) };
  return jsonAnswer(201, shownUrls(urls, shown, world.shapes));
}

export function issueUrls(world: World, session: Session, numbers: readonly number[]): Promise<IssuedUrl[]> {
  const mime = EXTENSIONS.get(session.item.fileType)?.mime ?? '';
  return Promise.all(
    numbers.map(async (partNumber) => ({
      partNumber,
      presignedUrl: await world.storage.presignPart({
        keyName: session.keyName,
        s3UploadId: session.s3UploadId,
        partNumber,
        ...(world.shapes.has('urls-sign-content-type') ? { contentType: mime } : {}),
      }),
    })),
  );
}

function mediaOf(world: World, id: string, start: StartRequest): MediaItem {
  const now = new Date(world.settings.now()).toISOString();
  const { title, type, fileType, tags, isLibrary, includeInReport, creator, duration, resolution, metadata } =
    start;
  return {
    id,
    title,
    sanitizedTitle: title === null ? null : sanitizedTitle(title),
    type,
    fileType,
    tags,
    isLibrary,
    includeInReport,
    isActive: false,
    creator,
    duration,
    resolution,
    subAccountId: world.settings.account.externalId,
    metadata,
    createdAt: now,
    updatedAt: now,
    fileUrl: null,
    isUploaded: true,
  };
}
