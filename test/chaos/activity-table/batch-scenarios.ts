import type { JsonObject } from '../../../api/json';
import { systemCodeOf } from '../../../files/system-error';
import type { BatchHandle } from '../../../temporal/batch/client/open-batch';
import type { BatchOptions, ResultLine } from '../../../temporal/batch/types';
import { batchFolder, resultsOfBatch, startRows, writeRows } from '../../support/batch-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import type { Cell, Evidence, RunContext, Scenario } from './cell';
import { HASTY_UPLOAD } from './upload-scenarios';

const NAME = 'killed';
const ROWS = 3;

type Options = Partial<BatchOptions>;

function start(
  fixture: UploadFixture,
  rows: readonly JsonObject[],
  options: Options = {},
  retryFailed = false,
) {
  const upload = { ...HASTY_UPLOAD, ...options.upload };
  return startRows(fixture, NAME, rows, {
    ...(retryFailed ? { retryFailed } : {}),
    options: { parallelUploads: ROWS, pageRows: ROWS, ...options, upload },
  });
}

async function plain({ fixture }: Cell): Promise<RunContext> {
  const rows = await writeRows(fixture, NAME, ROWS);
  return contextOf(fixture, filesOf(rows), () => start(fixture, rows));
}

/** Each file is too large for its page, and gets a workflow of its own. */
async function large({ fixture }: Cell): Promise<RunContext> {
  const rows = await writeRows(fixture, NAME, ROWS);
  return contextOf(fixture, filesOf(rows), () => start(fixture, rows, { smallFileBytes: 1 }));
}

async function contextOf(
  fixture: UploadFixture,
  files: ReadonlyMap<string, string>,
  begin: () => Promise<BatchHandle>,
): Promise<RunContext> {
  const handle = await begin();
  return {
    handle,
    again: begin,
    evidence: (reported) => evidenceOf(fixture, [handle.workflowId], files, reported),
    shown: () => resultsOfBatch(fixture, NAME).catch(unlessNone),
  };
}

/** A batch that is cancelled before it is planned writes no results. */
function unlessNone(error: unknown): ResultLine[] {
  if (systemCodeOf(error) === 'ENOENT') return [];
  throw error;
}

function filesOf(rows: readonly { readonly id: string; readonly source: string }[]): Map<string, string> {
  return new Map(rows.map(({ id, source }) => [`Film ${id}`, source]));
}

/** Checks that every row has one result line, and that all are completed. */
async function evidenceOf(
  fixture: UploadFixture,
  workflowIds: readonly string[],
  files: ReadonlyMap<string, string>,
  result: unknown,
): Promise<Evidence> {
  const lines = await resultsOfBatch(fixture, NAME);
  const titles = lines.map(({ title, status }) => `${title ?? ''} ${status}`);
  const wanted = [...files.keys()].map((title) => `${title} COMPLETED`);
  if (titles.sort().join() !== wanted.sort().join())
    throw new Error(`The results have other lines: ${JSON.stringify(lines)}`);
  return { workflowIds, files, reported: [result, lines], folders: [batchFolder(fixture, NAME)] };
}

/** The run may continue before its processing is stuck. */
async function releaseProcessing({ simulator }: UploadFixture): Promise<void> {
  await simulator.waitFor(({ event, operation }) => event === 'held' && operation === 'processing');
  simulator.release();
}

/** The service processes rows for so long that their page waits for them without a slot. */
async function processed({ fixture, resumed }: Cell): Promise<RunContext> {
  fixture.simulator.fault('processing-stuck');
  const rows = await writeRows(fixture, NAME, ROWS);
  void resumed.then(() => releaseProcessing(fixture));
  return contextOf(fixture, filesOf(rows), () => start(fixture, rows));
}

export const BATCH: Scenario = { fixture: 'upload', begin: plain };
export const LARGE: Scenario = { fixture: 'upload', begin: large };
export const PROCESSED: Scenario = { fixture: 'upload', begin: processed };
