import { expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import { useUploadSetting } from './support/upload-setting';

const on = useUploadSetting();

const SEARCH = { resource: 'media', operation: 'search' };
const DELIVERIES = { resource: 'webhookDelivery', operation: 'getMany', period: 'custom', from: '-1d' };
const REPORT = { ...DELIVERIES, operation: 'report', from: '2026-03-28', to: '2026-03-30' };
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

const REFUSED: readonly Refused[] = [
  ['limit 0', { ...SEARCH, limit: 0 }, /"Limit" is 0/],
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
    'a type that does not exist',
    { ...SEARCH, filters: { type: '={{ "GIF" }}' } },
    /"Type" must be one of VIDEO/,
  ],
  ['a sort rule without property', { ...SEARCH, sort: ',DESC' }, /has a rule with no property/],
  [
    'a search term that is an object',
    { ...SEARCH, searchTerm: '={{ {} }}' },
    '"Search Term" must be text',
    'Check the expression: it returned true or false, a list or an object.',
  ],
  ['a search term that is a list', { ...SEARCH, searchTerm: '={{ [1, 2] }}' }, '"Search Term" must be text'],

  [
    'a malformed date',
    { ...DELIVERIES, from: 'last tuesday' },
    '"From" isn\'t a valid date: "last tuesday"',
    'Write 2026-11-01, "2026-11-01 07:00"',
  ],
  [
    'from after to',
    { ...DELIVERIES, from: '2026-11-02', to: '2026-11-01' },
    /"From" must be before the end of the period/,
    'The end itself is not included. For one whole day, use that day as start and end.',
  ],
  ['no date at all', { ...DELIVERIES, from: '={{ $json.none }}' }, /"From" is empty/],
  ['an unknown status', { ...DELIVERIES, filters: { status: ['LATE'] } }, /FAILED, SUCCESS/],

  ['an unknown period', { ...REPORT, period: 'soon' }, /"Period" must be one of yesterday/],
  ['an unknown output', { ...REPORT, output: ['pdf'] }, /"Output" must be one of csv/],
  ['an empty range', { ...REPORT, to: '2026-03-27' }, /must be before the end of the period/],
  ['more weeks than a report can show', { ...REPORT, from: '2006-01-01' }, /more than 750 weeks/],

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
  ['an ftp URL', { ...BY_URL, url: 'ftp://x/y.mp4' }, /"URL" must start with http/],
  [
    'no URL',
    { ...BY_URL, url: '={{ $json.none }}' },
    '"URL" is empty',
    'Fill it in, or check its expression.',
  ],
  ['an empty path', { ...UPLOAD, path: '={{ $json.none }}' }, /"Path" is empty/],
  [
    'a file type that is not supported',
    { ...UPLOAD, media: { fileType: '={{ "EXE" }}' } },
    /"EXE" is not supported/,
    'MP4',
  ],
  ['a title that is a list', { ...UPLOAD, title: '={{ [1] }}' }, /title/i],
  [
    'reserved metadata',
    { ...UPLOAD, media: { metadata: '{"failureReason":1}' } },
    'the metadata key "failureReason" is reserved by the service',
    'Choose another key.',
  ],
  [
    'metadata that is not JSON',
    { ...UPLOAD, media: { metadata: '{' } },
    /"Metadata \(JSON\)" isn't valid JSON/,
  ],
  [
    'metadata that is a list',
    { ...UPLOAD, media: { metadata: '[1, 2]' } },
    '"Metadata (JSON)" isn\'t a JSON object',
    'Write it as {"key": "value"}.',
  ],
  ['a creator of 256 characters', { ...UPLOAD, media: { creator: 'x'.repeat(256) } }, /at most 255/],
  ...[1.5, -1].map((duration): Refused => [
    `a duration of ${duration} ms`,
    { ...UPLOAD, media: { duration } },
    /^"Duration in Milliseconds" must be a whole number/,
  ]),
  ['a tag that is a list', { ...UPLOAD, media: { tags: '{"a":[1]}' } }, /tag "a" must be text/],
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
