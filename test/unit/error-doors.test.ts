import { describe, expect, test } from '@jest/globals';
import { whatToDo } from '../../api/advice';
import type { DoorWords } from '../../api/advice';
import type { Remedy, RemedyKind } from '../../api/remedies';
import { ERROR_CODES, MediaServiceError } from '../../api/errors';
import { adviceText, TYPESCRIPT_WORDS } from '../../api/typescript-words';
import { CLI_WORDS } from '../../cli/errors/cli-words';
import { renderError } from '../../cli/errors/render-error';
import { shownError } from '../../cli/errors/what-to-do';
import { describeError } from '../../n8n/error-words';
import { N8N_WORDS } from '../../n8n/n8n-words';
import { VARIABLES } from '../../settings/variables';
import { applicationFailureOf } from '../../temporal/application-failure';
import { errorOfFailure } from '../../temporal/failure';
import { displayNames } from '../support/display-names';
import { cliFlags } from '../support/cli-flags';
import { textsOfRoom } from '../support/product-texts';

/** One remedy of each kind, with values that can be found in its text. The type makes it complete. */
const SAMPLES: { readonly [K in RemedyKind]: Remedy<K> } = {
  'fix-variables': { kind: 'fix-variables' },
  'set-account': { kind: 'set-account', accounts: true },
  'fill-in-setting': { kind: 'fill-in-setting' },
  'allow-plain-http': { kind: 'allow-plain-http' },
  'trust-certificate': { kind: 'trust-certificate' },
  'set-secrets': { kind: 'set-secrets', why: 'unset' },
  'read-every-page': { kind: 'read-every-page' },
  'get-everything': { kind: 'get-everything' },
  'name-delivery-field': { kind: 'name-delivery-field', role: 'media' },
  'allow-file': { kind: 'allow-file', rootsSet: true, isAbsolute: true },
  'allow-output': { kind: 'allow-output', rootsSet: true },
  'allow-source-host': { kind: 'allow-source-host', host: 'cdn.example' },
  'allow-bucket': { kind: 'allow-bucket' },
  'give-source-headers': { kind: 'give-source-headers' },
  'set-spool-folder': { kind: 'set-spool-folder', why: 'full' },
  'set-s3-credentials': { kind: 'set-s3-credentials', why: 'missing' },
  'set-s3-address': { kind: 'set-s3-address', what: 'region' },
  'pay-for-requests': { kind: 'pay-for-requests' },
  'accept-any-content': { kind: 'accept-any-content' },
  'choose-file-type': { kind: 'choose-file-type', types: ['MP4', 'MOV'] },
  'lower-max-parts': { kind: 'lower-max-parts', sent: 7 },
  'raise-max-parts': { kind: 'raise-max-parts', maxParts: 3, allowed: 120 },
  'wait-for-session': { kind: 'wait-for-session', uploadId: 'u-1' },
  'set-additional-urls': { kind: 'set-additional-urls', example: 'GET /more' },
  'renew-urls': { kind: 'renew-urls', why: 'expired' },
  'turn-off-checksums': { kind: 'turn-off-checksums' },
  'set-part-content-type': { kind: 'set-part-content-type' },
  'send-fewer-parts': { kind: 'send-fewer-parts' },
  'choose-manifest-format': { kind: 'choose-manifest-format' },
  'check-manifest': { kind: 'check-manifest' },
  'run-worker': { kind: 'run-worker', host: 'edit-1', because: 'the file is there' },
  'start-worker': { kind: 'start-worker', starts: 'The upload starts', isHere: false },
  'ask-worker-again': { kind: 'ask-worker-again' },
  'keep-previous-keys': { kind: 'keep-previous-keys' },
  'shorten-fields': { kind: 'shorten-fields' },
  'upload-new-content': { kind: 'upload-new-content' },
  'upload-under-other-key': { kind: 'upload-under-other-key' },
  'upload-once-more': { kind: 'upload-once-more' },
  'name-an-upload': { kind: 'name-an-upload' },
  'retry-rows-of-batch': { kind: 'retry-rows-of-batch' },
  'see-how-it-ended': { kind: 'see-how-it-ended', noun: 'batch', id: 'batch/acme/harbour' },
  'choose-another-batch': { kind: 'choose-another-batch', running: true, options: ['sourceHost'] },
  'wait-for-batch': { kind: 'wait-for-batch' },
  'check-temporal-tls': { kind: 'check-temporal-tls' },
  'check-temporal-address': { kind: 'check-temporal-address', encrypted: true },
  'change-schedule': { kind: 'change-schedule', id: 'morning' },
  'list-schedules': { kind: 'list-schedules' },
  'allow-webhook-host': { kind: 'allow-webhook-host' },
  'fix-worker-folder': { kind: 'fix-worker-folder', setting: 'spoolDir' },
  'choose-listen-address': { kind: 'choose-listen-address', setting: 'metrics' },
};

const KINDS = Object.values(SAMPLES);
/** Sentences, of which the last one may end in a command. */
const SENTENCES = /^(?:[A-Z]\S*|`media-service) [^\n]+[^\s.]\.$/;
/** What shows in a text whose value is missing. */
const NO_VALUE = /undefined|null|NaN|\[object|\$\{| {2}|\.\./;
/** Values of the samples that every interface shows. */
const VALUES: { readonly [K in RemedyKind]?: readonly string[] } = {
  'allow-source-host': ['cdn.example'],
  'choose-file-type': ['MP4, MOV'],
  'lower-max-parts': ['fewer than 7 parts'],
  'raise-max-parts': ['is 3;', 'up to 120.'],
  'wait-for-session': ['u-1'],
  'set-additional-urls': ['GET /more'],
  'run-worker': ['edit-1', 'because the file is there'],
  'choose-listen-address': ['metrics', '"*'],
};
const CLI_ONLY = /--[a-z]/;
const N8N_ONLY = /credential "|[Tt]urn (?:on|off) (?:the option )?"|Return All|Upload > |Batch > /;

describe.each<[string, DoorWords]>([
  ['the command line', CLI_WORDS],
  ['n8n', N8N_WORDS],
  ['TypeScript', TYPESCRIPT_WORDS],
])('the advice for %s', (_door, words) => {
  test.each(KINDS)('says what to do: $kind', (remedy) => {
    const text = whatToDo(words, { remedy });
    expect(text).toMatch(SENTENCES);
    expect(text).not.toMatch(NO_VALUE);
    for (const value of VALUES[remedy.kind] ?? []) expect(text).toContain(value);
  });

  test.each(ERROR_CODES)('has a remedy for the code %s, or says that none is needed', (code) => {
    const text = words.codes[code];
    if (text !== null) expect(text).toMatch(SENTENCES);
  });

  test('puts a remedy before a hint, and both before what it says of the code', () => {
    const { remedy, hint } = { remedy: SAMPLES['pay-for-requests'], hint: 'Then try again.' };
    const said = whatToDo(words, { remedy });
    expect(whatToDo(words, { code: 'SessionGone', remedy, hint })).toBe(`${said ?? ''} ${hint}`);
    expect(whatToDo(words, { code: 'SessionGone', hint })).toBe(hint);
    expect(whatToDo(words, { code: 'SessionGone' })).toBe('Upload the file again.');
  });

  test('leaves out a remedy that only a newer worker knows', () => {
    const newer: Remedy = Object.assign({}, SAMPLES['pay-for-requests'], { kind: 'of-next-year' });
    expect(whatToDo(words, { remedy: newer, hint: 'Wait.' })).toBe('Wait.');
    expect(whatToDo(words, { remedy: newer, code: 'of-next-year' })).toBeUndefined();
  });
});

describe('the words of one interface never reach another', () => {
  test.each(KINDS)('$kind', (remedy) => {
    const error = new MediaServiceError('Validation', 'It is wrong.', { remedy });
    expect(renderError(error, { json: false, debug: false })).not.toMatch(N8N_ONLY);
    expect(describeError(error).description ?? '').not.toMatch(CLI_ONLY);
    expect(whatToDo(TYPESCRIPT_WORDS, { remedy })).not.toMatch(CLI_ONLY);
    expect(whatToDo(TYPESCRIPT_WORDS, { remedy })).not.toMatch(N8N_ONLY);
  });
});

describe('the advice of an error survives', () => {
  test.each(KINDS)('a failure of Temporal and its JSON: $kind', (remedy) => {
    const error = new MediaServiceError('Validation', 'It is wrong.', { remedy, hint: 'Then try again.' });
    const { message, ...failure } = applicationFailureOf(error);
    const sent: unknown = JSON.parse(JSON.stringify(failure));
    const read = errorOfFailure(Object.assign(new Error(message), sent, { name: 'ApplicationFailure' }));
    expect(renderError(read, { json: false, debug: false })).toBe(
      renderError(error, { json: false, debug: false }),
    );
    expect(describeError(read)).toEqual(describeError(error));
  });

  test('in the results of a batch, which use neutral words, and in the command line that reads them', () => {
    const remedy = SAMPLES['turn-off-checksums'];
    expect(adviceText({ remedy })).toMatch(/set verifyMd5 to off/);
    expect(shownError({ code: 'PartCorrupted', message: 'part 1: no.', remedy })).toEqual({
      code: 'PartCorrupted',
      message: 'part 1: no.',
      hint: expect.stringMatching(/use --no-verify/),
    });
  });
});

describe('what the advice names exists:', () => {
  const textOf = (words: DoorWords): string =>
    KINDS.map((remedy) => whatToDo(words, { remedy }) ?? '').join('\n');

  test('each flag of the command line', () => {
    const flags = [...new Set(textOf(CLI_WORDS).match(/--[a-z][a-z-]+/g))];
    expect(flags.length).toBeGreaterThan(10);
    expect(flags.filter((flag) => !cliFlags().has(flag))).toEqual([]);
  });

  test('each field of n8n', () => {
    const labels = [...new Set(textOf(N8N_WORDS).match(/(?<=")[A-Z][^"]+(?=")/g))];
    expect(labels.length).toBeGreaterThan(10);
    expect(labels.filter((label) => !displayNames().has(label))).toEqual([]);
  });

  test.each([CLI_WORDS, N8N_WORDS])('each environment variable', (words) => {
    const known = new Set(Object.values(VARIABLES).map(({ name }) => name));
    const names = [...new Set(textOf(words).match(/MEDIA_SERVICE_[A-Z0-9_]+/g))];
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

/** Words such as `NODE_MODULES` are not our variables, and statuses of the service have no such prefix. */
const DOORS_WORDS = /(?<![\w-])--[a-z][a-z-]+|\b(?:MEDIA_SERVICE|TEMPORAL|AWS|NODE)_[A-Z]|\bn8n\b/;
/** Names of the package, and Node's own flag for stack traces. */
const NO_DOOR =
  /n8n-nodes-media-service|^--(?:stack-trace-limit|heap-growing-percent|semi-space-growth-factor)=/;

describe.each(['api', 'temporal', 'files', 'manifest', 'reports'])('the folder %s', (room) => {
  test('names no flag, no environment variable and no form in any text', () => {
    const texts = textsOfRoom(room).filter(({ at }) => !at.startsWith('api/typescript-words'));
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter(({ text }) => DOORS_WORDS.test(text) && !NO_DOOR.test(text))).toEqual([]);
  });

  test('names no field of n8n in quotes', () => {
    const labels = [...displayNames()].filter((label) => label.includes(' '));
    const isLabelled = ({ text }: { readonly text: string }): boolean =>
      labels.some((label) => text.includes(`"${label}"`));
    expect(textsOfRoom(room).filter(isLabelled)).toEqual([]);
  });
});
