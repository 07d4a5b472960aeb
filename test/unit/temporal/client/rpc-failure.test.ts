import { MediaServiceError } from '../../../../api/errors';
import { errorOfNamespace, errorOfRpc, errorOfStart } from '../../../../temporal/client/rpc-failure';

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
    const message = 'Temporal knows no such upload: upload/a/b.';
    expect(errorOfRpc(at, 'upload/a/b', error)).toMatchObject({ code: 'RequestRefused', message });
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
  ['the server refuses the call', grpc(3), 'unsent'],
  ['the answer is lost', grpc(14), 'ambiguous'],
])('errorOfStart if %s', (_name, error, outcome) => {
  expect(errorOfStart(at, 'upload/a/b', error)).toMatchObject({ outcome });
});
