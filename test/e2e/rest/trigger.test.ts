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
  publicationEnded,
  runWorkflow,
  waitForExecution,
} from '../support/n8n-executions';
import { SECRET_TRACES, openServiceFixture } from '../support/service-fixture';
import type { ServiceFixture } from '../support/service-fixture';
import { NODE_NAME, workflowOf } from '../support/n8n-stage';
import { NO_POLL_TIMES } from '../support/poll-times';
import { startN8n } from '../support/start-n8n';
import type { RunningN8n } from '../support/start-n8n';
import { until } from '../../support/until';

const TRIGGER = 'Media Service Trigger';

let fixture: ServiceFixture;
let home: TempDir;
let n8n: RunningN8n;
beforeAll(async () => {
  [fixture, home] = await Promise.all([openServiceFixture({ temporal: false }), createTempDir('n8n-home')]);
  n8n = await start();
});
afterAll(async () => {
  await n8n.stop();
  await fixture.close();
  await home.remove();
});

/** Starts n8n on the folder that the previous one left. */
const start = (): Promise<RunningN8n> =>
  startN8n({ userFolder: home.path, withEditor: true, env: { MEDIA_SERVICE_FILE_ROOTS: fixture.folder } });

/** Ends n8n and starts it again. `meanwhile` happens while it is down. */
async function restart(meanwhile: () => void = () => undefined): Promise<void> {
  await n8n.stop();
  meanwhile();
  n8n = await start();
}

/** Imports a trigger that polls once when the workflow is activated, and once when n8n starts. */
async function importTrigger(parameters: INodeParameters): Promise<string> {
  const credential = await createCredential(n8n.rest, {
    name: 'Media Service',
    type: 'mediaServiceApi',
    data: fixture.credentials.mediaServiceApi,
  });
  const trigger: INode = {
    id: 'trigger',
    name: TRIGGER,
    type: 'n8n-nodes-media-service.mediaServiceTrigger',
    typeVersion: 1,
    position: [0, 0],
    parameters: { ...parameters, pollTimes: NO_POLL_TIMES },
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

/**
 * A field of the items in every execution, oldest execution first. Waits for `executions` executions, and for the end
 * of the poll that started the last one. n8n stores a trigger's state at that end.
 */
async function itemsOf(workflow: string, field: string, executions: number): Promise<unknown[][]> {
  const started = await until(
    `${executions} executions of workflow ${workflow}`,
    () => executionsOf(n8n.rest, workflow),
    (ids) => ids.length >= executions,
  );
  await publicationEnded(n8n.rest, workflow, 'published');
  const ended = await Promise.all(started.reverse().map((id) => waitForExecution(n8n.rest, id)));
  for (const { text } of ended) for (const trace of SECRET_TRACES) expect(text).not.toContain(trace);
  return ended.map((execution) => execution.output('After').map(({ json }) => json[field]));
}

const deliveriesOf = (workflow: string, executions: number): Promise<unknown[][]> =>
  itemsOf(workflow, 'id', executions);

test('an active workflow gets every new failed delivery in one execution, even when n8n restarts', async () => {
  const { simulator } = fixture;
  const workflow = await importTrigger({ event: 'deliveryFailed' });
  const event = await runWorkflow(n8n.rest, workflow, TRIGGER);
  expect(event.output('After').map(({ json }) => json['status'])).toEqual(['FAILED']);

  await activateWorkflow(n8n.rest, workflow);
  simulator.addDelivery({ id: 'while n8n runs' });
  simulator.addDelivery({ id: 'a success', status: 'SUCCESS' });
  await restart(() => simulator.addDelivery({ id: 'while n8n is down' }));
  const restarted = [[expect.anything()], ['while n8n runs', 'while n8n is down']];
  expect(await deliveriesOf(workflow, 2)).toEqual(restarted);

  await deactivateWorkflow(n8n.rest, workflow);
  simulator.addDelivery({ id: 'while inactive' });
  await activateWorkflow(n8n.rest, workflow);
  const reactivated = [...restarted, ['while inactive']];
  expect(await deliveriesOf(workflow, 3)).toEqual(reactivated);

  const last = simulator.events().at(-1)?.seq ?? 0;
  await restart();
  await simulator.waitFor(({ operation, seq }) => operation === 'webhooks' && seq > last);
  expect(await deliveriesOf(workflow, 3)).toEqual(reactivated);

  await deactivateWorkflow(n8n.rest, workflow);
  simulator.addDelivery({ id: 'after all' });
  await activateWorkflow(n8n.rest, workflow);
  expect(await deliveriesOf(workflow, 4)).toEqual([...reactivated, ['after all']]);
});

test('an active workflow gets every finished upload of this n8n without Temporal; a test before that shows nothing', async () => {
  const workflow = await importTrigger({ event: 'uploadFinished', watch: 'n8n' });
  const test = await runWorkflow(n8n.rest, workflow, TRIGGER);
  expect([test.status, test.error]).toEqual(['success', undefined]);
  // An empty output instead of none: only then does the editor show the hint of the trigger.
  expect(test.runData[TRIGGER]?.[0]?.data?.['main']).toEqual([[]]);

  fixture.simulator.fault('processing-stuck');
  const sent = await uploadInN8n('sent.mp4', { wait: false });
  await activateWorkflow(n8n.rest, workflow);
  fixture.simulator.clearFaults();
  fixture.simulator.release();
  const uploadId = await uploadInN8n('kitchen.mp4');
  await restart();
  expect(await itemsOf(workflow, 'uploadId', 2)).toEqual([[], [sent, uploadId]]);
  const sample = await runWorkflow(n8n.rest, workflow, TRIGGER);
  expect(sample.output('After').map(({ json }) => json)).toEqual([
    expect.objectContaining({ uploadId, status: 'COMPLETED', ingestKey: 'kitchen.mp4' }),
  ]);
});

/** Uploads with the node of another workflow, and returns the upload ID. */
async function uploadInN8n(name: string, more: INodeParameters = {}): Promise<unknown> {
  const { path } = await fixture.writeFile(name, 1);
  const mediaServiceApi = await createCredential(n8n.rest, {
    name: 'Media Service',
    type: 'mediaServiceApi',
    data: fixture.credentials.mediaServiceApi,
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

test('the editor gets the trigger with both of its icons', async () => {
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
