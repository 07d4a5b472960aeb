import { describe, expect, it } from '@jest/globals';
import { hostOfSource } from '../../../../api/upload/sources/source-rules';
import { controlQueue, transferQueue, uploadWorkflowId } from '../../../../temporal/upload/types';

describe('task queues', () => {
  it('are named by prefix, account and machine', () => {
    expect([controlQueue('p', 'a'), transferQueue('p', 'a'), transferQueue('p', 'a', 'h')]).toEqual([
      'p.a',
      'p.a.transfer',
      'p.a.transfer@h',
    ]);
  });

  it.each([
    ['a file of one machine', { kind: 'path', path: '/f', host: 'h' } as const, 'p.a.transfer@h'],
    ['a file that every worker mounts', { kind: 'path', path: '/f' } as const, 'p.a.transfer'],
    ['a URL', { kind: 'http', url: {}, label: 'https://h/f' } as const, 'p.a.transfer'],
    ['an object of S3', { kind: 's3', bucket: 'b', key: 'f' } as const, 'p.a.transfer'],
  ])('of %s', (_name, source, queue) => {
    expect(transferQueue('p', 'a', hostOfSource(source))).toBe(queue);
  });
});

it('uploadWorkflowId is the same for the same account and ingest key', () => {
  expect(uploadWorkflowId('a', 'k')).toBe('upload/a/k');
});
