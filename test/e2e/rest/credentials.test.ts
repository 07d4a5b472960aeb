import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from '@jest/globals';
import { createCredential, testCredential } from '../support/n8n-executions';
import { NODE_TYPE, useStage } from '../support/n8n-stage';

const on = useStage({ withEditor: true });

/** Exactly what the editor shows. */
const REFUSED = (reason: string): string =>
  `login failed (401): ${reason}. Check the API key, the secret key and the external id, each pasted in full, and that all three belong to this address.`;

type CredentialType = 'mediaServiceApi' | 'mediaServiceTemporalApi';

/** Stores a credential and runs its test. */
async function tested(
  type: CredentialType,
  change: IDataObject,
): Promise<{ status: string; message: string }> {
  const { rest } = on.stage.n8n;
  const file = { name: type, type, data: { ...on.stage.fixture.credentials[type], ...change } };
  const { id } = await createCredential(rest, file);
  return testCredential(rest, { ...file, id });
}

async function listed(path: string): Promise<readonly Listed[]> {
  return (await (await on.stage.n8n.rest.fetch(path)).json()) as Listed[];
}
interface Listed {
  readonly name: string;
  readonly credentials?: readonly { readonly name: string }[];
  readonly iconUrl?: { readonly light: string; readonly dark: string };
  readonly supportedNodes?: readonly string[];
}

describe('the installed package', () => {
  test('adds its nodes, each with both credentials, to the editor', async () => {
    const nodes = (await listed('/types/nodes.json')).filter(({ name }) =>
      name.startsWith('n8n-nodes-media'),
    );
    const names = nodes.map(({ name, credentials = [] }) => [name, credentials.map((one) => one.name)]);
    const both = ['mediaServiceApi', 'mediaServiceTemporalApi'];
    expect(names).toEqual(
      expect.arrayContaining([
        [NODE_TYPE, both],
        [`${NODE_TYPE}Tool`, both],
        [`${NODE_TYPE}Trigger`, both],
      ]),
    );
  });

  test('adds its credentials, and icons that n8n can serve', async () => {
    const types = await listed('/types/credentials.json');
    const ours = types.filter(({ name }) => name.startsWith('mediaService'));
    expect(ours.map(({ name }) => name).sort()).toEqual(['mediaServiceApi', 'mediaServiceTemporalApi']);
    for (const { iconUrl } of ours) {
      for (const path of [iconUrl?.light, iconUrl?.dark]) {
        const response = await on.stage.n8n.rest.fetch(`/${path ?? 'no icon'}`);
        expect([response.status, response.headers.get('content-type')]).toEqual([
          200,
          expect.stringContaining('image/svg'),
        ]);
      }
    }
  });
});

describe('the test of the credential "Media Service API"', () => {
  test('succeeds with the right keys', async () => {
    const before = on.stage.fixture.simulator.seen().logins;
    expect(await tested('mediaServiceApi', {})).toMatchObject({ status: 'OK' });
    expect(on.stage.fixture.simulator.seen().logins).toBe(before + 1);
  });

  test.each<{ what: string; change: IDataObject; message: string }>([
    {
      what: 'a wrong secret key',
      change: { secretKey: 'wrong-secret' },
      message: REFUSED('The signature does not match'),
    },
    { what: 'a wrong API key', change: { apiKey: 'wrong-key' }, message: REFUSED('Unknown API key') },
    {
      what: 'an external id of nobody',
      change: { externalId: 'nobody' },
      message: REFUSED('Unknown external id'),
    },
    {
      what: 'an empty key',
      change: { apiKey: '' },
      message:
        'API Key is empty. Fill it in. It is the field "API Key" of the credential "Media Service API".',
    },
    {
      what: 'a malformed address',
      change: { baseUrl: 'media.example' },
      message:
        'Base URL must start with http:// or https://. Write it in full, for example https://media.example.com. It is the field "Base URL" of the credential "Media Service API".',
    },
    {
      what: 'nobody at the address',
      change: { baseUrl: 'http://127.0.0.1:9' },
      message:
        'login: 127.0.0.1:9: the connection was refused. Nothing was sent. Check the address, the network, the proxy and the firewall. It is the field "Base URL" of the credential "Media Service API".',
    },
  ])('reports $what, and names no secret', async ({ change, message }) => {
    const result = await tested('mediaServiceApi', change);
    expect(result).toEqual({ status: 'Error', message });
    expect(result.message).not.toContain(on.stage.fixture.simulator.account.secretKey);
  });
});

describe('the test of the credential "Temporal API"', () => {
  test('succeeds with a server that answers', async () => {
    const answer = { status: 'OK', message: 'Connected to namespace "default"' };
    expect(await tested('mediaServiceTemporalApi', {})).toEqual(answer);
  });

  test('names the address when no server answers', async () => {
    const result = await tested('mediaServiceTemporalApi', { address: '127.0.0.1:9' });
    expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(/127\.0\.0\.1:9/) });
  });
});
