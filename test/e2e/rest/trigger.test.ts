import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INode, INodeParameters } from 'n8n-workflow';
import { createTempDir } from '../../support/temp-dir';
import type { TempDir } from '../../support/temp-dir';
import {
  activateWorkflow,
  createCredential,
  deactivateWorkflow,
  executionsOf,
  importWorkflow,
  runWorkflow,
  waitForExecution,
} from '../support/n8n-executions';
import { SECRET_TRACES, openServiceBed } from '../support/service-bed';
import type { ServiceBed } from '../support/service-bed';
import { NODE_NAME, workflowOf } from '../support/n8n-stage';
import { startN8n } from '../support/start-n8n';
import type { RunningN8n } from '../support/start-n8n';

const TRIGGER = 'Media Service Trigger';
/** It does not come while the test runs. */
const FAR_MINUTE = (new Date().getUTCMinutes() + 30) % 60;

let bed: ServiceBed;
let home: TempDir;
let n8n: RunningN8n;
beforeAll(async () => {
  [bed, home] = await Promise.all([openServiceBed({ temporal: false }), createTempDir('n8n-home')]);
  n8n = await start();
});
afterAll(async () => {
  await n8n.stop();
  await bed.close();
  await home.remove();
});

/** On what the one before left. */
const start = (): Promise<RunningN8n> =>
  startN8n({ userFolder: home.path, env: { MEDIA_SERVICE_FILE_ROOTS: bed.folder } });

/** An hourly trigger: it polls when the workflow is activated and when n8n starts, and at no moment that the test does not choose. */
async function importTrigger(parameters: INodeParameters): Promise<string> {
  const credential = await createCredential(n8n.rest, {
    name: 'Media Service',
    type: 'mediaServiceApi',
    data: bed.credentials.mediaServiceApi,
  });
  const trigger: INode = {
    id: 'trigger',
    name: TRIGGER,
    type: 'n8n-nodes-media-service.mediaServiceTrigger',
    typeVersion: 1,
    position: [0, 0],
    parameters: { ...parameters, pollTimes: { item: [{ mode: 'everyHour', minute: FAR_MINUTE }] } },
    credentials: { mediaServiceApi: credential },
  };
  const after: INode = {
    id: 'after',
    name: 'After',
    type: 'n8n-nodes-base.noOp',
    typeVersion: 1,
    position: [200, 0],
    parameters: {},
  };
  return importWorkflow(n8n.rest, {
    nodes: [trigger, after],
    connections: { [TRIGGER]: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
  });
}

/** A field of the items that every execution got, the oldest execution first; waits until there are so many executions. */
async function itemsOf(workflow: string, field: string, executions: number): Promise<unknown[][]> {
  for (;;) {
    const ids = (await executionsOf(n8n.rest, workflow)).reverse();
    if (ids.length < executions) continue;
    const ended = await Promise.all(ids.map((id) => waitForExecution(n8n.rest, id)));
    for (const { text } of ended) for (const trace of SECRET_TRACES) expect(text).not.toContain(trace);
    return ended.map((execution) => execution.output('After').map(({ json }) => json[field]));
  }
}

const deliveriesOf = (workflow: string, executions: number): Promise<unknown[][]> =>
  itemsOf(workflow, 'id', executions);

const nextOf = (asked: string): Promise<unknown> => {
  const last = bed.simulator.events().at(-1)?.seq ?? 0;
  return bed.simulator.waitFor(({ operation, seq }) => operation === asked && seq > last);
};
const polled = (): Promise<unknown> => nextOf('webhooks');

test('an active workflow gets every new failed delivery once, over restarts of n8n', async () => {
  const workflow = await importTrigger({ event: 'deliveryFailed' });
  const event = await runWorkflow(n8n.rest, workflow, TRIGGER);
  expect(event.output('After').map(({ json }) => json['status'])).toEqual(['FAILED']);

  const firstPoll = polled();
  await activateWorkflow(n8n.rest, workflow);
  await firstPoll;
  bed.simulator.addDelivery({ id: 'while n8n runs' });
  bed.simulator.addDelivery({ id: 'a success', status: 'SUCCESS' });
  await n8n.stop();
  bed.simulator.addDelivery({ id: 'while n8n is down' });
  n8n = await start();
  const restarted = [[expect.anything()], ['while n8n runs', 'while n8n is down']];
  expect(await deliveriesOf(workflow, 2)).toEqual(restarted);

  await deactivateWorkflow(n8n.rest, workflow);
  bed.simulator.addDelivery({ id: 'while inactive' });
  await activateWorkflow(n8n.rest, workflow);
  const reactivated = [...restarted, ['while inactive']];
  expect(await deliveriesOf(workflow, 3)).toEqual(reactivated);

  await n8n.stop();
  const poll = polled();
  n8n = await start();
  await poll;
  expect(await deliveriesOf(workflow, 3)).toEqual(reactivated);
});

test('an active workflow gets every upload of this n8n that finished, without Temporal; a test before any shows no item and no error', async () => {
  const workflow = await importTrigger({ event: 'uploadFinished', watch: 'n8n' });
  const test = await runWorkflow(n8n.rest, workflow, TRIGGER);
  expect([test.status, test.error]).toEqual(['success', undefined]);
  // An output that is empty, and not none: only then the editor shows the hint of the trigger.
  expect(test.runData[TRIGGER]?.[0]?.data?.['main']).toEqual([[]]);

  bed.simulator.fault('processing-stuck');
  const sent = await uploadInN8n('sent.mp4', { wait: false });
  const firstPoll = nextOf('session');
  await activateWorkflow(n8n.rest, workflow);
  await firstPoll;
  bed.simulator.clearFaults();
  bed.simulator.release();
  const uploadId = await uploadInN8n('kitchen.mp4');
  await n8n.stop();
  n8n = await start();
  expect(await itemsOf(workflow, 'uploadId', 2)).toEqual([[], [sent, uploadId]]);
  const sample = await runWorkflow(n8n.rest, workflow, TRIGGER);
  expect(sample.output('After').map(({ json }) => json)).toEqual([
    expect.objectContaining({ uploadId, status: 'COMPLETED', ingestKey: 'kitchen.mp4' }),
  ]);
});

/** By the node of another workflow; returns the upload ID. */
async function uploadInN8n(name: string, more: INodeParameters = {}): Promise<unknown> {
  const { path } = await bed.writeFile(name, 1);
  const mediaServiceApi = await createCredential(n8n.rest, {
    name: 'Media Service',
    type: 'mediaServiceApi',
    data: bed.credentials.mediaServiceApi,
  });
  const parameters = {
    resource: 'upload',
    operation: 'upload',
    source: 'path',
    path,
    options: { ingestKey: name },
    ...more,
  };
  const uploading = workflowOf(parameters, { credentials: { mediaServiceApi } });
  const { error, output } = await runWorkflow(n8n.rest, await importWorkflow(n8n.rest, uploading));
  expect(error).toBeUndefined();
  return output(NODE_NAME)[0]?.json['uploadId'];
}

test('the editor is given the trigger with both of its icons', async () => {
  const types = (await (await n8n.rest.fetch('/types/nodes.json')).json()) as {
    name: string;
    iconUrl?: { light: string; dark: string };
  }[];
  const type = types.find(({ name }) => name === 'n8n-nodes-media-service.mediaServiceTrigger');
  const icons = [type?.iconUrl?.light, type?.iconUrl?.dark].map((path) => n8n.rest.fetch(`/${path ?? ''}`));
  const loaded = await Promise.all(icons);
  expect(loaded.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual([
    [200, expect.stringContaining('image/svg+xml')],
    [200, expect.stringContaining('image/svg+xml')],
  ]);
});
