import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
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
import { resultsCsv } from '../temporal/batch/files/result-files';
import { rowsOfPages } from '../temporal/batch/files/page-journal';
import { readPlan } from '../temporal/batch/files/stored-plan';
import type { BatchInput, Manifest, BatchOptions, ResultLine } from '../temporal/batch/types';
import { batchNeed } from '../temporal/client/living-workers';
import { AnsweredError, shownAdvice } from './error-answer';
import { existingRoutes, NOUNS, ownWorkflow, PLAN, shownWaiting, startedAnswer } from './existing';
import type { Answer, Call, Route } from './route';
import { ANY_OBJECT, BATCH_OPTIONS_SCHEMA, flag, list, request, text } from './schemas';
import type { Read, Typed } from './schemas';
import { sourceOf } from './uploads';
import { POST_URL, requirePostUrl, waitForStarted } from './waits';

const START = request({
  manifest: text('An absolute path, an http(s) URL or s3://bucket/key of a CSV or of JSON lines', {
    minLength: 1,
  }),
  rows: list(ANY_OBJECT, {
    minItems: 1,
    description: 'Rows instead of a manifest, as its JSON lines: at most 1.8 MB as they are sent',
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
    answer: 'Started',
    // The schema has checked the form.
    handle: (call) => start(call, call.body as StartBody),
  },
  {
    method: 'GET',
    path: `${NOUNS.batch.path}/{id}/results`,
    operationId: 'getResults',
    summary: 'The rows of a batch that have ended so far, as a stream of lines',
    right: 'read',
    query: {
      format: text('jsonl (default) or csv', { enum: ['jsonl', 'csv'] }),
      status: text('Only rows that ended so', { enum: ['COMPLETED', 'FAILED', 'CANCELLED'] }),
    },
    answer: 'lines',
    handle: results,
  },
  ...existingRoutes('batch', {
    list: ({ connection }, choice) => listBatches(connection, choice),
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
  batch: Pick<BatchInput, 'folder' | 'options' | 'batchId'> & { readonly manifest: Manifest<unknown> },
): Promise<Answer> {
  const { query, signal, clock, queuePrefix, caller } = call;
  const { batchId, folder } = batch;
  const need = batchNeed({ ...batch, queuePrefix, accountId: caller.accountId });
  const planned = query['plan'] === true ? await awaitPlan(handle, { clock, signal }) : {};
  const known = { batchId, folder: locationText(folder), ...given({ rows: planned.rows }) };
  return startedAnswer(
    call,
    { handle, need, starts: 'The batch starts' },
    { ...known, ...shownWaiting(planned) },
  );
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
  const { source } = await sourceOf(call, { ...options, ...given({ sharedPath }), source: address });
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

/** The gateway and the workers must both reach the folder. */
function needsFolder(message: string): AnsweredError {
  return new AnsweredError(409, 'SourceNotAllowed', message, {
    field: 'folder',
    hint: 'A gateway without a worker needs a folder that it and the workers reach: give s3://bucket/prefix at the start.',
  });
}

async function results(call: Call): Promise<Answer> {
  const { connection, config, files, query, signal } = call;
  const { folder, batchId } = await readBatchInput(connection, await ownWorkflow('batch', call));
  const host = config.worker?.host;
  if (folder.kind !== 's3' && (host === undefined || (folder.host ?? host) !== host)) {
    const where = locationText(folder);
    throw needsFolder(`The results of ${batchId} are in ${where}, which this gateway can't read.`);
  }
  const plan = await readPlan(files, folder, { batchId });
  if (plan === undefined) {
    throw new AnsweredError(409, 'SourceMissing', `The batch ${batchId} has no plan yet.`, {
      hint: 'Ask again when a worker has read its manifest.',
    });
  }
  const rows = rowsOfPages(files, { folder, pages: plan.pages.keys() }, signal);
  const lines = (async function* () {
    for await (const { result } of rows)
      if (result !== undefined && (query['status'] ?? result.status) === result.status) yield result;
  })();
  const isCsv = query['format'] === 'csv';
  const texts = isCsv ? resultsCsv(lines, { byteOrderMark: false }) : jsonOf(lines);
  const type = isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
  return { body: Readable.from(texts, { objectMode: false }), type };
}

async function* jsonOf(lines: AsyncIterable<ResultLine>): AsyncGenerator<string> {
  for await (const line of lines) {
    const shown = line.error === undefined ? line : { ...line, error: shownAdvice(line.error) };
    yield `${JSON.stringify(shown)}\n`;
  }
}
