import { whyNotPrivate } from '../../../../files/disk/private-folder';
import { ConfigurationError } from '../../../../api/errors';
import { systemCodeOf } from '../../../../files/system-error';
import { journalsOfN8n } from '../../../../settings/n8n-journals';
import type { N8nJournals } from '../../../../settings/n8n-journals';
import type { SourceSettings } from '../../../../settings/source-settings';

interface OpenedJournals {
  /** Unset: no journal can be written. */
  readonly folder?: string;
  /** Why an ingest key may not prevent a second upload. */
  readonly warning?: string;
}

const SET_IT = 'set MEDIA_SERVICE_STATE_DIR to a folder that only the user of n8n can write to';

/**
 * The folder of the journals, readable only by n8n's user. If somebody configured the folder, the upload checks it and
 * fails on a problem. With the default folder, a problem only means that there is no journal.
 */
export async function openJournals(
  settings: Pick<SourceSettings, 'stateDir'>,
  journals: N8nJournals | undefined = journalsOfN8n(settings),
): Promise<OpenedJournals> {
  const reason = await whyNone(journals);
  if (journals === undefined || reason !== undefined) {
    return { warning: `The ingest key has no effect, because ${reason}: ${SET_IT}.` };
  }
  const { dir, ofThisWorker } = journals;
  if (!ofThisWorker) return { folder: dir };
  const warning =
    'The ingest key counts for this n8n worker only: set MEDIA_SERVICE_STATE_DIR to a folder that all workers share.';
  return { folder: dir, warning };
}

/**
 * The folder with the journals of all uploads of this n8n. Rejects with a `ConfigurationError` if this process can't
 * see one.
 */
export async function journalsOfAllWorkers(
  settings: Pick<SourceSettings, 'stateDir'>,
  journals: N8nJournals | undefined = journalsOfN8n(settings),
): Promise<string> {
  const reason = await whyNone(journals);
  if (journals === undefined || reason !== undefined) {
    throw unseen(reason, `In the environment of n8n, ${SET_IT}.`);
  }
  if (!journals.ofThisWorker) return journals.dir;
  throw unseen(
    'in queue mode each n8n worker keeps its own record of them',
    'Set MEDIA_SERVICE_STATE_DIR, for n8n and all its workers, to one folder that they share.',
  );
}

function unseen(reason: string | undefined, hint: string): ConfigurationError {
  return new ConfigurationError('stateDir', `Uploads in n8n can't be seen here: ${reason}`, hint);
}

async function whyNone(journals: N8nJournals | undefined): Promise<string | undefined> {
  if (journals === undefined) return 'n8n has no data folder here';
  const { dir, must } = journals;
  const reason = must === undefined ? undefined : await whyUnusable(dir, must);
  return reason === undefined ? undefined : `${dir} can't be used (${reason})`;
}

async function whyUnusable(dir: string, must: 'own'): Promise<string | undefined> {
  return whyNotPrivate(dir, must).catch((error: unknown) => {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    return code;
  });
}
