import type { INodeParameters } from 'n8n-workflow';
import { useUploadSetting } from './support/upload-setting';

const on = useUploadSetting();

const SEARCH = { resource: 'media', operation: 'search' };
const REPORT = { resource: 'webhookDelivery', operation: 'report', period: 'custom', from: '-1d' };
/** A worker of another machine reads the path, so that only the parameters can be wrong. */
const UPLOAD = {
  resource: 'upload',
  operation: 'upload',
  runIn: 'worker',
  source: 'path',
  path: '/nowhere/x.mp4',
  host: 'another-machine',
};
const BY_URL = { ...UPLOAD, source: 'url' };

type Refused = readonly [what: string, parameters: INodeParameters, message: RegExp | string, hint?: string];

/** One for each kind of field, and for each rule that only n8n's fields have. */
const REFUSED: readonly Refused[] = [
  [
    'a limit below zero',
    { ...SEARCH, limit: '={{ -5 }}' },
    '"Limit" is -5: it must be a whole number of at least 1',
    'To get everything, turn on Return All.',
  ],
  [
    'a text for a number',
    { ...SEARCH, limit: '={{ "many" }}' },
    '"Limit" must be a number',
    'Check what its expression returns.',
  ],
  [
    'an expression that names no node',
    { ...SEARCH, limit: '={{ $("Nowhere").first().json.n }}' },
    /Referenced node doesn't exist/,
  ],
  [
    'ids with null',
    { ...SEARCH, filters: { ids: '={{ ["a", null] }}' } },
    /"IDs" holds an element that is empty or null/,
    'Remove it',
  ],
  [
    'tags that are not JSON',
    { ...SEARCH, filters: { tags: '{project: beta}' } },
    '"Tags" isn\'t valid JSON',
    'Write it as {"key": "value"}, with double quotes and no comma at the end.',
  ],
  ['tags that are a list', { ...SEARCH, filters: { tags: '[1]' } }, '"Tags" isn\'t a JSON object'],
  [
    'a search term that is an object',
    { ...SEARCH, searchTerm: '={{ {} }}' },
    '"Search Term" must be text',
    'Check the expression: it returned true or false, a list or an object.',
  ],
  [
    'a malformed date',
    { ...REPORT, from: 'last tuesday' },
    '"From" isn\'t a valid date: "last tuesday"',
    'Write 2026-11-01, "2026-11-01 07:00"',
  ],
  ['an unknown output', { ...REPORT, output: ['pdf'] }, /"Output" must be one of csv/],

  // Read before anything is started.
  ...['n8n', 'worker'].map((runIn): Refused => {
    const parameters = { ...BY_URL, runIn, url: 'http://127.0.0.1:9/x.mp4', simplify: '={{ "some" }}' };
    return [`a Simplify that is neither on nor off in ${runIn}`, parameters, /"Simplify" must be true/];
  }),
  [
    'a malformed URL',
    { ...BY_URL, url: 'files/x.mp4' },
    '"URL" must start with http:// or https://',
    'Enter the full address.',
  ],
  [
    'a duration below zero',
    { ...UPLOAD, media: { duration: -1 } },
    /^"Duration in Milliseconds" must be a whole number/,
  ],
  [
    'a tag that is a list',
    { ...UPLOAD, media: { tags: '{"a":[1]}' } },
    '"Tags" must be texts, but "a" is not',
  ],
  [
    'a share above 100 % in a group of options',
    {
      ...UPLOAD,
      resource: 'batch',
      operation: 'start',
      rowsFrom: 'manifest',
      manifest: '/x.csv',
      options: { stopWhen: { limits: { maxFailureRate: '={{ 1.01 }}' } } },
    },
    /"Failed Share" must be a number above 0 and up to 1/,
  ],
];

test.each(REFUSED)('%s is refused before anything is sent', async (_what, parameters, message, hint = '') => {
  const { requests } = on.simulator.seen();
  const { error, items } = await on.run(parameters);
  if (typeof message === 'string') expect(error?.message).toBe(message);
  else expect(error?.message).toMatch(message);
  expect(error?.description ?? '').toContain(hint);
  expect(items).toEqual([]);
  expect(on.simulator.seen().requests).toEqual(requests);
});
