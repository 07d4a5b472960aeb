import { expect, test } from '@jest/globals';
import { checkAccount } from '../../../../api/account/check-account';
import { MediaServiceError } from '../../../../api/errors';
import { planParts } from '../../../../api/upload/parts/part-plan';
import { describeError } from '../../../../nodes/MediaService/error-words';
import { errorOfRpc } from '../../../../temporal/client/rpc-failure';

const MOST_PARTS = 'setting "Max Parts" of the credential "Media Service API"';
const ACCOUNT = { baseUrl: 'http://m.example', uploadUrl: '', apiKey: '', secretKey: '', externalId: '' };

test.each<[string, () => unknown, string]>([
  [
    'a refused start',
    () => {
      throw new MediaServiceError('RequestRefused', 'start: refused', {
        hint: 'If the deployment takes fewer than 3 parts, lower the setting maxParts (in n8n: "Max Parts" of the credential).',
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

test.each<[string, string]>([
  [
    'The file lies on a: start a worker there (MEDIA_SERVICE_HOST names a machine), or pass --shared-path (in n8n: leave the host field empty) if every worker mounts the file at this path.',
    'The file lies on a: start a worker there (MEDIA_SERVICE_HOST names a machine), or leave "Worker Host" empty if every worker mounts the file at this path.',
  ],
  [
    'See how its session stands: media-service uploads session u-1 (n8n: Upload > Get, by upload ID). To upload it once more all the same: --again (n8n: the option "Force New Upload").',
    'See how its session stands: Upload > Get, by upload ID. To upload it once more all the same: switch on the option "Force New Upload".',
  ],
  [
    'See how it stands: media-service uploads session u-1 --wait (in n8n: Upload > Wait, by Upload ID)',
    'See how it stands: Upload > Wait, by Upload ID',
  ],
  [
    'Give one of MP4, MOV as the file type (--file-type; in n8n: Media Fields > File Type).',
    'Give one of MP4, MOV in Media Fields > File Type.',
  ],
  [
    'Wait for its end (media-service batch watch), or cancel it first.',
    'Wait for its end (Batch > Wait), or cancel it first.',
  ],
  [
    'Start it with the folder that it has, or give this one another id.',
    'Start it with the folder that it has, or give this one another "Batch ID".',
  ],
  [
    'Nothing was uploaded. Is title meant? Else remove it. `media-service batch check` names them all.',
    'Nothing was uploaded. Is title meant? Else remove it.',
  ],
])('words of the command line do not reach n8n: %s', (hint, description) => {
  expect(describeError(new MediaServiceError('NoWorker', 'x', { hint })).description).toBe(description);
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
