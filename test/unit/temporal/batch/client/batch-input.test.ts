import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../../api/json';
import { batchInput, MAX_ROWS_BYTES } from '../../../../../temporal/batch/client/batch-input';
import { sentRowBytes } from '../../../../support/batch-fixture';
import type { StartBatch } from '../../../../../temporal/batch/client/batch-input';
import { sealKeysOf, sourceUrlPurpose, unseal } from '../../../../../temporal/seal';

const PARTS: StartBatch = {
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
  options: { parallelUploads: 10, upload: { partBytes: 5_242_880 } },
  queuePrefix: 'p',
};
const localManifest = (host?: string): StartBatch['manifest'] => ({
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
    expect(unseal(sealKeysOf('the-secret-key'), url, purpose)).toBe(
      'https://files.example/a/m.csv?token=hush',
    );
  });

  it('says that failed rows must be retried only if they are', () => {
    expect(batchInput(PARTS)).not.toHaveProperty('retryFailed');
    expect(batchInput({ ...PARTS, retryFailed: true }).retryFailed).toBe(true);
  });

  it.each<[label: string, change: Partial<StartBatch>, field: string]>([
    ['a batch id with a slash', { batchId: 'a/b' }, 'batchId'],
    ['no rows', { manifest: { rows: [] } }, 'manifest'],
    ['too many rows', { manifest: { rows: [{ source: 'x'.repeat(MAX_ROWS_BYTES) }] } }, 'manifest'],
    ['a concurrency of 0', { options: { parallelUploads: 0 } }, 'options.parallelUploads'],
    ['a concurrency above the limit', { options: { parallelUploads: 2001 } }, 'options.parallelUploads'],
    ['a broken page', { options: { pageRows: 1.5 } }, 'options.pageRows'],
    ['no failures allowed at all', { options: { maxFailures: 0 } }, 'options.maxFailures'],
    ['a negative number of same failures', { options: { maxSameFailures: -1 } }, 'options.maxSameFailures'],
    ['a rate in percent', { options: { maxFailureRate: 5 } }, 'options.maxFailureRate'],
    ['an upload option out of bounds', { options: { upload: { concurrency: 99 } } }, 'options.concurrency'],
    ['a folder on another machine than the manifest', { manifest: localManifest('h2') }, 'folder'],
  ])('refuses %s and names the field', (_label, change, field) => {
    expect(() => batchInput({ ...PARTS, ...change })).toThrow(
      expect.objectContaining({ code: 'Validation', facts: expect.objectContaining({ field }) }),
    );
  });

  const ROW = { id: 'pier', source: 'https://files.example/pier.mp4?sig=hush' };

  it.each<[label: string, rows: readonly JsonObject[], message: string]>([
    ['without a source', [{ id: 'pier' }], 'line 1, source: the row names no source'],
    [
      'whose address is in an unknown field',
      [ROW, { url: 'https://files.example/a.mp4?X-Amz-Signature=hush' }],
      'line 2, url: the field url is not known',
    ],
    ['of the same id', [ROW, { ...ROW }], 'line 2, id: the id "pier" is already in line 1'],
    ['on a relative path', [{ source: 'pier.mp4' }], 'line 1, source: the path is relative'],
    ['that set the tag of the ingest key', [{ ...ROW, tags: { key: 'mine' } }], 'line 1'],
  ])('refuses rows %s as the plan would, and shows no address', (_label, rows, message) => {
    const parts = { ...PARTS, manifest: { rows }, serviceOptions: { ingestTag: 'key' } };
    expect(() => batchInput(parts)).toThrow(
      expect.objectContaining({
        code: 'Validation',
        message: expect.stringContaining(message),
        facts: expect.objectContaining({ field: 'manifest' }),
      }),
    );
    expect(() => batchInput(parts)).not.toThrow(/hush/);
  });

  it('refuses rows by their size as sent, since short addresses grow several times when sealed', () => {
    const rows = Array.from({ length: 18_000 }, (_, at) => ({
      id: String(at),
      source: `https://a/${at}.mp4`,
    }));
    const plainBytes = JSON.stringify(rows).length;
    const sentBytes = rows.reduce((sum, row, at) => sum + sentRowBytes(row, at + 1), 1);
    expect(plainBytes).toBeLessThan(1_000_000);
    expect(() => batchInput({ ...PARTS, manifest: { rows } })).toThrow(
      expect.objectContaining({
        message:
          `The rows have ${sentBytes} bytes as they are sent, with sealed addresses; ` +
          `at most ${MAX_ROWS_BYTES} can be sent through Temporal.`,
        facts: expect.objectContaining({ field: 'manifest', hint: expect.stringContaining('JSON lines') }),
      }),
    );
  });

  it('accepts as many rows as fit by their size as sent', () => {
    const rows: JsonObject[] = [];
    for (let bytes = 1; ; rows.push({ id: String(rows.length), source: `https://a/${rows.length}.mp4` })) {
      bytes += sentRowBytes(
        { id: String(rows.length), source: `https://a/${rows.length}.mp4` },
        rows.length + 1,
      );
      if (bytes > MAX_ROWS_BYTES) break;
    }
    const { manifest } = batchInput({ ...PARTS, manifest: { rows } });
    expect('rows' in manifest && manifest.rows.length).toBe(rows.length);
    const oneMore = [...rows, { id: 'more', source: 'https://a/more.mp4' }];
    expect(() => batchInput({ ...PARTS, manifest: { rows: oneMore } })).toThrow('as they are sent');
  });

  it('keeps valid rows unchanged, except for sealed addresses, and relative paths only with a folder', () => {
    const rows = [ROW, { source: 'quay.mp4' }];
    const { manifest } = batchInput({ ...PARTS, manifest: { rows }, options: { sourceFolder: '/films' } });
    expect(manifest).toMatchObject({ rows: [{ row: { id: 'pier' } }, { row: { source: 'quay.mp4' } }] });
    expect(JSON.stringify(manifest)).not.toContain('hush');
  });

  it.each([
    ['on the same machine', localManifest('h1')],
    ['that every worker mounts', localManifest()],
  ])('uses the folder of a manifest %s', (_label, manifest) => {
    expect(batchInput({ ...PARTS, manifest }).folder).toEqual(PARTS.folder);
  });
});
