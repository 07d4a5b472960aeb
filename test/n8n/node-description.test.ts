import { sublimeSearch } from '@n8n/utils/dist/search/sublime-search';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
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

  test.each([
    'video upload',
    'upload file',
    'file upload',
    'asset',
    's3 upload',
    'video',
    'media library',
    'upload video',
    'media search',
    'webhook',
    'temporal',
    'large file',
    'bulk upload',
    'manifest',
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

test('node and credentials link to documentation with full addresses', () => {
  const { primaryDocumentation, credentialDocumentation } = codex.resources;
  const urls = [
    ...[...primaryDocumentation, ...credentialDocumentation].map(({ url }) => url),
    new MediaServiceApi().documentationUrl,
    new MediaServiceWorkerApi().documentationUrl,
  ];
  expect(urls.filter((url) => !url.startsWith('https://') || !URL.canParse(url))).toEqual([]);
});

test('each credential opens the README at its own section', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  for (const { displayName, documentationUrl } of [new MediaServiceApi(), new MediaServiceWorkerApi()]) {
    expect(new URL(documentationUrl).hash).toBe(`#${displayName.toLowerCase().replaceAll(' ', '-')}`);
    expect(readme).toContain(`\n### ${displayName}\n`);
  }
});

test('the node keeps all versions from the first one, so that stored workflows keep theirs', () => {
  expect(description.version).toEqual([1]);
  expect(description.defaultVersion).toBe(1);
});

test('whoever builds workflows by a model learns which operation takes one file, which many, and of the trigger', () => {
  expect(description.builderHint?.searchHint).toMatch(/one file.*many files/);
  const related = description.builderHint?.relatedNodes?.map(({ nodeType }) => nodeType);
  expect(related).toEqual([`n8n-nodes-media-service.${new MediaServiceTrigger().description.name}`]);
});

test('each resource begins with its main operation', () => {
  const first = RESOURCES.map(({ operations: [operation] }) => operation?.option.action);
  expect(first).toEqual(['Search media', 'Export webhook deliveries', 'Upload a file', 'Start a batch']);
});

describe('the trigger', () => {
  const trigger = new MediaServiceTrigger().description;

  test('offers the filters of Media > Search', () => {
    const optionsOf = (fields: readonly INodeProperties[], name: string, event?: string): INodeProperties[] =>
      fields
        .filter((one) => one.name === name)
        .filter((one) => event === undefined || one.displayOptions?.show?.['event']?.includes(event))
        .flatMap(({ options = [] }) => options)
        .filter((one): one is INodeProperties => 'type' in one);
    const [search] = RESOURCES.flatMap(({ operations }) => operations).filter(
      ({ option }) => option.action === 'Search media',
    );
    const filters = optionsOf(trigger.properties, 'filters', 'media');
    const ofSearch = optionsOf(search?.parameters ?? [], 'filters').filter(({ name }) => name !== 'ids');
    expect(filters).toEqual(expect.arrayContaining(ofSearch));
    const searchTerm = filters.find(({ name }) => name === 'searchTerm');
    expect(filters).toHaveLength(ofSearch.length + 1);
    expect(searchTerm?.displayName).toBe('Search Term');
    const ofDeliveries = optionsOf(trigger.properties, 'filters', 'delivery');
    expect(ofDeliveries.map(({ displayName, type }) => [displayName, type])).toEqual([
      ['Media ID', 'string'],
      ['Status', 'multiOptions'],
      ['Sub-Account', 'string'],
    ]);
  });

  test('says in its panel what a test shows, and what starts the published workflow', () => {
    expect(trigger.triggerPanel).toMatchObject({
      executionsHelp: expect.stringMatching(/Fetch Test Event.*newest item.*each poll/),
      activationHint: expect.stringMatching(/^Publish the workflow/),
    });
    expect(trigger.activationMessage).toMatch(/new since its first poll/);
  });

  test('says after a test what an empty output means', () => {
    expect(trigger.hints).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/^A test shows the newest item, if there is one\. Publish/),
        type: 'info',
        location: 'outputPane',
        whenToDisplay: 'afterExecution',
      }),
    ]);
  });

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
  const [upload] = RESOURCES.filter(({ option }) => option.value === 'upload').flatMap(
    ({ operations }) => operations,
  );
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

  test('begins with where the upload runs, source and title; its ingest key is a field of its own', () => {
    const ofPeople = upload?.parameters.filter(
      ({ displayOptions }) => displayOptions?.show?.['@tool'] === undefined,
    );
    expect(ofPeople?.map(({ displayName }) => displayName)).toEqual([
      'Run Upload In',
      'Source',
      'URL',
      'Path',
      'Worker Host',
      'Input Binary Field',
      'Ingest Key',
      'Title',
      'Media Fields',
      'Wait for Completion',
      'Simplify',
      'Options',
    ]);
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
