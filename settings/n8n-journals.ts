import { join } from 'node:path';
import { dataFolderOfN8n, surroundingsOfN8n } from './n8n-surroundings';
import type { Surroundings } from './n8n-surroundings';
import type { SourceSettings } from './source-settings';

/** The folder for the journals of uploads inside n8n. */
export interface N8nJournals {
  readonly dir: string;
  /** Nobody has set the folder, so it must belong only to n8n's user. */
  readonly must?: 'own';
  /** In queue mode other workers don't see the folder, unless somebody has set it. */
  readonly ofThisWorker: boolean;
}

/** Returns a folder in the configured state folder, else in n8n's data folder. Undefined if n8n has none here. */
export function journalsOfN8n(
  { stateDir }: Pick<SourceSettings, 'stateDir'>,
  { env }: Pick<Surroundings, 'env'> = surroundingsOfN8n(),
): N8nJournals | undefined {
  if (stateDir !== undefined) return { dir: join(stateDir, 'uploads'), ofThisWorker: false };
  const data = dataFolderOfN8n(env);
  if (data === undefined) return undefined;
  const ofThisWorker = env['EXECUTIONS_MODE'] === 'queue';
  return { dir: join(data, 'media-service', 'uploads'), must: 'own', ofThisWorker };
}
