import { parse } from 'node:path';
import { readSettings, requireAccount } from '../../settings/settings';
import type { Settings } from '../../settings/settings';
import type { TemporalConnection } from '../../temporal/client/connect';
import { batchWorkflowId, isBatchWorkflowId } from '../../temporal/batch/ids';
import { withFileAccess, withTemporal } from '../context';
import type { CliContext } from '../context';
import { accountId } from '../../api/account';
import { MediaServiceError } from '../../api/errors';
import { locationText } from '../../files/file-location';
import type { FileLocation } from '../../files/file-location';
import type { FileAccess } from '../../files/output-path';
import { rowsOfPages } from '../../temporal/batch/files/page-journal';
import type { PageRow } from '../../temporal/batch/files/page-journal';
import { readPlan } from '../../temporal/batch/files/stored-plan';

/**
 * Returns the workflow of a batch. `id` names it within the account of the environment, or is already the workflow's
 * id.
 */
export function batchWorkflowOf(settings: Settings, id: string): string {
  return isBatchWorkflowId(id) ? id : batchWorkflowId(accountId(requireAccount(settings)), id);
}

export interface NamedBatch {
  readonly connection: TemporalConnection;
  readonly settings: Settings;
  readonly workflowId: string;
}

/** Runs `use` with the batch that an argument names, and always closes the connection. */
export async function withBatch<T>(
  { env }: CliContext,
  id: string,
  use: (batch: NamedBatch) => Promise<T>,
): Promise<T> {
  const settings = readSettings(env);
  const workflowId = batchWorkflowOf(settings, id);
  return withTemporal(settings, (connection) => use({ connection, settings, workflowId }));
}

export interface FolderUse {
  readonly settings: Settings;
  readonly cwd: string;
  readonly folder: FileLocation;
}

/** Returns whether the folder is on this machine or in S3. */
export function isReadableHere({ settings, folder }: Pick<FolderUse, 'settings' | 'folder'>): boolean {
  return folder.kind === 's3' || folder.host === undefined || folder.host === settings.host;
}

/**
 * Runs `use` with access to a batch's folder. The user of this command has named the folder, so it may be outside the
 * roots. Rejects with `SourceNotAllowed` if it is on another machine.
 */
export async function withBatchFolder<T>(
  { settings, cwd, folder }: FolderUse,
  use: (access: FileAccess) => Promise<T>,
): Promise<T> {
  if (folder.kind === 's3') return withFileAccess(settings, cwd, use);
  const { path, host } = folder;
  if (!isReadableHere({ settings, folder })) {
    throw new MediaServiceError(
      'SourceNotAllowed',
      `The batch's folder ${path} is on ${String(host)}; this machine is ${settings.host}.`,
      { hint: `Run this command on ${String(host)}, or wait for the end: the results are there.` },
    );
  }
  return withFileAccess({ ...settings, outputRoots: [parse(path).root] }, cwd, use);
}

export interface BatchFolder {
  readonly access: FileAccess;
  readonly folder: FileLocation;
  readonly batchId: string;
}

/**
 * Yields every row of a batch in the order of its results, with its current entry in the page journal. It works while
 * the batch runs and without any worker. Rejects with `SourceMissing` if the folder contains no plan of the batch.
 * Memory: a few pages.
 */
export async function* resultsSoFar(
  { access, folder, batchId }: BatchFolder,
  signal?: AbortSignal,
): AsyncGenerator<PageRow, void, undefined> {
  const plan = await readPlan(access, folder, { batchId });
  if (plan !== undefined) return yield* rowsOfPages(access, { folder, pages: plan.pages.keys() }, signal);
  throw new MediaServiceError(
    'SourceMissing',
    `${locationText(folder)} has no plan of the batch ${batchId}.`,
    {
      outcome: 'unsent',
      hint: 'If a worker is still reading the manifest, wait: `media-service batches show` shows it. Otherwise the folder was removed or is not mounted here.',
    },
  );
}
