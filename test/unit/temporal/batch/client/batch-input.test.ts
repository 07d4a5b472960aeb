import type { JsonObject } from '../../../../../api/json';
import { batchInput } from '../../../../../temporal/batch/client/batch-input';
import { rowsThatFit } from '../../../../support/batch-fixture';
import type { StartBatch } from '../../../../../temporal/batch/client/batch-input';
import { ACCOUNT } from '../../../cli/example-account';

const PARTS: StartBatch = {
  account: ACCOUNT,
  batchId: 'harbour',
  manifest: {
    source: { kind: 'http', url: 'https://files.example/a/m.csv?token=hush', label: '' },
    format: 'csv',
  },
  folder: { kind: 'path', path: '/out', host: 'h1' },
  options: { parallelUploads: 10, upload: { partBytes: 5_242_880 } },
  queuePrefix: 'p',
};

describe('batchInput', () => {
  it('names the account without its secrets and seals the address of the manifest', () => {
    const input = batchInput(PARTS);
    expect(input).toMatchObject({
      ...{ batchId: 'harbour', account: { externalId: ACCOUNT.externalId } },
      manifest: { source: { label: 'https://files.example/m.csv', url: { sealed: expect.any(String) } } },
    });
    expect(JSON.stringify(input)).not.toMatch(/hush|key-1|secret-1/);
  });

  it.each<[label: string, change: Partial<StartBatch>, field: string]>([
    ['a batch id with a slash', { batchId: 'a/b' }, 'batchId'],
    [
      'a folder on another machine than the manifest',
      { manifest: { source: { kind: 'path', path: '/m.csv', host: 'h2' }, format: 'csv' } },
      'folder',
    ],
    ['no rows', { manifest: { rows: [] } }, 'manifest'],
    ['a concurrency of 0', { options: { parallelUploads: 0 } }, 'options.parallelUploads'],
    ['a concurrency above the limit', { options: { parallelUploads: 2001 } }, 'options.parallelUploads'],
    ['a broken page', { options: { pageRows: 1.5 } }, 'options.pageRows'],
    ['no failures allowed at all', { options: { maxFailures: 0 } }, 'options.maxFailures'],
    ['a negative number of same failures', { options: { maxSameFailures: -1 } }, 'options.maxSameFailures'],
    ['a rate in percent', { options: { maxFailureRate: 5 } }, 'options.maxFailureRate'],
    ['an upload option out of bounds', { options: { upload: { concurrency: 99 } } }, 'options.concurrency'],
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

  it('accepts as many rows as fit by their size as sent', () => {
    const rows = rowsThatFit();
    const { manifest } = batchInput({ ...PARTS, manifest: { rows } });
    expect('rows' in manifest && manifest.rows.length).toBe(rows.length);
    const oneMore = [...rows, { id: 'more', source: 'https://a/more.mp4' }];
    expect(() => batchInput({ ...PARTS, manifest: { rows: oneMore } })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^The rows have \d+ bytes as they are sent, with sealed addresses; /),
        facts: expect.objectContaining({ field: 'manifest', hint: expect.stringContaining('JSON lines') }),
      }),
    );
  });

  it('keeps valid rows unchanged, except for sealed addresses, and relative paths only with a folder', () => {
    const rows = [ROW, { source: 'quay.mp4' }];
    const { manifest } = batchInput({ ...PARTS, manifest: { rows }, options: { sourceFolder: '/films' } });
    expect(manifest).toMatchObject({ rows: [{ row: { id: 'pier' } }, { row: { source: 'quay.mp4' } }] });
    expect(JSON.stringify(manifest)).not.toContain('hush');
  });
});
