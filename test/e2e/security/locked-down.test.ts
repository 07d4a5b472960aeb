import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { secretsIn } from '../../support/canary';
import { secretsKept } from '../support/kept-by-n8n';
import {
  createCredential,
  executionsOf,
  importWorkflow,
  readExecution,
  runWorkflow,
} from '../support/n8n-executions';
import type { Execution } from '../support/n8n-executions';
import { NODE_NAME, nodeOf, useStage, workflowOf } from '../support/n8n-stage';
import type { NodeRun, NodeRunResult } from '../support/n8n-stage';
import { SECRET_TRACES } from '../support/service-fixture';
import { GIVEN_OUT, startTalkativeService } from './support/talkative-service';
import type { TalkativeService } from './support/talkative-service';

/** A loopback address that the SSRF protection does not allow. */
const BLOCKED_HOST = '127.0.0.2';

const on = useStage({
  env: ({ folder }) => ({
    N8N_LOG_LEVEL: 'debug',
    N8N_SSRF_PROTECTION_ENABLED: 'true',
    N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32',
    N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
    N8N_RUNNERS_ENABLED: 'true',
    N8N_RUNNERS_MODE: 'internal',
    N8N_RESTRICT_FILE_ACCESS_TO: folder,
    N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
  }),
  service: { temporal: false },
});
let talkative: TalkativeService;
let blocked: TalkativeService;
beforeAll(async () => {
  [talkative, blocked] = await Promise.all([startTalkativeService(), startTalkativeService(BLOCKED_HOST)]);
});
afterAll(() => Promise.all([talkative.close(), blocked.close()]));

const search = { resource: 'media', operation: 'search', limit: 3 };
const upload: INodeParameters = { resource: 'upload', operation: 'upload', source: 'binary' };
const workflows: string[] = [];

async function credentialWith(change: IDataObject): Promise<Required<NodeRun>['credentials']> {
  const type = 'mediaServiceApi';
  const data = { ...on.stage.fixture.credentials[type], ...change };
  return { [type]: await createCredential(on.stage.n8n.rest, { name: 'Changed', type, data }) };
}

const run = async (
  parameters: INodeParameters,
  change: IDataObject,
  how: NodeRun = {},
): Promise<NodeRunResult> => on.stage.run(parameters, { ...how, credentials: await credentialWith(change) });

const code = (name: string, jsCode: string): INode => ({
  ...nodeOf(name, 'n8n-nodes-base.code', { jsCode }),
  typeVersion: 2,
});

/** Start, a Code node that makes a file of 6 MiB, our node, and a Code node. */
async function uploadBetweenCode(
  credentials: Required<NodeRun>['credentials'],
  how: Pick<NodeRun, 'onError'> = {},
): Promise<Execution> {
  const { rest } = on.stage.n8n;
  const one = workflowOf(upload, { ...how, credentials });
  const before = code(
    'Before',
    `const data = Buffer.alloc(6 * 1024 * 1024, 'frame').toString('base64');
     let env = 'blocked';
     try { env = String($env.N8N_ENCRYPTION_KEY); } catch { /* As it should be. */ }
     return [{ json: { env }, binary: { data: { data, mimeType: 'video/mp4', fileName: 'a.mp4' } } }];`,
  );
  const after = code(
    'After',
    'return $input.all().map(({ json }) => ({ json: { seen: json.status, error: json.error } }));',
  );
  const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
  const next = [{ node: 'After', type: 'main' as const, index: 0 }];
  const id = await importWorkflow(rest, {
    nodes: [...one.nodes, before, after].map((node) =>
      node.name === NODE_NAME ? { ...node, credentials } : node,
    ),
    connections: { Start: to('Before'), Before: to(NODE_NAME), [NODE_NAME]: { main: [next, next] } },
  });
  workflows.push(id);
  return runWorkflow(rest, id);
}

describe('an n8n that is locked down', () => {
  test('uploads between two Code nodes on task runners, and never sends the token to storage', async () => {
    const execution = await uploadBetweenCode(on.stage.credentials);
    expect(execution.error).toBeUndefined();
    expect(execution.output('Before')[0]?.json).toEqual({ env: 'blocked' });
    expect(execution.output('After')[0]?.json['seen']).toBe('COMPLETED');
    expect(on.stage.fixture.simulator.seen().bearerToStorage).toEqual([]);
  });

  test('reads no path of its own disk, not even one that n8n itself may read', async () => {
    const { path } = await on.stage.fixture.writeFile('allowed-for-n8n.mp4', 6);
    const { starts } = on.stage.fixture.simulator.seen();
    const { error } = await run({ ...upload, source: 'path', path }, {});
    expect(`${error?.message} ${error?.description}`).toContain('n8n reads no path of its disk');
    expect(on.stage.fixture.simulator.seen().starts).toBe(starts);
  });

  test.each([
    ['the service', search],
    ['the source of an upload', { ...upload, source: 'url', url: '' }],
  ])('sends nothing to %s at an address that its SSRF protection blocks', async (what, parameters) => {
    const change = what === 'the service' ? { baseUrl: blocked.url, uploadUrl: blocked.url } : {};
    const url = `${blocked.url}/a.mp4`;
    const { error } = await run('url' in parameters ? { ...parameters, url } : parameters, change);
    expect(`${error?.message} ${error?.description}`).toContain(BLOCKED_HOST);
    expect(blocked.arrived).toEqual([]);
  });
});

describe('a credential', () => {
  const restricted = (allowedDomains: string): IDataObject => ({
    allowedHttpRequestDomains: 'domains',
    allowedDomains,
  });

  test("for other domains than the service's is refused by name, and the service gets no request", async () => {
    const { requests } = on.stage.fixture.simulator.seen();
    const { error } = await run(search, restricted('media.example'));
    expect(error?.message).toMatch(/Domain not allowed.*media\.example/);
    expect(error?.description).toMatch(/Nothing was sent.*Allowed Domains/);
    expect(on.stage.fixture.simulator.seen().requests).toEqual(requests);
  });
});

describe('a service and a storage that echo what they receive', () => {
  const credentials = () => credentialWith({ baseUrl: talkative.url, uploadUrl: talkative.url });

  test('never see the token in a part that is refused, and its URL is in no output', async () => {
    talkative.behave('storage');
    const execution = await uploadBetweenCode(await credentials(), { onError: 'continueErrorOutput' });
    const parts = talkative.arrived.filter(({ line }) => line.startsWith('PUT '));
    expect(parts.length).toBeGreaterThan(0);
    expect(parts.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    expect(execution.output(NODE_NAME, 1)[0]?.json['error']).toMatch(/403/);
    expect(secretsIn(execution.text, Object.values(GIVEN_OUT))).toEqual([]);
  });

  test.each(['echo', 'silent'] as const)(
    'cause a clear error when a login is answered with "%s"',
    async (manner) => {
      talkative.behave(manner);
      const on_ = { credentials: await credentials() };
      const ended = await on.stage.run(search, on_);
      const kept = await on.stage.run(search, { ...on_, onError: 'continueErrorOutput' });
      expect([ended.status, kept.errorItems.length]).toEqual(['error', 1]);
      expect(secretsIn(ended.text + kept.text, SECRET_TRACES)).toEqual([]);
    },
  );
});

test('after all of this n8n holds no secret in database, log, binary data and executions', async () => {
  const { n8n } = on.stage;
  const secrets = [...SECRET_TRACES, ...Object.values(GIVEN_OUT)];
  expect(await secretsKept(n8n, ['allowed-for-n8n.mp4'])).not.toEqual([]);
  expect(await secretsKept(n8n, secrets)).toEqual([]);
  for (const workflow of workflows) {
    for (const id of await executionsOf(n8n.rest, workflow)) {
      expect(secretsIn((await readExecution(n8n.rest, id)).text, secrets)).toEqual([]);
    }
  }
});
