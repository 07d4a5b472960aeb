import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import type { Document, OpenAPIClient } from 'openapi-client-axios';
import { startTestGateway } from '../support/gateway-fixture';
import type { TestGateway } from '../support/gateway-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
let gateway: TestGateway;
let definition: Document & Record<string, unknown>;

beforeAll(async () => {
  gateway = await startTestGateway(on.fixture);
  definition = (await gateway.ask('/openapi.json', { token: null })).json as unknown as typeof definition;
});
afterAll(() => gateway.stop());

it('the document is OpenAPI 3.1 by the rules of a validator', async () => {
  const { valid, errors } = await new Validator().validate(definition);
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  expect(definition.openapi).toBe('3.1.0');
  const operations = Object.values(definition.paths ?? {}).flatMap((path) => Object.keys(path ?? {}));
  expect(operations.length).toBeGreaterThan(12);
});

it('a client that is made from the document starts an upload and awaits its end', async () => {
  const { path } = await on.fixture.writeFile('client.mp4', 1);
  const token = await gateway.makeToken('client', ['read', 'start']);
  const api = new OpenAPIClientAxios({
    definition: { ...definition },
    axiosConfigDefaults: { baseURL: gateway.url, headers: { authorization: `Bearer ${token}` } },
  });
  const client: OpenAPIClient = await api.init();
  const started = await client['startUpload']?.(undefined, { source: path, media: { title: 'By a client' } });
  expect(started).toMatchObject({ status: 201, data: { joined: false } });
  const { id } = started?.data as { readonly id: string };
  const ended = await client['getUpload']?.({ id, wait: 60 });
  expect(ended).toMatchObject({ status: 200, data: { id, status: 'COMPLETED' } });
});
