import { join } from 'node:path';
import { dataFolderOfN8n, surroundingsOfN8n } from './n8n-spool';
import type { Surroundings } from './n8n-spool';
import type { SourceSettings } from './source-settings';

/** The folder in which uploads inside n8n keep their journals. */
export interface N8nJournals {
  readonly dir: string;
  /** Nobody has set it: it must belong to n8n's user alone. */
  readonly must?: 'own';
  /** In queue mode other workers don't see it, unless somebody has set it. */
  readonly ofThisWorker: boolean;
}

/** In the state folder that is set, else in n8n's data folder; undefined where n8n has none here. */
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
