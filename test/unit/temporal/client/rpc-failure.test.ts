import { describe, expect, it } from '@jest/globals';
import { MediaServiceError } from '../../../../api/errors';
import { errorOfRpc, isNobodyPolling, isUnreachable } from '../../../../temporal/client/rpc-failure';

const at = { address: 'temporal:7233', namespace: 'media' };
const grpc = (code: number, message = ''): Error =>
  new Error('Failed', { cause: Object.assign(new Error(message), { code }) });

describe('errorOfRpc', () => {
  it.each([
    ['nobody answers', grpc(14), 'TemporalUnreachable', 'temporal:7233'],
    ['no answer came in time', grpc(4), 'TemporalUnreachable', 'temporal:7233'],
    ['the namespace is not there', grpc(5, 'Namespace media is not found.'), 'Configuration', '"media"'],
    [
      'the SDK says itself that the namespace is not there',
      Object.assign(new Error("Namespace not found: 'media'"), { name: 'NamespaceNotFoundError' }),
      'Configuration',
      '"media"',
    ],
    ['the key is refused', grpc(16), 'Configuration', 'API key'],
    ['the key lacks a right', grpc(7), 'Configuration', 'API key'],
    ['the server has a fault', grpc(13), 'Internal', 'refused the call'],
    ['something else went wrong', 'text', 'Internal', 'refused the call'],
  ])('if %s', (_name, error, code, words) => {
    expect(errorOfRpc(at, undefined, error)).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it('names the upload that Temporal does not know', () => {
    const error = Object.assign(new Error('not found'), { name: 'WorkflowNotFoundError' });
    expect(errorOfRpc(at, 'upload/a/b', error)).toMatchObject({
      code: 'RequestRefused',
      message: expect.stringContaining('upload/a/b'),
    });
  });

  it('passes our own errors on', () => {
    const error = new MediaServiceError('NoWorker', 'none');
    expect(errorOfRpc(at, undefined, error)).toBe(error);
  });
});

describe('isUnreachable', () => {
  it('is true for a server that does not answer, not for one that refuses', () => {
    expect([grpc(14), grpc(4), grpc(5), new Error('x'), undefined].map(isUnreachable)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('isNobodyPolling', () => {
  it.each([
    [
      'no worker has polled lately',
      grpc(9, 'no poller seen for task queue recently, worker may be down'),
      true,
    ],
    ['its workflow cannot be asked now', grpc(9, 'Workflow task in failed state'), false],
    ['another code has the same words', grpc(13, 'no poller seen'), false],
    ['it is not an error', 'no poller', false],
  ])('of a query that fails because %s', (_name, error, expected) => {
    expect(isNobodyPolling(error)).toBe(expected);
  });
});
