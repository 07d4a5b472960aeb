import { dirname, join } from 'node:path';
import { systemClock } from '../api/clock';
import { ValidationError } from '../api/errors';
import { given } from '../api/json';
import type { JsonObject } from '../api/json';
import { fileNameOfSource, meaningOfSource, pathOfSource } from '../api/upload/sources/source-rules';
import { locationText, parseLocation } from '../files/file-location';
import type { FileLocation } from '../files/file-location';
import { formatOf } from '../manifest/format';
import type { ManifestFormat } from '../manifest/format';
import { awaitPlan } from '../temporal/batch/client/await-plan';
import { defaultBatchId } from '../temporal/batch/client/batch-input';
import type { StartBatch } from '../temporal/batch/client/batch-input';
import { listBatches } from '../temporal/batch/client/list-batches';
import { readBatchInput } from '../temporal/batch/client/open-batch';
import type { BatchHandle } from '../temporal/batch/client/open-batch';
import { retryFailedRows, startBatch } from '../temporal/batch/client/start-batch';
import type { BatchInput, BatchOptions } from '../temporal/batch/types';
import { batchNeed } from '../temporal/client/living-workers';
import { existingRoutes, PLAN, warningsOf } from './control';
import { NOUNS, shownWaiting } from './own-workflow';
import { needsFolder } from './results';
import type { Answer, Call, Route } from './route';
import type { Read, Typed } from './schemas';
import { ANY_OBJECT, BATCH_OPTIONS_SCHEMA, flag, list, ref, request, text } from './schemas';
import { sourceOf } from './uploads';
import { POST_URL, requirePostUrl, waitForStarted } from './waits';

const START = request({
  manifest: text('An absolute path, an http(s) URL or s3://bucket/key of a CSV or of JSON lines', {
    minLength: 1,
  }),
  rows: list(ANY_OBJECT, {
    minItems: 1,
    description: 'Rows instead of a manifest, as its JSON lines: at most 1.5 MB as they are sent',
  }),
  format: text('Format of a manifest whose name does not show it', {
    enum: ['csv', 'jsonl'],
  }) as Typed<ManifestFormat>,
  batchId: text('Name of the batch within its account; needed with rows', { minLength: 1, maxLength: 128 }),
  folder: text('Where the results are written: an absolute path or s3://bucket/prefix', { minLength: 1 }),
  sharedPath: flag('Every worker mounts the manifest, files and folder at the same paths'),
  retryFailed: flag('Retry the rows that failed in an earlier run'),
  options: BATCH_OPTIONS_SCHEMA,
  url: POST_URL,
});
type StartBody = Read<typeof START>;

export const BATCH_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: NOUNS.batch.path,
    operationId: 'startBatch',
    summary: 'Upload every file of a manifest, or join the batch of that name',
    right: 'start',
    body: START,
    query: { plan: PLAN },
    answers: { 201: ref('Started'), 200: ref('Started') },
    // The schema has checked the form.
    handle: (call) => start(call, call.body as StartBody),
  },
  ...existingRoutes('batch', {
    query: { running: flag('Only batches that run') },
    list: ({ connection, queuePrefix, caller, query, signal }, limit, ended) =>
      listBatches(connection, {
        ...{ accountId: caller.accountId, queuePrefix, limit, signal, running: query['running'] === true },
        ...given({ ended }),
      }),
    async retry(call, id) {
      const handle = await retryFailedRows(call.connection, id);
      return started(call, handle, await readBatchInput(call.connection, id));
    },
  }),
];

async function start(call: Call, body: StartBody): Promise<Answer> {
  const { connection, queuePrefix, caller } = call;
  if (body.url !== undefined) requirePostUrl(call, body.url);
  const { options: found, ...named } = await manifestOf(call, body);
  const { account, options: serviceOptions = {} } = caller;
  const { maxParts } = serviceOptions;
  const upload = maxParts === undefined ? {} : { upload: { ...body.options?.upload, maxParts } };
  const folder = folderOf(call, body, named.batchId);
  const batch = { ...named, folder, options: { ...found, ...body.options, ...upload } };
  const { retryFailed } = body;
  const asked = { ...batch, account, queuePrefix, serviceOptions, ...given({ retryFailed }) };
  const handle = await startBatch(connection, asked);
  if (body.url !== undefined) await waitForStarted(call, body.url, handle.workflowId);
  return started(call, handle, batch);
}

async function started(
  call: Call,
  handle: BatchHandle,
  batch: Pick<BatchInput, 'manifest' | 'folder' | 'options' | 'batchId'>,
): Promise<Answer> {
  const { query, signal, queuePrefix, caller } = call;
  const need = batchNeed({ ...batch, queuePrefix, accountId: caller.accountId });
  const warnings = await warningsOf(call, need, () => 'The batch starts');
  const planned = query['plan'] === true ? await awaitPlan(handle, { clock: systemClock, signal }) : {};
  const { workflowId: id, joined } = handle;
  const { batchId, folder } = batch;
  const body = {
    id,
    joined,
    warnings,
    batchId,
    folder: locationText(folder),
    ...given({ rows: planned.rows }),
  };
  return { status: joined ? 200 : 201, body: { ...body, ...shownWaiting(planned) } };
}

type NamedManifest = Pick<StartBatch, 'manifest' | 'batchId'> & { readonly options: BatchOptions };

async function manifestOf(call: Call, body: StartBody): Promise<NamedManifest> {
  const { manifest: address, rows, batchId, sharedPath, options = {} } = body;
  const here = sharedPath === true ? undefined : call.config.worker?.host;
  if (rows !== undefined && address === undefined) {
    if (batchId === undefined) throw new ValidationError('batchId', 'batchId is missing.');
    const isPath = ({ source }: JsonObject): boolean =>
      typeof source === 'string' && !/^[a-z0-9+.-]+:\/\//i.test(source);
    const sourceHost = rows.some(isPath) ? here : undefined;
    return { manifest: { rows }, batchId, options: given({ sourceHost }) };
  }
  if (address === undefined || rows !== undefined)
    throw new ValidationError('manifest', 'Either manifest or rows must be given.');
  const { sourceSecret, sourceHost } = options;
  const { source } = await sourceOf(call, {
    source: address,
    ...given({ sharedPath, sourceSecret, sourceHost }),
  });
  const [name, path] = [fileNameOfSource(source) ?? '', pathOfSource(source)];
  return {
    manifest: { source, format: body.format ?? formatOf(name) },
    batchId: batchId ?? defaultBatchId(name, JSON.stringify(meaningOfSource(source))),
    options: path === undefined ? {} : given({ sourceHost: here, sourceFolder: dirname(path) }),
  };
}

const FOLDER_OF_BATCHES = 'media-service-batches';

/** Where the results go: by default where the command puts them when it runs in the worker's first output folder. */
function folderOf(
  { config }: Call,
  { folder, sharedPath, options = {} }: StartBody,
  batchId: string,
): FileLocation {
  const { worker } = config;
  const [output] = worker?.outputRoots ?? [];
  const host = sharedPath === true ? undefined : (options.sourceHost ?? worker?.host);
  if (folder === undefined && output === undefined)
    throw needsFolder('The folder for the results is missing.');
  const address = folder ?? join(output ?? '/', FOLDER_OF_BATCHES, batchId);
  const location = parseLocation(address, { cwd: '/', host, field: 'folder' });
  if (location.kind === 's3' || address.startsWith('/')) return location;
  throw new ValidationError('folder', 'folder must be an absolute path or s3://bucket/prefix.');
}
