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
import { SECRET_TRACES, WORKER_HOST, openServiceFixture } from '../support/service-fixture';
import type { ServiceFixture } from '../support/service-fixture';
import { startN8n } from '../support/start-n8n';
import type { RunningN8n } from '../support/start-n8n';

let fixture: ServiceFixture;
let home: TempDir;
let n8n: RunningN8n;
beforeAll(async () => {
  [fixture, home] = await Promise.all([openServiceFixture(), createTempDir('n8n-home')]);
  n8n = await start();
});
afterAll(async () => {
  await n8n.stop();
  await fixture.close();
  await home.remove();
});

/** Starts n8n on the folder that the previous one left. */
const start = (): Promise<RunningN8n> =>
  startN8n({
    userFolder: home.path,
    env: { MEDIA_SERVICE_FILE_ROOTS: fixture.folder },
  });

const stored = async (...types: ('mediaServiceApi' | 'mediaServiceTemporalApi')[]): Promise<Credentials> => {
  const pairs = types.map(async (type) => {
    const file = { name: type, type, data: fixture.credentials[type] };
    return [type, await createCredential(n8n.rest, file)] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
};
type Credentials = Record<string, { id: string; name: string }>;

/** Imports an upload, starts it and kills n8n while a part is sent. Returns the IDs of workflow and execution. */
async function killedInMidUpload(
  { ingestKey = '', ...parameters }: INodeParameters,
  credentials: Credentials,
): Promise<[string, string]> {
  const { simulator } = fixture;
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

test('an upload through Temporal continues while n8n is down, and the next run of the workflow joins it', async () => {
  const file = await fixture.writeFile('durable.mp4', 22);
  const of = { path: file.path, host: WORKER_HOST, runIn: 'temporal', ingestKey: 'order-1' };
  const credentials = await stored('mediaServiceApi', 'mediaServiceTemporalApi');
  const [workflow, execution] = await killedInMidUpload(of, credentials);
  n8n = await start();
  expect((await waitForExecution(n8n.rest, execution)).status).toBe('crashed');
  const again = await runWorkflow(n8n.rest, workflow);
  const [item] = again.output(NODE_NAME);
  expect(again.error).toBeUndefined();
  expect(item?.json).toMatchObject({ joined: true, status: 'COMPLETED' });
  expect(await fixture.storedSha256(item?.json['uploadId'])).toBe(file.sha256);
  expect(fixture.simulator.seen().sessions).toHaveLength(1);
});

test('the next run with the same key continues an upload inside n8n in the same session', async () => {
  const file = await fixture.writeFile('continued.mp4', 22);
  const of = { path: file.path, title: 'continued', ingestKey: 'order-2' };
  const [workflow, execution] = await killedInMidUpload(of, await stored('mediaServiceApi'));
  const sessions = (): SeenSession[] =>
    fixture.simulator.seen().sessions.filter(({ title }) => title === 'continued');
  expect(sessions().map(({ parts }) => parts.length)).toEqual([2]);
  const journal = await journals();
  expect(journal).toContain(sessions()[0]?.uploadId);
  expect(journal).toContain('"sealed":');
  expect(secretsIn(journal, SECRET_TRACES)).toEqual([]);
  n8n = await start();
  expect((await waitForExecution(n8n.rest, execution)).status).toBe('crashed');
  const again = await runWorkflow(n8n.rest, workflow);
  const [item] = again.output(NODE_NAME);
  expect(again.error).toBeUndefined();
  expect(item?.json).toMatchObject({ continued: true, status: 'COMPLETED' });
  expect(await fixture.storedSha256(item?.json['uploadId'])).toBe(file.sha256);
  const [session, ...others] = sessions();
  expect(others).toEqual([]);
  expect(session?.parts.slice(0, 2).map(({ puts }) => puts)).toEqual([1, 1]);
});

test('n8n keeps no secret of either upload, not even in the journal', async () => {
  const journal = await journals();
  const [, session] = fixture.simulator.seen().sessions;
  // The same searches find what is there: the session in the journal, the title in the database.
  expect(secretsIn(journal, [session?.uploadId ?? 'none'])).toHaveLength(1);
  expect(await secretsKept(n8n, ['order-2'])).not.toEqual([]);
  expect(secretsIn(journal, SECRET_TRACES)).toEqual([]);
  expect(await secretsKept(n8n, SECRET_TRACES)).toEqual([]);
});

/** All journals that uploads inside n8n left in their folder. */
async function journals(): Promise<string> {
  const kept = join(home.path, '.n8n', 'media-service', 'uploads');
  const entries = await readdir(kept, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}
