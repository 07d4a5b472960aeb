import { describe, expect, it } from '@jest/globals';
import {
  batchInput,
  MAX_ROWS_BYTES,
  type BatchInputParts,
} from '../../../../../temporal/client/batch/batch-input';
import { sealKeyOf, sourceUrlPurpose, unseal } from '../../../../../temporal/seal';

const PARTS: BatchInputParts = {
  account: {
    baseUrl: 'https://api.example/',
    uploadUrl: 'https://upload.example',
    externalId: 'Studio 1',
    apiKey: 'the-api-key',
    secretKey: 'the-secret-key',
  },
  batchId: 'harbour',
  manifest: {
    source: { kind: 'http', url: 'https://files.example/a/m.csv?token=hush', label: '' },
    format: 'csv',
  },
  folder: { kind: 'path', path: '/out', host: 'h1' },
  options: { window: 10, upload: { partBytes: 5_242_880 } },
  queuePrefix: 'p',
};
const localManifest = (host?: string): BatchInputParts['manifest'] => ({
  source: { kind: 'path', path: '/m.csv', ...(host === undefined ? {} : { host }) },
  format: 'csv',
});

describe('batchInput', () => {
  it('names the account without its secrets and seals the address of the manifest', () => {
    const input = batchInput(PARTS);
    expect(input).toMatchObject({ schema: 1, batchId: 'harbour', account: { externalId: 'Studio 1' } });
    expect(JSON.stringify(input)).not.toMatch(/hush|the-api-key|the-secret-key/);
    const source = 'rows' in input.manifest ? undefined : input.manifest.source;
    const url = source?.kind === 'http' ? source.url : undefined;
    const purpose = sourceUrlPurpose('https://files.example/m.csv');
    expect(unseal(sealKeyOf('the-secret-key'), url, purpose)).toBe(
      'https://files.example/a/m.csv?token=hush',
    );
  });

  it('says that failed rows are to be retried only where they are', () => {
    expect(batchInput(PARTS)).not.toHaveProperty('retryFailed');
    expect(batchInput({ ...PARTS, retryFailed: true }).retryFailed).toBe(true);
  });

  it.each<[label: string, change: Partial<BatchInputParts>, field: string]>([
    ['a batch id with a slash', { batchId: 'a/b' }, 'batchId'],
    ['no rows', { manifest: { rows: [] } }, 'manifest'],
    ['too many rows', { manifest: { rows: [{ source: 'x'.repeat(MAX_ROWS_BYTES) }] } }, 'manifest'],
    ['a window of nothing', { options: { window: 0 } }, 'options.window'],
    ['a window too wide', { options: { window: 2001 } }, 'options.window'],
    ['a broken page', { options: { pageRows: 1.5 } }, 'options.pageRows'],
    ['no failures allowed at all', { options: { maxFailures: 0 } }, 'options.maxFailures'],
    ['a rate in percent', { options: { maxFailureRate: 5 } }, 'options.maxFailureRate'],
    ['no bandwidth', { options: { bytesPerSecond: 0 } }, 'options.bytesPerSecond'],
    ['an upload option out of bounds', { options: { upload: { concurrency: 99 } } }, 'options.concurrency'],
    ['a folder on another machine than the manifest', { manifest: localManifest('h2') }, 'folder'],
  ])('refuses %s and names the field', (_label, change, field) => {
    expect(() => batchInput({ ...PARTS, ...change })).toThrow(
      expect.objectContaining({ code: 'Validation', facts: expect.objectContaining({ field }) }),
    );
  });

  it.each([
    ['on the same machine', localManifest('h1')],
    ['that every worker mounts', localManifest()],
  ])('takes a manifest %s as the folder', (_label, manifest) => {
    expect(batchInput({ ...PARTS, manifest }).folder).toEqual(PARTS.folder);
  });
});
