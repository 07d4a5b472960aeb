import { sublimeSearch } from '@n8n/utils/dist/search/sublime-search';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters } from 'n8n-workflow';
import { MediaServiceApi } from '../../credentials/MediaServiceApi.credentials';
import { MediaServiceWorkerApi } from '../../credentials/MediaServiceWorkerApi.credentials';
import codex from '../../nodes/MediaService/MediaService.node.json';
import { MediaService } from '../../nodes/MediaService/MediaService.node';
import { MediaServiceTrigger } from '../../nodes/MediaServiceTrigger/MediaServiceTrigger.node';
import { RESOURCES } from '../../nodes/MediaService/resources';
import { ROOT } from '../support/pack';
import { everyField } from './support/every-field';

const { description } = new MediaService();

describe('the nodes panel', () => {
  // With the weights of n8n's editor.
  const keys = [
    { key: 'displayName', weight: 1.3 },
    { key: 'alias', weight: 1 },
  ];
  const listed = { displayName: description.displayName, alias: codex.alias };

  test.each(['upload video', 'media search', 'webhook', 's3 upload', 'bulk upload', 'temporal'])(
    'finds the node by "%s"',
    (words) => {
      expect(sublimeSearch(words, [listed], keys)).toHaveLength(1);
    },
  );

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

test('whoever builds workflows by a model learns which operation takes one file, which many, and of the trigger', () => {
  expect(description.builderHint?.searchHint).toMatch(/one file.*many files/);
  const related = description.builderHint?.relatedNodes?.map(({ nodeType }) => nodeType);
  expect(related).toEqual([`n8n-nodes-media-service.${new MediaServiceTrigger().description.name}`]);
});

describe('the trigger', () => {
  const trigger = new MediaServiceTrigger().description;

  const shown = (parameters: INodeParameters): { worker: boolean; service: boolean } => {
    const isShown = (one: Parameters<typeof NodeHelpers.displayParameter>[1]): boolean =>
      NodeHelpers.displayParameter(parameters, one, null, trigger);
    return {
      worker: (trigger.credentials ?? []).some((one) => one.name === 'mediaServiceWorkerApi' && isShown(one)),
      service: (trigger.credentials ?? []).some((one) => one.name === 'mediaServiceApi' && isShown(one)),
    };
  };

  test.each<[INodeParameters, { worker: boolean; service: boolean }]>([
    [{ event: 'deliveryFailed' }, { worker: false, service: true }],
    [{ event: 'media' }, { worker: false, service: true }],
    [{ event: 'uploadFinished' }, { worker: true, service: false }],
    [{ event: 'batchFinished' }, { worker: true, service: false }],
  ])('shows each credential for %j only when it applies: %j', (parameters, expected) => {
    expect(shown(parameters)).toEqual(expected);
  });
});

describe('the form of an upload', () => {
  const isShown = (
    values: INodeParameters,
    one: Parameters<typeof NodeHelpers.displayParameter>[1],
  ): boolean => NodeHelpers.displayParameter(values, one, null, description);
  /** As n8n stores a node: with the defaults of the fields that are shown, hidden ones included. */
  const credentialsOf = (values: INodeParameters): string[] => {
    const stored = NodeHelpers.getNodeParameters(
      description.properties,
      values,
      true,
      false,
      null,
      description,
    );
    return (description.credentials ?? [])
      .filter((one) => isShown(stored ?? {}, one))
      .map(({ name }) => name);
  };
  const [SERVICE, WORKER] = [['mediaServiceApi'], ['mediaServiceWorkerApi']];
  test.each<[INodeParameters, string[]]>([
    [{ resource: 'media', operation: 'search' }, SERVICE],
    [{ resource: 'media', operation: 'get' }, SERVICE],
    [{ resource: 'upload', operation: 'upload', runIn: 'n8n' }, SERVICE],
    [{ resource: 'upload', operation: 'upload', runIn: 'worker' }, WORKER],
    [{ resource: 'upload', operation: 'get', by: 'uploadId' }, SERVICE],
    [{ resource: 'upload', operation: 'wait', by: 'workflowId' }, WORKER],
    [{ resource: 'upload', operation: 'pause' }, WORKER],
    [{ resource: 'upload', operation: 'resume' }, WORKER],
    [{ resource: 'upload', operation: 'cancel' }, WORKER],
    [{ resource: 'upload', operation: 'getMany' }, WORKER],
    [{ resource: 'batch', operation: 'start' }, WORKER],
    [{ resource: 'batch', operation: 'getMany' }, WORKER],
    [{ resource: 'webhookDelivery', operation: 'getMany' }, SERVICE],
  ])('shows and requires only the credential that %j needs: %j', (values, expected) => {
    expect(credentialsOf(values)).toEqual(expected);
  });

  test('offers a URL to a model, which can give no binary data', () => {
    const tool = { ...description, name: `${description.name}Tool` };
    const chosen = { resource: 'upload', operation: 'upload' };
    const values = NodeHelpers.getNodeParameters(tool.properties, chosen, true, false, null, tool) ?? {};
    const [source, ...more] = tool.properties.filter(
      (one) => one.name === 'source' && NodeHelpers.displayParameter(values, one, null, tool),
    );
    expect([source?.default, values['source'], more]).toEqual(['url', 'url', []]);
    expect((source?.options ?? []).map((one) => 'value' in one && one.value)).toEqual(['path', 'url']);
  });

  test('the ingest key says what happens without one', () => {
    const hints = everyField(description.properties).filter(({ name }) => name === 'ingestKey');
    expect(hints.map(({ hint }) => hint)).toEqual([
      expect.stringMatching(/Without one, a retry of the execution uploads the file again\.$/),
    ]);
  });
});

test.each(
  RESOURCES.flatMap(({ option, operations }) => operations.map((one) => [option.value, one] as const)),
)('%s > $option.value shows its own fields only', (resource, { option, parameters }) => {
  const chosen = { resource: String(resource), operation: String(option.value) };
  const values = NodeHelpers.getNodeParameters(
    description.properties,
    chosen,
    true,
    false,
    null,
    description,
  );
  const shown = description.properties.filter((one) =>
    NodeHelpers.displayParameter(values ?? {}, one, null, description),
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
