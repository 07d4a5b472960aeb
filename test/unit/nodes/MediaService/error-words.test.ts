import { expect, test } from '@jest/globals';
import { checkAccount } from '../../../../api/account/check-account';
import { MediaServiceError } from '../../../../api/errors';
import { planParts } from '../../../../api/upload/parts/part-plan';
import { describeError } from '../../../../nodes/MediaService/error-words';
import { errorOfRpc } from '../../../../temporal/client/rpc-failure';

const MOST_PARTS = 'setting "Most Parts" of the credential "Media Service API"';
const ACCOUNT = { baseUrl: 'http://m.example', uploadUrl: '', apiKey: '', secretKey: '', externalId: '' };

test.each<[string, () => unknown, string]>([
  [
    'a refused start',
    () => {
      throw new MediaServiceError('RequestRefused', 'start: refused', {
        hint: 'If the deployment takes fewer than 3 parts, lower the setting maxParts (in n8n: "Most Parts" of the credential).',
      });
    },
    `If the deployment takes fewer than 3 parts, lower the ${MOST_PARTS}.`,
  ],
  [
    'a file that is too large',
    () => planParts({ bytes: 1e15, maxParts: 3 }),
    `The ${MOST_PARTS} is 3; the interface allows up to 120.`,
  ],
  [
    'plain http',
    () => checkAccount(ACCOUNT),
    'Use https, or switch on Advanced Settings > Allow Plain HTTP if the network is trusted. It is the field "Base URL" of the credential "Media Service API".',
  ],
])('%s: settings go by the names of the form', (_what, run, description) => {
  expect(describeError(thrownBy(run)).description).toBe(description);
});

test('an API key that Temporal refuses is not taken for that of the Media Service', () => {
  const refused = Object.assign(new Error('denied'), { code: 16 });
  const error = errorOfRpc({ address: 'h:1', namespace: 'n' }, undefined, refused);
  expect(describeError(error)).toEqual({
    message: 'Temporal at h:1 refuses the API key or certificate.',
    description: 'Check it, and that it may use this namespace.',
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
