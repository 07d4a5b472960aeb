import { whyNotPrivate } from '../../../../api/disk/private-folder';
import { systemCodeOf } from '../../../../api/upload/sources/source-failure';
import { journalsOfN8n } from '../../../../settings/n8n-journals';
import type { N8nJournals } from '../../../../settings/n8n-journals';
import type { SourceSettings } from '../../../../settings/source-settings';

export interface OpenedJournals {
  /** Unset: no journal can be kept. */
  readonly folder?: string;
  /** Why an ingest key may not prevent a second upload. */
  readonly warning?: string;
}

const SET_IT = 'set MEDIA_SERVICE_STATE_DIR to a folder that only the user of n8n can write to';

/**
 * The folder of the journals, made for n8n's user alone. A folder that somebody has set is checked by the upload, which then fails; one that nobody
 * has set only costs the journal.
 */
export async function openJournals(
  settings: Pick<SourceSettings, 'stateDir'>,
  journals: N8nJournals | undefined = journalsOfN8n(settings),
): Promise<OpenedJournals> {
  if (journals === undefined) return { warning: noEffect('n8n has no data folder here: ' + SET_IT) };
  const { dir, must, ofThisWorker } = journals;
  const reason = must === undefined ? undefined : await whyUnusable(dir, must);
  if (reason !== undefined) return { warning: noEffect(`${dir} can't be used (${reason}): ${SET_IT}`) };
  if (!ofThisWorker) return { folder: dir };
  const warning =
    'The ingest key counts for this n8n worker only: set MEDIA_SERVICE_STATE_DIR to a folder that all workers share.';
  return { folder: dir, warning };
}

function noEffect(reason: string): string {
  return `The ingest key has no effect, since ${reason}.`;
}

async function whyUnusable(dir: string, must: 'own'): Promise<string | undefined> {
  return whyNotPrivate(dir, must).catch((error: unknown) => {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    return code;
  });
}
