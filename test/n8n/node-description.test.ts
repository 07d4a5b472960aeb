import { sublimeSearch } from '@n8n/utils/dist/search/sublime-search';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import { MediaServiceApi } from '../../credentials/MediaServiceApi.credentials';
import { MediaServiceWorkerApi } from '../../credentials/MediaServiceWorkerApi.credentials';
import codex from '../../nodes/MediaService/MediaService.node.json';
import { MediaService } from '../../nodes/MediaService/MediaService.node';
import { MediaServiceTrigger } from '../../nodes/MediaServiceTrigger/MediaServiceTrigger.node';
import { RESOURCES } from '../../nodes/MediaService/resources';
import { ROOT } from '../support/pack';
import { everyField } from './support/every-field';

const { description } = new MediaService();

/** As n8n stores a node: with the defaults of the fields that are shown, hidden ones included. */
const storedOf = (chosen: INodeParameters, form: INodeTypeDescription): INodeParameters =>
  NodeHelpers.getNodeParameters(form.properties, chosen, true, false, null, form) ?? {};

describe('the nodes panel', () => {
  // With the weights of n8n's editor.
  const keys = [
    { key: 'displayName', weight: 1.3 },
    { key: 'alias', weight: 1 },
  ];
  const listed = { displayName: description.displayName, alias: codex.alias };

  test.each([
    'upload video',
    'video upload',
    'media search',
    'webhook',
    's3 upload',
    'bulk upload',
    'temporal',
  ])('finds the node by "%s"', (words) => {
    expect(sublimeSearch(words, [listed], keys)).toHaveLength(1);
  });

  test('lists every operation as an action: a verb in sentence case, without a full stop', () => {
    const actions = RESOURCES.flatMap(({ operations }) =>
      operations.map(({ option }) => option.action ?? ''),
    );
    expect(actions).toContain('Search media');
    expect(actions).toContain('Get many webhook deliveries');
    expect(actions).toContain('Upload a file');
    expect(actions.filter((action) => !/^[A-Z][a-z]+( [a-z0-9]+)+$/.test(action))).toEqual([]);
    expect(new Set(actions).size).toBe(actions.length);
  });
});

test('each credential opens the README at its own section', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  for (const { displayName, documentationUrl } of [new MediaServiceApi(), new MediaServiceWorkerApi()]) {
    expect(new URL(documentationUrl).hash).toBe(`#${displayName.toLowerCase().replaceAll(' ', '-')}`);
    expect(readme).toContain(`\n### ${displayName}\n`);
  }
});

const trigger = new MediaServiceTrigger().description;
const [SERVICE, WORKER] = [['mediaServiceApi'], ['mediaServiceWorkerApi']];
test.each<[INodeParameters, string[], INodeTypeDescription]>([
  [{ resource: 'media', operation: 'search' }, SERVICE, description],
  [{ resource: 'media', operation: 'get' }, SERVICE, description],
  [{ resource: 'upload', operation: 'upload', runIn: 'n8n' }, SERVICE, description],
  [{ resource: 'upload', operation: 'upload', runIn: 'worker' }, WORKER, description],
  [{ resource: 'upload', operation: 'get', by: 'uploadId' }, SERVICE, description],
  [{ resource: 'upload', operation: 'wait', by: 'workflowId' }, WORKER, description],
  [{ resource: 'upload', operation: 'pause' }, WORKER, description],
  [{ resource: 'upload', operation: 'getMany' }, WORKER, description],
  [{ resource: 'batch', operation: 'start' }, WORKER, description],
  [{ resource: 'batch', operation: 'getMany' }, WORKER, description],
  [{ resource: 'webhookDelivery', operation: 'getMany' }, SERVICE, description],
  [{ event: 'deliveryFailed' }, SERVICE, trigger],
  [{ event: 'media' }, SERVICE, trigger],
  [{ event: 'uploadFinished' }, WORKER, trigger],
  [{ event: 'batchFinished' }, WORKER, trigger],
])('only the credential that %j needs is shown and required: %j', (chosen, expected, form) => {
  const stored = storedOf(chosen, form);
  const shown = (form.credentials ?? []).filter((one) =>
    NodeHelpers.displayParameter(stored, one, null, form),
  );
  expect(shown.map(({ name }) => name)).toEqual(expected);
});

describe('the form of an upload', () => {
  test('offers a URL to a model, which can give no binary data', () => {
    const tool = { ...description, name: `${description.name}Tool` };
    const chosen = { resource: 'upload', operation: 'upload' };
    const values = storedOf(chosen, tool);
    const [source, ...more] = tool.properties.filter(
      (one) => one.name === 'source' && NodeHelpers.displayParameter(values, one, null, tool),
    );
    expect([source?.default, values['source'], more]).toEqual(['url', 'url', []]);
    expect((source?.options ?? []).map((one) => 'value' in one && one.value)).toEqual(['path', 'url']);
  });
});

test.each(
  RESOURCES.flatMap(({ option, operations }) => operations.map((one) => [option.value, one] as const)),
)('%s > $option.value shows its own fields only', (resource, { option, parameters }) => {
  const chosen = { resource: String(resource), operation: String(option.value) };
  const values = storedOf(chosen, description);
  const shown = description.properties.filter((one) =>
    NodeHelpers.displayParameter(values, one, null, description),
  );
  const own = shown.filter(({ name }) => !['resource', 'operation'].includes(name));
  expect(own.length).toBeGreaterThan(0);
  expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(own.map(({ name }) => name)));
});

test('every switch says what holds without it', () => {
  const switches = everyField(description.properties).filter(({ type }) => type === 'boolean');
  expect(switches.length).toBeGreaterThan(10);
  const silent = switches.filter(({ description: text = '' }) => !/otherwise|\bor\b|instead of/i.test(text));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('a media field that is added and not changed leaves what the service does by itself', () => {
  const media = everyField(description.properties).find(
    ({ name, type }) => name === 'media' && type === 'collection',
  );
  const added = Object.fromEntries(
    everyField(media === undefined ? [] : [media]).map((one) => [one.name, one.default]),
  );
  expect(added).toMatchObject({
    isLibrary: false,
    includeInReport: true,
    fileType: '',
    resolution: 'NORMAL',
  });
});

test('no notice and no hint of a form is longer than two lines', () => {
  const texts = everyField(description.properties).map(({ type, displayName, hint = '' }) =>
    type === 'notice' ? displayName : hint,
  );
  expect(texts.filter((text) => text.length > 140)).toEqual([]);
});
