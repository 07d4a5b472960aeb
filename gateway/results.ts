import { Readable } from 'node:stream';
import { locationText } from '../files/file-location';
import { readBatchInput } from '../temporal/batch/client/open-batch';
import { resultsCsv } from '../temporal/batch/files/result-files';
import { rowsOfPages } from '../temporal/batch/files/result-line';
import { readPlan } from '../temporal/batch/files/stored-plan';
import type { ResultLine } from '../temporal/batch/types';
import { AnsweredError, shownAdvice } from './error-answer';
import { NOUNS, ownWorkflow } from './own-workflow';
import type { Answer, Call, Route } from './route';
import { text } from './schemas';

export const RESULTS_ROUTE: Route = {
  method: 'GET',
  path: `${NOUNS.batch.path}/{id}/results`,
  operationId: 'getResults',
  summary: 'The rows of a batch that have ended so far, as a stream of lines',
  right: 'read',
  query: {
    format: text('jsonl (default) or csv', { enum: ['jsonl', 'csv'] }),
    status: text('Only rows that ended so', { enum: ['COMPLETED', 'FAILED', 'CANCELLED'] }),
  },
  answers: { 200: { type: 'string' } },
  handle: results,
};

/** The gateway and the workers must both reach the folder. */
export function needsFolder(message: string): AnsweredError {
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
