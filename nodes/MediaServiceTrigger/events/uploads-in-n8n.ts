import { accountId } from '../../../api/account';
import { isJsonObject } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import type { Service } from '../../../api/service/service';
import { prepareJournals } from '../../../api/upload/direct/journal/journal-store';
import { journaledUploads } from '../../../api/upload/direct/journal/journaled-uploads';
import type { JournaledUpload } from '../../../api/upload/direct/journal/journaled-uploads';
import { shortId } from '../poll/cursor';
import type { EventPoll, TriggerEvent } from './trigger-event';
import { firstEnded, pollSessions, readState } from './ended-sessions';

interface WatchedFolder {
  /** Folder of the journals. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * The account's uploads in n8n that completed or failed, from any workflow. The journals contain their ids, and the
 * service says how they ended. Uploads that ended before the first poll are not reported.
 */
export function uploadsInN8n(service: Service, { folder, signal }: WatchedFolder): TriggerEvent {
  const account = accountId(service.account);
  const list = async (): Promise<JournaledUpload[]> => {
    await prepareJournals(folder, service.clock.now());
    return journaledUploads(folder, account);
  };
  return {
    asks: { account, watch: 'n8n' },
    async poll(stored) {
      const uploads = await list();
      // An unmounted share looks empty. Reported uploads must not be reported again when it is back.
      if (isJsonObject(stored) && uploads.length === 0) return { state: stored, items: [] };
      const state = readState(stored);
      const ids = uploads.map(({ uploadId }) => uploadId);
      if (stored === undefined) {
        const reported = uploads
          .filter(({ completed }) => completed)
          .map(({ uploadId }) => shortId(uploadId));
        const first = await pollSessions(service, { ids, signal, state: { ...state, reported } });
        return { ...first, items: [] };
      }
      return withKeys(await pollSessions(service, { ids, signal, state }), uploads);
    },
    async example() {
      const uploads = await list();
      const newestFirst = uploads.map(({ uploadId }) => uploadId).reverse();
      const item = await firstEnded(service, newestFirst, signal);
      return item === undefined ? undefined : withKey(item, uploads);
    },
  };
}

function withKeys({ state, items }: EventPoll, uploads: readonly JournaledUpload[]): EventPoll {
  return { state, items: items.map((item) => withKey(item, uploads)) };
}

function withKey(item: JsonObject, uploads: readonly JournaledUpload[]): JsonObject {
  const { ingestKey } = uploads.find(({ uploadId }) => uploadId === item['uploadId']) ?? {};
  return ingestKey === undefined ? item : { ...item, ingestKey };
}
