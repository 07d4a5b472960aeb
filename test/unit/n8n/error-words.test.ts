import { checkAccount } from '../../../api/account';
import { MediaServiceError, ValidationError, wrongField } from '../../../api/errors';
import { planParts } from '../../../api/upload/plan-parts';
import { transportErrorOf } from '../../../api/transport/undici-failure';
import { describeError, sentenceOf } from '../../../n8n/error-words';
import { thrownBy } from '../api/upload/failure-of';

const MAX_PARTS = 'setting "Max Parts" of the credential "Media Service API"';
const ACCOUNT = { baseUrl: 'http://m.example', uploadUrl: '', apiKey: '', secretKey: '', externalId: '' };

test.each<[string, () => unknown, string]>([
  [
    'a refused start',
    () => {
      throw new MediaServiceError('RequestRefused', 'start: refused', {
        hint: 'If the deployment takes fewer than 3 parts, lower {maxParts}.',
      });
    },
    `If the deployment takes fewer than 3 parts, lower the ${MAX_PARTS}.`,
  ],
  [
    'a file that is too large',
    () => planParts({ bytes: 1e15, maxParts: 3 }),
    `Now the ${MAX_PARTS} is 3; the service allows up to 120.`,
  ],
  [
    'plain http',
    () => checkAccount(ACCOUNT),
    'Use https, or turn on Advanced Settings > Allow Plain HTTP if the network is trusted. It is the field "Base URL" of the credential "Media Service API".',
  ],
])('%s: settings have the labels of the form', (_what, run, description) => {
  expect(describeError(thrownBy(run)).description).toBe(description);
});

test.each<[string, string, string]>([
  ['from', 'isn\'t a valid date: "x"', '"From" isn\'t a valid date: "x"'],
  [
    'options.parallelUploads',
    'must be a whole number from 1 to 2000',
    '"Parallel Uploads" must be a whole number from 1 to 2000',
  ],
  ['uploadId', 'is wrong', '"Upload ID" is wrong'],
])('an error in the field %s uses its label', (field, problem, message) => {
  expect(describeError(wrongField(field, problem)).message).toBe(message);
});

test('a message that does not begin with its field stays unchanged', () => {
  const error = new ValidationError('metadata', 'tags and metadata have 9 bytes');
  expect(describeError(error).message).toBe('tags and metadata have 9 bytes');
});

test('batch options that differ are named by their labels', () => {
  const hint =
    'These options differ: {option:sourceFolder}, {option:upload}, {option:pageRows}. Use another {batchId}.';
  const error = new MediaServiceError('InputDiffers', 'The batch b exists with other options.', { hint });
  expect(describeError(error).description).toBe(
    'These options differ: Source Folder, options of each upload, Page Rows. Use another "Batch ID".',
  );
});

test('a sentence leaves out the codes that n8n looks for, and no other word in brackets', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const error = transportErrorOf({ error: refused, begun: false, host: 'm.example:1' });
  expect(describeError(error).message).toContain(' (ECONNREFUSED)');
  expect(sentenceOf(error)).toMatch(/^m\.example:1: the connection was refused\. Nothing was sent/);
  expect(sentenceOf(new ValidationError('metadata', 'the tag (EUROPE) is missing.'))).toBe(
    'the tag (EUROPE) is missing',
  );
});
