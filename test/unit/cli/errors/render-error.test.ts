import { MediaServiceError, ValidationError } from '../../../../api/errors';
import { renderError } from '../../../../cli/errors/render-error';

const PEOPLE = { json: false, debug: false };

const REFUSED = new MediaServiceError('RequestRefused', 'media search failed (400)', {
  operation: 'media search',
  status: 400,
  serviceMessage: 'size \u001b[31mmust\u001b[0m be positive',
  requestId: 'r-1',
  hint: 'Give a size from 0 to 1000.',
});

describe('an error for people', () => {
  test('says what happened, what the service said, and what to do', () => {
    expect(renderError(REFUSED, PEOPLE)).toBe(
      'Error: media search failed (400)\n' +
        '  The service says: size must be positive\n' +
        '  Request id: r-1\n' +
        '  What to do: Give a size from 0 to 1000.\n',
    );
  });

  test('does not repeat what the message already says', () => {
    const error = new MediaServiceError('RequestRefused', 'refused: no such media', {
      serviceMessage: 'no such media',
    });
    expect(renderError(error, PEOPLE)).toBe('Error: refused: no such media\n');
  });

  test('names which of several failed', () => {
    expect(renderError(new ValidationError('title', 'title is wrong'), PEOPLE, 'a.mp4')).toBe(
      'Error (a.mp4): title is wrong\n',
    );
  });

  test('shows no stack, and says how to get one if the error was unexpected', () => {
    expect(renderError(new TypeError('x is not a function'), PEOPLE)).toMatch(
      /^Error: x is not a function\n {2}What to do: .* --debug .*\n$/,
    );
  });

  test('shows the stack with --debug', () => {
    expect(renderError(new TypeError('x'), { json: false, debug: true })).toContain('render-error.test');
  });
});

test('an error for programs is one line of JSON with code, facts and exit code', () => {
  const text = renderError(REFUSED, { json: true, debug: false }, 'a.mp4');
  expect(text.endsWith('}\n')).toBe(true);
  expect(text.split('\n')).toHaveLength(2);
  expect(JSON.parse(text)).toEqual({
    error: {
      code: 'RequestRefused',
      message: 'media search failed (400)',
      hint: 'Give a size from 0 to 1000.',
      status: 400,
      operation: 'media search',
      serviceMessage: 'size \u001b[31mmust\u001b[0m be positive',
      requestId: 'r-1',
      exitCode: 5,
      subject: 'a.mp4',
    },
  });
});

test.each([
  ['a signed URL', 'PUT https://s3.example/b/k?X-Amz-Signature=abcdef failed', 'abcdef'],
  ['a bearer token', 'sent Authorization: Bearer abc.def.ghi', 'abc.def.ghi'],
])('%s is never shown, in any form', (_label, message, secret) => {
  for (const json of [false, true]) {
    for (const debug of [false, true]) {
      expect(renderError(new Error(message), { json, debug })).not.toContain(secret);
    }
  }
});
