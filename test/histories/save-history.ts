import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { version } from '../../package.json';
import type { TemporalConnection } from '../../temporal/client/connect';
import { recordedHistory } from '../support/recorded-history';
import { HISTORIES } from '../support/saved-histories';

const ROOT = resolve(__dirname, '..', '..');

/** Writes a workflow's history into the folder of this version, and never overwrites one. */
export async function saveHistory(
  connection: TemporalConnection,
  workflowId: string,
  name: string,
): Promise<void> {
  const history: unknown = JSON.parse(await recordedHistory(connection, workflowId));
  expect(JSON.stringify(history)).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_STARTED');
  const folder = join(HISTORIES, version);
  await mkdir(folder, { recursive: true });
  // Stack traces contain the path of the project.
  const text = JSON.stringify(history, null, 1).replaceAll(`${ROOT}${sep}`, '');
  await writeFile(join(folder, `${name}.json`), `${text}\n`, { flag: 'wx' });
}
