import { readFile, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IConnections, INode, INodeExecutionData } from 'n8n-workflow';
import { serveFile } from '../support/range-server';
import { asText } from './support/as-text';
import { NODE_TYPE, binaryService, runWorkflow, useBinaryData } from './support/run-workflow';
import type { FinishedRun } from './support/run-workflow';
import { openUploadSetting } from './support/upload-setting';
import type { UploadSetting } from './support/upload-setting';

const FOLDER = resolve(__dirname, '..', '..', 'workflows');

interface Template {
  readonly name: string;
  readonly nodes: INode[];
  readonly connections: IConnections;
}

let on: UploadSetting;
beforeAll(async () => {
  on = await openUploadSetting();
  await useBinaryData(join(on.folder.path, 'n8n'));
}, 60_000);
afterAll(() => on.close());

const read = async (file: string): Promise<Template> => {
  return JSON.parse(await readFile(join(FOLDER, file), 'utf8')) as Template;
};

/** Schedules start nothing here: every trigger is a manual one. */
const startable = (node: INode): INode =>
  node.type.endsWith('Trigger') ? { ...node, type: 'n8n-nodes-base.manualTrigger' } : node;

/** Runs a template as it stands but for our credentials; nodes of n8n's own package give what the test says. */
const run = async (
  file: string,
  given: Record<string, INodeExecutionData[]> = {},
  timezone?: string,
): Promise<FinishedRun> => {
  const { nodes, connections } = await read(file);
  const types = Object.keys(on.credentials);
  const credentials = Object.fromEntries(types.map((type) => [type, { id: type, name: type }]));
  return runWorkflow({
    nodes: nodes.map((node) => startable(node.type === NODE_TYPE ? { ...node, credentials } : node)),
    connections,
    credentials: on.credentials,
    given,
    ...(timezone === undefined ? {} : { timezone }),
  });
};

test('every template is clean: unique names, connections that lead somewhere, a note, no credential of ours', async () => {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.json'));
  expect(files).toHaveLength(3);
  for (const file of files) {
    const { nodes, connections } = await read(file);
    const names = nodes.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const targets = Object.values(connections).flatMap(({ main = [] }) => main.flat());
    for (const target of targets) expect(names).toContain(target?.node);
    for (const source of Object.keys(connections)) expect(names).toContain(source);
    expect(nodes.some(({ type }) => type === 'n8n-nodes-base.stickyNote')).toBe(true);
    expect(nodes.some(({ credentials }) => credentials !== undefined)).toBe(false);
  }
});

describe('search-media-to-list', () => {
  test('hands the active videos to the list, newest first', async () => {
    const finished = await run('search-media-to-list.json');
    expect(finished.run.status).toBe('success');
    const listed = finished.output('Make the list');
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.every(({ json }) => json['type'] === 'VIDEO' && json['isActive'] === true)).toBe(true);
    const times = listed.map(({ json }) => asText(json['createdAt']));
    expect(times).toEqual([...times].sort().reverse());
  });
});

describe('failed-deliveries-to-csv', () => {
  test('writes one CSV of yesterday in the workflow’s time zone, failed deliveries alone', async () => {
    const noon = new Date(Date.now() - 86_400_000);
    noon.setUTCHours(12, 0, 0, 0);
    on.simulator.addDelivery({ id: 'failed-yesterday', status: 'FAILED', sentAt: noon.toISOString() });
    on.simulator.addDelivery({ id: 'fine-yesterday', status: 'SUCCESS', sentAt: noon.toISOString() });
    on.simulator.addDelivery({ id: 'failed-today', status: 'FAILED' });
    const finished = await run('failed-deliveries-to-csv.json', {}, 'UTC');
    expect(finished.run.status).toBe('success');
    const [item] = finished.output('Write the file');
    const data = item?.binary?.['data'];
    expect(data?.fileName).toBe(`failed-deliveries-${noon.toISOString().slice(0, 10)}.csv`);
    if (data === undefined) throw new Error('There is no file.');
    const text = (await binaryService().getAsBuffer(data)).toString('utf8');
    expect(text).toMatch(/^id,/);
    expect(text).toContain('failed-yesterday');
    expect(text).not.toMatch(/fine-yesterday|failed-today/);
  });
});

describe('upload-url-and-wait', () => {
  test('uploads the file, tagged with its order, and leaves through the first output', async () => {
    const file = await on.writeFile('kitchen-after.mp4', 6);
    const server = await serveFile(file.path);
    try {
      const json = { url: server.url, title: 'Kitchen, after', order: 'order-4711' };
      const finished = await run('upload-url-and-wait.json', { 'The file': [{ json }] });
      expect(finished.output('Upload and wait', 1)).toEqual([]);
      expect(finished.output('Uploaded')[0]?.json).toMatchObject({
        status: 'COMPLETED',
        ingestKey: 'order-4711',
      });
      const [session] = on.simulator.seen().sessions;
      expect(session).toMatchObject({ title: 'Kitchen, after', tags: { order: 'order-4711' } });
    } finally {
      await server.close();
    }
  }, 60_000);

  test('a file that is not there leaves through the second output, with what happened', async () => {
    const json = { url: 'not an address', title: 'x', order: 'order-0' };
    const finished = await run('upload-url-and-wait.json', { 'The file': [{ json }] });
    expect(finished.run.status).toBe('success');
    expect(finished.output('Failed')[0]?.json).toMatchObject({
      order: 'order-0',
      error: expect.stringMatching(/"URL" is no http/),
      details: { hint: expect.any(String) },
    });
  });
});
