import { StorageRefusal } from '../storage/s3-error';
import type { SimulatorState } from '../state';
import { addDelivery } from '../webhooks/webhook-search';
import { type Session, partsOf } from './session';

/** How long a storage that gives no answer, or an error of its own, is asked again. */
const STORAGE_RETRY_MS = 30_000;
const STORAGE_PAUSE_MS = 200;

/**
 * Assembles the file and ends the session as COMPLETED or FAILED. Never rejects. Stops at once when the simulator
 * closes.
 */
export async function processUpload(state: SimulatorState, session: Session): Promise<void> {
  const { uploadId } = session;
  const fault = state.faults.take({ operation: 'processing', when: 'inside', uploadId });
  const effect = fault?.definition.effect.does;
  if (effect === 'stick') {
    state.recorder.emit('held', { operation: 'processing', uploadId });
    await state.gates.wait(state.closing);
  }
  const waitMs = state.settings.processingMs + (effect === 'delay' ? (fault?.ms ?? 5000) : 0);
  await state.pause(waitMs);
  if (state.closing.aborted) return;
  const failure =
    effect === 'fail'
      ? (fault?.reason ?? 'The file could not be processed.')
      : await assemble(state, session);
  end(state, session, failure);
}

/** Resolves with why the file could not be assembled, or null. */
async function assemble(state: SimulatorState, session: Session): Promise<string | null> {
  const parts = partsOf(session).map(({ partNumber, keptETag: eTag }) => ({ partNumber, eTag }));
  const { keyName, s3UploadId } = session;
  const giveUpAt = Date.now() + STORAGE_RETRY_MS;
  for (;;) {
    try {
      await state.storage.completeUpload({ keyName, s3UploadId, parts });
      return null;
    } catch (error) {
      if (error instanceof StorageRefusal && error.status < 500)
        return `Storage refused to assemble the file: ${error.code}.`;
      if (state.closing.aborted || Date.now() >= giveUpAt) return `Storage failed: ${reasonOf(error)}.`;
      await state.pause(STORAGE_PAUSE_MS);
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof StorageRefusal) return `${String(error.status)} ${error.code}`;
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function end(state: SimulatorState, session: Session, failure: string | null): void {
  session.status = failure === null ? 'COMPLETED' : 'FAILED';
  session.failureReason = failure;
  session.item.isActive = failure === null;
  session.item.updatedAt = new Date(state.settings.now()).toISOString();
  if (failure === null) session.item.fileUrl = state.storage.urls.objectUrl(session.keyName);
  addDelivery(state, {
    eventType: failure === null ? 'media.processed' : 'media.failed',
    mediaId: session.item.id,
    subAccountId: session.item.subAccountId,
    status: 'SUCCESS',
  });
  state.recorder.emit('session-ended', {
    uploadId: session.uploadId,
    mediaId: session.item.id,
    reason: session.status,
  });
}
