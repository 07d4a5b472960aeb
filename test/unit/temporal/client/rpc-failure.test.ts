import { MediaServiceError } from '../../../../api/errors';
import {
  errorOfNamespace,
  errorOfRpc,
  errorOfStart,
  isUnreachable,
} from '../../../../temporal/client/rpc-failure';

const at = { address: 'temporal:7233', namespace: 'media' };
const grpc = (code: number, message = ''): Error =>
  new Error('Failed', { cause: Object.assign(new Error(message), { code }) });

const noNamespace = Object.assign(new Error('Not found'), { name: 'NamespaceNotFoundError' });

describe('errorOfRpc', () => {
  it.each([
    ['nobody answers', grpc(14), 'TemporalUnreachable', 'temporal:7233'],
    ['no answer came in time', grpc(4), 'TemporalUnreachable', 'temporal:7233'],
    ['the namespace is not there', noNamespace, 'Configuration', '"media"'],
    ['something else is not there', grpc(5, 'no id "namespace"'), 'Internal', 'refused the call'],
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

it('errorOfNamespace says that the namespace is missing, or why the call failed', () => {
  expect(errorOfNamespace(at, grpc(5))).toMatchObject({
    code: 'Configuration',
    message: expect.stringContaining('"media"'),
  });
  expect(errorOfNamespace(at, grpc(14))).toMatchObject({ code: 'TemporalUnreachable' });
});

it.each([
  ['the namespace is not there', noNamespace, 'unsent'],
  ['the server refuses the call', grpc(3), undefined],
  ['the answer is lost', grpc(14), 'ambiguous'],
])('errorOfStart if %s', (_name, error, outcome) => {
  const failure = errorOfStart(at, 'upload/a/b', error);
  expect(failure instanceof MediaServiceError && failure.facts.outcome).toBe(outcome);
});

it('isUnreachable is true for a server that does not answer, not for one that refuses', () => {
  expect([grpc(14), grpc(4)].map(isUnreachable)).toEqual([true, true]);
  expect([grpc(5), new Error('x'), undefined].filter(isUnreachable)).toEqual([]);
});
