import { describe, expect, test } from '@jest/globals';
import { manifestArgument } from '../../../../cli/batch/manifest-argument';

const here = { cwd: '/srv', host: 'h' };

describe('a manifest argument', () => {
  test.each([
    [
      'at a relative path',
      'lists/harbour.csv',
      {
        source: { kind: 'path', path: '/srv/lists/harbour.csv', host: 'h' },
        format: 'csv',
        name: 'harbour.csv',
        sourceFolder: '/srv/lists',
      },
    ],
    [
      'at a URL',
      'https://files.example/lists/harbour.jsonl?sig=hush',
      {
        source: { kind: 'http', label: 'https://files.example/harbour.jsonl' },
        format: 'jsonl',
        name: 'harbour.jsonl',
        identity: 'https://files.example/lists/harbour.jsonl',
        sourceFolder: '/srv',
      },
    ],
    [
      'in S3',
      's3://bucket/lists/harbour.ndjson',
      {
        source: { kind: 's3', bucket: 'bucket', key: 'lists/harbour.ndjson' },
        format: 'jsonl',
        name: 'harbour.ndjson',
        sourceFolder: '/srv',
      },
    ],
  ])('%s', (_label, text, expected) => {
    expect(manifestArgument(text, here)).toMatchObject(expected);
  });

  test('that every worker mounts names no machine', () => {
    expect(manifestArgument('/m.csv', { cwd: '/' }).source).toEqual({ kind: 'path', path: '/m.csv' });
  });

  test.each([
    ['without an extension', 'harbour', 'format'],
    ['of another scheme', 'ftp://h/m.csv', 'MANIFEST'],
    ['that is a bucket', 's3://bucket', 'MANIFEST'],
    ['that is nothing', ' ', 'MANIFEST'],
  ])('%s is refused', (_label, text, field) => {
    expect(() => manifestArgument(text, here)).toThrow(
      expect.objectContaining({ code: 'Validation', facts: expect.objectContaining({ field }) }),
    );
  });

  test('without an extension is accepted with its format', () => {
    expect(manifestArgument('harbour', { ...here, format: 'csv' }).format).toBe('csv');
  });
});
