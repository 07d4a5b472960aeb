import type { IDataObject, INode } from 'n8n-workflow';
import { afterTest } from '../../support/after-test';
import { secretsIn } from '../../support/canary';
import { createCredential, importWorkflow, runWorkflow } from '../support/n8n-executions';
import type { Execution } from '../support/n8n-executions';
import { NODE_NAME, nodeOf, workflowOf } from '../support/n8n-stage';
import type { OnStage, StoredCredentials } from '../support/n8n-stage';
import { ACCOUNT, SECRET_TRACES } from '../support/service-fixture';
import { GIVEN_OUT, startTalkativeService } from './support/talkative-service';

const MAKE_FILE = `
const data = Buffer.alloc(6 * 1024 * 1024, 'frame').toString('base64');
let env = 'blocked';
try { env = String($env.N8N_ENCRYPTION_KEY); } catch { /* As it should be. */ }
return [{ json: { env }, binary: { data: { data, mimeType: 'video/mp4', fileName: 'a.mp4' } } }];`;
const READ_ALL =
  'return $input.all().map(({ json }) => ({ json: { seen: json.status, error: json.error } }));';

export function describeSecrets(on: OnStage): void {
  const code = (name: string, jsCode: string): INode => ({
    ...nodeOf(name, 'n8n-nodes-base.code', { jsCode }),
    typeVersion: 2,
  });

  /** A Code node that makes a file of 6 MiB, our node, and a Code node that reads its outputs. */
  const uploadBetweenCode = async (credentials: StoredCredentials): Promise<Execution> => {
    const { rest } = on.stage.n8n;
    const upload = { resource: 'upload', operation: 'upload', source: 'binary' };
    const { nodes } = workflowOf(upload, { credentials, onError: 'continueErrorOutput' });
    const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
    const workflow = await importWorkflow(rest, {
      nodes: [...nodes, code('Before', MAKE_FILE), code('After', READ_ALL)],
      connections: {
        Start: { main: [to('Before')] },
        Before: { main: [to(NODE_NAME)] },
        [NODE_NAME]: { main: [to('After'), to('After')] },
      },
    });
    return runWorkflow(rest, workflow);
  };

  test('an upload runs between two Code nodes on task runners, and never sends the token to storage', async () => {
    const execution = await uploadBetweenCode(on.stage.withoutTemporal);
    expect(execution.error).toBeUndefined();
    expect(execution.output('Before')[0]?.json).toEqual({ env: 'blocked' });
    expect(execution.output('After')[0]?.json['seen']).toBe('COMPLETED');
    expect(on.stage.fixture.simulator.seen().bearerToStorage).toEqual([]);
  });

  test('a service and a storage that echo what they receive never bring a secret into an output', async () => {
    const talkative = await startTalkativeService();
    afterTest(() => talkative.close());
    const type = 'mediaServiceApi';
    const data: IDataObject = {
      ...on.stage.fixture.credentials[type],
      ...{ baseUrl: talkative.url, uploadUrl: talkative.url },
    };
    const name = 'Talkative';
    const credentials = { [type]: await createCredential(on.stage.n8n.rest, { name, type, data }) };
    const refusedPart = await uploadBetweenCode(credentials);
    const parts = talkative.arrived.filter(({ line }) => line.startsWith('PUT '));
    expect(parts.length).toBeGreaterThan(0);
    expect(parts.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    expect(refusedPart.output(NODE_NAME, 1)[0]?.json['error']).toMatch(/403/);
    talkative.refuseAll();
    const search = { resource: 'media', operation: 'search' };
    // Another login.
    const other = { ...data, apiKey: `${ACCOUNT.apiKey}-2` };
    const changed = { [type]: await createCredential(on.stage.n8n.rest, { name, type, data: other }) };
    const refusedLogin = await on.stage.run(search, { credentials: changed });
    expect(refusedLogin.error?.message).toMatch(/login.*403/);
    const secrets = [...SECRET_TRACES, ...Object.values(GIVEN_OUT)];
    expect(secretsIn(refusedPart.text + refusedLogin.text, secrets)).toEqual([]);
  });
}
