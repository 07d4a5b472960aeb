import { setTimeout as sleep } from 'node:timers/promises';
import { StorageRefusal } from '../storage/storage';
import { recordProcessing } from '../webhooks/record-processing';
import type { World } from '../world';
import type { Session } from './session-registry';

/** Assembles the file and ends the session COMPLETED or FAILED. Never rejects; stops where it is when the simulator closes. */
export async function processUpload(world: World, session: Session): Promise<void> {
  const { uploadId } = session;
  const fault = world.faults.take({ operation: 'processing', when: 'inside', uploadId });
  const effect = fault?.definition.effect.does;
  if (effect === 'stick') {
    world.recorder.emit('held', { operation: 'processing', uploadId });
    await world.gates.wait(world.closing);
  }
  const waitMs = world.settings.processingMs + (effect === 'delay' ? (fault?.ms ?? 5000) : 0);
  await sleep(waitMs, undefined, { signal: world.closing }).catch(() => undefined);
  if (world.closing.aborted) return;
  const failure =
    effect === 'fail'
      ? (fault?.reason ?? 'The file could not be processed.')
      : await assemble(world, session);
  end(world, session, failure);
}

async function assemble(world: World, session: Session): Promise<string | null> {
  const parts = [...session.parts]
    .sort(([a], [b]) => a - b)
    .map(([partNumber, { keptETag }]) => ({ partNumber, eTag: keptETag }));
  try {
    await world.storage.completeUpload({ keyName: session.keyName, s3UploadId: session.s3UploadId, parts });
    return null;
  } catch (error) {
    return error instanceof StorageRefusal
      ? `Storage refused to assemble the file: ${error.code}.`
      : 'Storage failed.';
  }
}

function end(world: World, session: Session, failure: string | null): void {
  session.status = failure === null ? 'COMPLETED' : 'FAILED';
  session.failureReason = failure;
  session.item.isActive = failure === null;
  session.item.updatedAt = new Date(world.settings.now()).toISOString();
  if (failure === null) session.item.fileUrl = world.storage.fileUrl(session.keyName);
  recordProcessing(world, session);
  world.recorder.emit('session-ended', {
    uploadId: session.uploadId,
    mediaId: session.mediaId,
    reason: session.status,
  });
}
