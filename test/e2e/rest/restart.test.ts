import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SeenSession } from '../../../simulator/control/seen';
import { secretsIn } from '../../support/canary';
import { createTempDir } from '../../support/temp-dir';
import type { TempDir } from '../../support/temp-dir';
import {
  createCredential,
  importWorkflow,
  runWorkflow,
  startExecution,
  waitForExecution,
} from '../support/n8n-executions';
import { secretsKept } from '../support/kept-by-n8n';
import { NODE_NAME, workflowOf } from '../support/n8n-stage';
import { SECRET_TRACES, WORKER_HOST, openServiceBed } from '../support/service-bed';
import type { ServiceBed } from '../support/service-bed';
import { startN8n } from '../support/start-n8n';
import type { RunningN8n } from '../support/start-n8n';

let bed: ServiceBed;
let home: TempDir;
let n8n: RunningN8n;
beforeAll(async () => {
  [bed, home] = await Promise.all([openServiceBed(), createTempDir('n8n-home')]);
  n8n = await start();
});
afterAll(async () => {
  await n8n.stop();
  await bed.close();
  await home.remove();
});

/** On what the one before left. */
const start = (): Promise<RunningN8n> =>
  startN8n({
    userFolder: home.path,
    env: { MEDIA_SERVICE_FILE_ROOTS: bed.folder },
  });

const stored = async (...types: ('mediaServiceApi' | 'mediaServiceTemporalApi')[]): Promise<Credentials> => {
  const pairs = types.map(async (type) => {
    const file = { name: type, type, data: bed.credentials[type] };
    return [type, await createCredential(n8n.rest, file)] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
};
type Credentials = Record<string, { id: string; name: string }>;

/** Imports an upload, starts it and kills n8n while a part is being sent; returns the ids of workflow and execution. */
async function killedInMidUpload(
  { ingestKey = '', ...parameters }: INodeParameters,
  credentials: Credentials,
): Promise<[string, string]> {
  const { simulator } = bed;
  simulator.fault('hold:1:part=3,bytes=1000');
  const last = simulator.events().at(-1)?.seq ?? 0;
  const held = simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
  const options = { partSizeMb: 5, concurrency: 1, ingestKey };
  const of = {
    resource: 'upload',
    operation: 'upload',
    source: 'path',
    simplify: false,
    ...parameters,
    options,
  };
  const id = await importWorkflow(n8n.rest, workflowOf(of, { credentials }));
  const execution = await startExecution(n8n.rest, id, 'Start');
  await held;
  await n8n.process.kill('SIGKILL');
  simulator.release();
  return [id, execution];
}

test('an upload through Temporal goes on while n8n is dead, and the next run of the workflow joins it', async () => {
  const file = await bed.writeFile('durable.mp4', 22);
  const of = { path: file.path, host: WORKER_HOST, runIn: 'temporal', ingestKey: 'order-1' };
  const credentials = await stored('mediaServiceApi', 'mediaServiceTemporalApi');
  const [workflow, execution] = await killedInMidUpload(of, credentials);
  n8n = await start();
  expect((await waitForExecution(n8n.rest, execution)).status).toBe('crashed');
  const again = await runWorkflow(n8n.rest, workflow);
  const [item] = again.output(NODE_NAME);
  expect(again.error).toBeUndefined();
  expect(item?.json).toMatchObject({ joined: true, status: 'COMPLETED' });
  expect(await bed.storedSha256(item?.json['uploadId'])).toBe(file.sha256);
  expect(bed.simulator.seen().sessions).toHaveLength(1);
});

test('an upload inside n8n is continued in the same session by the next run with its key', async () => {
  const file = await bed.writeFile('continued.mp4', 22);
  const of = { path: file.path, title: 'continued', ingestKey: 'order-2' };
  const [workflow, execution] = await killedInMidUpload(of, await stored('mediaServiceApi'));
  const sessions = (): SeenSession[] =>
    bed.simulator.seen().sessions.filter(({ title }) => title === 'continued');
  expect(sessions().map(({ parts }) => parts.length)).toEqual([2]);
  n8n = await start();
  expect((await waitForExecution(n8n.rest, execution)).status).toBe('crashed');
  const again = await runWorkflow(n8n.rest, workflow);
  const [item] = again.output(NODE_NAME);
  expect(again.error).toBeUndefined();
  expect(item?.json).toMatchObject({ continued: true, status: 'COMPLETED' });
  expect(await bed.storedSha256(item?.json['uploadId'])).toBe(file.sha256);
  const [session, ...others] = sessions();
  expect(others).toEqual([]);
  expect(session?.parts.slice(0, 2).map(({ puts }) => puts)).toEqual([1, 1]);
});

test('what n8n keeps after both, the journal included, holds no secret', async () => {
  const kept = join(home.path, '.n8n', 'media-service', 'uploads');
  const journals = await readdir(kept, { recursive: true, withFileTypes: true });
  const texts = journals
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1'));
  expect(secretsIn((await Promise.all(texts)).join('\n'), SECRET_TRACES)).toEqual([]);
  expect(await secretsKept(n8n, SECRET_TRACES)).toEqual([]);
});
