import { afterAll, expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import type { SeenSession } from '../../support/upload-fixture';
import { importWorkflow, runWorkflow, startExecution, waitForExecution } from '../support/n8n-executions';
import { NODE_NAME, workflowOf } from '../support/n8n-stage';
import type { OnStage, StoredCredentials } from '../support/n8n-stage';
import { WORKER_HOST } from '../support/service-fixture';
import { serveFile } from '../../support/range-server';
import type { RangeServer } from '../../support/range-server';

export function describeRestarts(on: OnStage): void {
  const servers: RangeServer[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  const sessionsOf = (wanted: string): SeenSession[] =>
    on.stage.fixture.simulator.seen().sessions.filter(({ title }) => title === wanted);

  /** Imports an upload, starts it, kills n8n while a part is sent, and starts it again. Returns both IDs. */
  const killedInMidUpload = async (
    parameters: INodeParameters,
    credentials: StoredCredentials,
  ): Promise<[string, string]> => {
    const { rest } = on.stage.n8n;
    const { simulator } = on.stage.fixture;
    simulator.fault('hold:1:part=2,bytes=1000');
    const last = simulator.events().at(-1)?.seq ?? 0;
    const held = simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
    const of = {
      resource: 'upload',
      operation: 'upload',
      simplify: false,
      ...parameters,
    };
    const id = await importWorkflow(rest, workflowOf(of, { credentials }));
    const execution = await startExecution(rest, id, 'Start');
    await held;
    await on.stage.restart(() => simulator.release(), 'SIGKILL');
    return [id, execution];
  };

  test('an upload through Temporal continues while n8n is down, and the next run of the workflow joins it', async () => {
    const file = await on.stage.fixture.writeFile('durable.mp4', 40);
    const of = {
      source: 'path',
      path: file.path,
      title: 'durable',
      host: WORKER_HOST,
      runIn: 'worker',
      ingestKey: 'order-1',
    };
    const [workflow, execution] = await killedInMidUpload(of, on.stage.credentials);
    expect((await waitForExecution(on.stage.n8n.rest, execution)).status).toBe('crashed');
    const again = await runWorkflow(on.stage.n8n.rest, workflow);
    const [item] = again.output(NODE_NAME);
    expect(again.error).toBeUndefined();
    expect(item?.json).toMatchObject({ joined: true, status: 'COMPLETED' });
    expect(await on.stage.fixture.storedSha256(item?.json['uploadId'])).toBe(file.sha256);
    expect(sessionsOf('durable')).toHaveLength(1);
  });

  test('the next run of a killed upload inside n8n starts again and names what is left; the one after it sends nothing', async () => {
    const file = await on.stage.fixture.writeFile('cut off.mp4', 40);
    const server = await serveFile(file.path);
    servers.push(server);
    const of = { source: 'url', url: server.url, title: 'cut off', ingestKey: 'order-2' };
    const [workflow, execution] = await killedInMidUpload(of, on.stage.withoutTemporal);
    expect((await waitForExecution(on.stage.n8n.rest, execution)).status).toBe('crashed');
    const [left] = sessionsOf('cut off');
    const again = await runWorkflow(on.stage.n8n.rest, workflow);
    const [item] = again.output(NODE_NAME);
    expect(again.error).toBeUndefined();
    expect(item?.json).toMatchObject({
      joined: false,
      status: 'COMPLETED',
      warning: expect.stringContaining(`left media ${left?.mediaId}, which is not finished`),
    });
    expect(await on.stage.fixture.storedSha256(item?.json['uploadId'])).toBe(file.sha256);
    const third = await runWorkflow(on.stage.n8n.rest, workflow);
    expect(third.output(NODE_NAME)[0]?.json).toMatchObject({
      joined: true,
      status: 'COMPLETED',
      mediaId: item?.json['mediaId'],
    });
    expect(sessionsOf('cut off')).toHaveLength(2);
  });
}
