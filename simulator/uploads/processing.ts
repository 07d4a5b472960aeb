import { setTimeout as sleep } from 'node:timers/promises';
import { StorageRefusal } from '../storage/storage';
import { recordProcessing } from '../webhooks/record-processing';
import type { SimulatorState } from '../state';
import type { Session } from './session-registry';

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
  // The wait ends when the simulator closes.
  await sleep(waitMs, undefined, { signal: state.closing }).catch(() => undefined);
  if (state.closing.aborted) return;
  const failure =
    effect === 'fail'
      ? (fault?.reason ?? 'The file could not be processed.')
      : await assemble(state, session);
  end(state, session, failure);
}

async function assemble(state: SimulatorState, session: Session): Promise<string | null> {
  const parts = [...session.parts]
    .sort(([a], [b]) => a - b)
    .map(([partNumber, { keptETag }]) => ({ partNumber, eTag: keptETag }));
  try {
    await state.storage.completeUpload({ keyName: session.keyName, s3UploadId: session.s3UploadId, parts });
    return null;
  } catch (error) {
    return error instanceof StorageRefusal
      ? `Storage refused to assemble the file: ${error.code}.`
      : 'Storage failed.';
  }
}

function end(state: SimulatorState, session: Session, failure: string | null): void {
  session.status = failure === null ? 'COMPLETED' : 'FAILED';
  session.failureReason = failure;
  session.item.isActive = failure === null;
  session.item.updatedAt = new Date(state.settings.now()).toISOString();
  if (failure === null) session.item.fileUrl = state.storage.fileUrl(session.keyName);
  recordProcessing(state, session);
  state.recorder.emit('session-ended', {
    uploadId: session.uploadId,
    mediaId: session.mediaId,
    reason: session.status,
  });
}
