import { adviceText, TYPESCRIPT_NAMES, whatToDo } from '../../api/advice';
import type { DoorNames } from '../../api/advice';
import { ERROR_CODES, MediaServiceError } from '../../api/errors';
import { renderError } from '../../cli/errors/render-error';
import { shownError, CLI_NAMES } from '../../cli/errors/what-to-do';
import { describeError, N8N_NAMES } from '../../n8n/error-words';
import { VARIABLES } from '../../settings/variables';
import { applicationFailureOf } from '../../temporal/application-failure';
import { errorOfFailure } from '../../temporal/failure';
import { displayNames } from '../support/display-names';
import { cliFlags } from '../support/cli-flags';
import { textsOfRoom } from '../support/product-source';

const NAMES = Object.keys(TYPESCRIPT_NAMES);
/** What may be a hint: every text of the product that ends a sentence. */
const HINTS = ['api', 'files', 'temporal', 'manifest', 'reports', 'settings', 'gateway', 'cli']
  .flatMap(textsOfRoom)
  .map(({ text }) => text)
  .filter((text) => /[.:}] ?$/.test(text));
/** Placeholders of templates that an account's settings hold. */
const TEMPLATES = ['uploadId', 'partNumber', 'partNumbers', 'parts', 'eTag', 'id'];
/** Sentences, of which the last one may end in a command. */
const SENTENCES = /^(?:[A-Z]\S*|`media-service) [^\n]+[^\s.]\.$/;
const CLI_ONLY = /--[a-z]/;
const N8N_ONLY = /credential "|[Tt]urn (?:on|off) (?:the option )?"|Return All|Upload > |Batch > /;
/** All names of a door, as hints have them. */
const filled = (words: DoorNames): string =>
  whatToDo(words, { hint: NAMES.map((name) => `{${name}:sourceHost}`).join('\n') }) ?? '';

test('hints have each name that doors have words for, and no other', () => {
  const used = HINTS.flatMap((text) =>
    [...text.matchAll(/(?<!\$)\{([a-zA-Z]\w+)(?::\$\{…)?\}/g)].map(([, name]) => name),
  );
  // `check-folders` names the folders of a worker by their settings.
  const known = ['secrets', ...used.filter((name) => !TEMPLATES.includes(name ?? ''))];
  expect([...new Set(known)].sort()).toEqual([...NAMES].sort());
});

describe.each<[string, DoorNames, RegExp]>([
  ['the command line', CLI_NAMES, N8N_ONLY],
  ['n8n', N8N_NAMES, CLI_ONLY],
  ['TypeScript', TYPESCRIPT_NAMES, new RegExp(`${CLI_ONLY.source}|${N8N_ONLY.source}`)],
])('the advice for %s', (_door, words, ofOthers) => {
  test('has a word for each name, and none of another interface', () => {
    const text = filled(words);
    expect(text).not.toMatch(/[{}]|undefined|null/);
    expect(text).not.toMatch(ofOthers);
  });

  test.each(ERROR_CODES)('has a text for the code %s, or says that none is needed', (code) => {
    const text = whatToDo(words, { code });
    if (text !== undefined) expect(text).toMatch(SENTENCES);
  });

  test('puts a hint before what it says of the code, and leaves braces that hold no name', () => {
    expect(whatToDo(words, { code: 'SessionGone', hint: 'Send {"a":1} to /{id}.' })).toBe(
      'Send {"a":1} to /{id}.',
    );
    expect(whatToDo(words, { code: 'SessionGone' })).toBe('Upload the file again.');
    expect(whatToDo(words, { code: 'of-next-year' })).toBeUndefined();
  });
});

test('the advice of an error survives a failure of Temporal and its JSON', () => {
  const hint = 'To upload it as well, {again}.';
  const error = new MediaServiceError('Validation', 'It is wrong.', { hint });
  const { message, ...failure } = applicationFailureOf(error);
  const sent: unknown = JSON.parse(JSON.stringify(failure));
  const read = errorOfFailure(Object.assign(new Error(message), sent, { name: 'ApplicationFailure' }));
  expect(renderError(read, { json: false, debug: false })).toContain('To upload it as well, use --again.');
  expect(describeError(read).description).toBe(
    'To upload it as well, turn on the option "Force New Upload".',
  );
});

test('the results of a batch are shown in neutral words, and by the command line in its own', () => {
  const error = { code: 'PartCorrupted', message: 'part 1: no.', hint: 'Then {turnOffChecksums}.' };
  expect(adviceText(error)).toBe('Then set verifyMd5 to off.');
  expect(shownError(error)).toEqual({ ...error, hint: 'Then use --no-verify.' });
});

describe('what the advice names exists:', () => {
  test('each flag of the command line', () => {
    const flags = [...new Set(filled(CLI_NAMES).match(/--[a-z][a-z-]+/g))];
    expect(flags.length).toBeGreaterThan(10);
    expect(flags.filter((flag) => !cliFlags().has(flag))).toEqual([]);
  });

  test('each field of n8n', () => {
    const labels = [...new Set(filled(N8N_NAMES).match(/(?<=")[A-Z][^"]+(?=")/g))];
    expect(labels.length).toBeGreaterThan(10);
    expect(labels.filter((label) => !displayNames().has(label))).toEqual([]);
  });

  test.each([CLI_NAMES, N8N_NAMES])('each environment variable', (words) => {
    const known = new Set(Object.values(VARIABLES).map(({ name }) => name));
    const names = [...new Set(filled(words).match(/MEDIA_SERVICE_[A-Z0-9_]+/g))];
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
    // The option tables say how each door names an option.
    const texts = textsOfRoom(room).filter(({ at }) => !/^api\/(advice|options\/)/.test(at));
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
