import type { BatchHandle } from '../../../temporal/batch/client/open-batch';
import type { LiveBatch } from '../../../temporal/batch/client/live-batch';
import type { LiveProgress } from '../../../temporal/upload/client/open-upload';
import type { UploadResult } from '../../../api/upload/types';
import type { BatchCounts } from '../../../temporal/batch/types';
import { NO_ROWS } from '../../../temporal/batch/counts';

/** The batch `harbour` in its first round, while it uploads. */
export function liveBatch(counts: Partial<BatchCounts>, change: Partial<LiveBatch> = {}): LiveBatch {
  const all = { ...NO_ROWS, ...counts };
  const pages = { pages: 2, pagesDone: 0, pagesRunning: [] };
  const begun = { batchId: 'harbour', round: 1, startedAt: 0 };
  return { phase: 'uploading', ...begun, counts: all, ended: all, ...pages, ...change };
}

/** An upload of which nothing has arrived yet. */
export const BEGUN: LiveProgress = {
  ...{ phase: 'uploading', paused: false, partsDone: 0, partsRunning: [], retries: 0 },
  ...{ bytesDone: 0, bytesInFlight: 0 },
};

export const COMPLETED: UploadResult = {
  ...{ uploadId: 'u-1', status: 'COMPLETED', fileName: 'clip.mp4', fileType: 'MP4', bytes: 1, parts: [] },
  durationMs: 0,
  ...{ retries: 0, orphans: [], orphansVerifiable: true },
};

const unused = (): Promise<void> => Promise.reject(new Error('Nobody asked for it.'));
/** The parts of a handle that must not be used. */
export const UNUSED_CONTROLS: Pick<BatchHandle, 'joined' | 'pause' | 'resume' | 'cancel'> = {
  ...{ joined: false, pause: unused, resume: unused, cancel: unused },
};
