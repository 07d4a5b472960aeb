import { checkAccount } from '../../api/account';
import { errorOfAnswer } from '../../api/answers/answer-error';
import { parseJson, remoteText } from '../../api/answers/read-answer';
import { redact } from '../../api/answers/redact';
import { textAt } from '../../api/json';
import { parsePresignedUrls } from '../../api/upload/protocol/start-session';
import { parseSession } from '../../api/upload/protocol/session';
import { storageErrorOf } from '../../api/upload/part/storage';
import { checkUpload } from '../../api/upload/validate';
import { namesOf } from '../../api/upload/sources/http/http-source';
import { createCsvJoin } from '../../api/webhooks/csv-records';
import { createDeliveryReader } from '../../api/webhooks/delivery-fields';
import { failureLimit } from '../../cli/batch/prepare-batch';
import { bytesOf, keyValue, millisecondsOf } from '../../cli/flags/options';
import { plainJson, plainLine, plainText } from '../../cli/output/plain-text';
import { suggestColumn, tagKeyOf } from '../../manifest/columns';
import { guessSeparator } from '../../manifest/text-records';
import { readJsonRow } from '../../manifest/make-row';
import { sentenceOf } from '../../n8n/error-words';
import { parseLocation } from '../../files/file-location';
import { VARIABLES } from '../../settings/variables';
import { errorOfFailure } from '../../temporal/failure';
import { parseTargets } from '../../temporal/reports/client/parse-targets';
import { sealKeysOf } from '../../temporal/seal';
import { jsonLog } from '../../temporal/worker/json-log';
import { endsInTime, HOSTILE_LENGTH } from '../support/hostile-text';

const bytesOfText = (text: string): Buffer => Buffer.from(text);
const answer = (text: string) => ({ status: 500, headers: { 'content-type': 'application/json' }, text });
const started = (text: string) => parseJson('start', answer(text));
const account = {
  apiKey: 'k',
  secretKey: 's',
  externalId: 'e',
  baseUrl: 'https://a',
  uploadUrl: 'https://b',
};
const SESSION = { operation: 'upload session status', uploadId: 'u' };
const URLS = { operation: 'start', partNumbers: [1], serviceUrl: 'https://a', allowPlainHttp: false };
const SOURCE = { kind: 'http', url: 'https://a/b', label: 'a' } as const;

/**
 * Functions that read text that we did not write by more than one regular expression: each expression of the product is
 * in patterns.test.ts. `json` is the text if it is JSON.
 */
const READERS: Readonly<Record<string, (text: string, json: unknown) => unknown>> = {
  'redact: any text': (text) => redact(text, ['open sesame']),
  'remoteText: a message of the service': (text) => remoteText(text),
  'errorOfAnswer: an error, as JSON, in JSON and in HTML': (text) => [
    errorOfAnswer('search', answer(text)),
    errorOfAnswer('search', answer(JSON.stringify({ message: text }))),
    errorOfAnswer('search', { ...answer(`<html>${text}`), headers: { 'content-type': 'text/html' } }),
  ],
  'parseJson: a body': (text) => parseJson('search', answer(text)),
  'textAt: a field of a record': (text) => textAt({ [text]: text }, ['payload.media.id', text]),
  'delivery reader: a record': (text) => {
    const reader = createDeliveryReader();
    const record = { id: null, sentAt: text, payload: { [text]: text } };
    return [reader.identity(record), reader.sentAt(record), reader.text(record, 'status')];
  },
  'parsePresignedUrls: URLs in an answer': (text) =>
    parsePresignedUrls([text, { presignedUrl: `https://a/${text}`, [text]: 1 }], URLS),
  'parsePresignedUrls: an answer': (text) => parsePresignedUrls(started(text), URLS),
  'parseSession: texts of a session': (text) =>
    parseSession(
      { status: text, fileUrl: text, failureReason: text, x: text, parts: [{ partNumber: 1, eTag: text }] },
      SESSION,
    ),
  'parseSession: a session': (text) => parseSession({ status: 'X', more: started(text) }, SESSION),
  "storageErrorOf: S3's error": (text) =>
    storageErrorOf({
      partNumber: 1,
      url: `https://a/?${text}`,
      status: 403,
      headers: { date: text },
      text: `<Error><Code>${text}</Code><Message>${text}`,
      now: 0,
    }),
  'namesOf: Content-Disposition': (text) =>
    namesOf({ unseal: String }, SOURCE, {
      'content-disposition': `attachment; filename=${text}`,
      'content-type': text,
    }),
  'checkUpload: a request': (text) =>
    checkUpload({
      source: { kind: 'path', path: text },
      media: { title: text, tags: { [text]: text } },
      metadata: { [text]: text },
      ingestKey: text,
      options: {},
    }),
  'checkAccount: an address': (text) => checkAccount({ ...account, baseUrl: `https://a/${text}` }),
  'CSV join: pages of an export': (text) => {
    const join = createCsvJoin();
    return [join.append(join.read(`id,status\n${text}`)), join.append(join.read(`${text}"${text}`))];
  },
  'guessSeparator: the first line of a manifest': (text) => guessSeparator(bytesOfText(text)),
  'suggestColumn: a column': (text) => [suggestColumn(text), suggestColumn(`tags${text}`), tagKeyOf(text)],
  'readJsonRow: a row': (text, json) =>
    readJsonRow(1, { source: text, [text]: 1, metadata: json, fileType: text }, { rowContext: {} }),
  'plainText: any text': (text) => [plainText(text), plainLine(text), plainJson({ text })],
  'flags: a value': (text) =>
    [bytesOf, millisecondsOf, failureLimit, keyValue].map((parse) => settled(() => parse(text))),
  'settings: a variable': (text) =>
    Object.values(VARIABLES).map((variable) => settled(() => variable.parse(text))),
  'describeError: an error': (text) => sentenceOf(new Error(text)),
  'parseLocation: a location': (text) =>
    [`s3://${text}`, `file:${text}`, text].map((location) =>
      settled(() => parseLocation(location, { cwd: '/' })),
    ),
  'errorOfFailure: a history': (text) => errorOfFailure(new Error(text)),
  'parseTargets: targets': (text) =>
    ['mail:', 'https://', 's3://', ''].map((kind) =>
      settled(() => parseTargets([kind + text], { cwd: '/', sealKeys: sealKeysOf('s') })),
    ),
  'worker log: a message': (text) => {
    jsonLog('info', () => undefined).info(text, { text, error: new Error(text) });
  },
};

const PIECES = [
  ...['a', '0', ' ', '\n', '\r\n', '"', '""', ',', ';', '\t', ':', '-', '.', '/', '\\', '%', '&', '?', '@'],
  ...['<', '(', '[', '{', '\0', '\u001b]', '😀', 'a.', '",', '" ', '\\"', 'a://', '%25', '%3A%2F%2F', 'eyJ-'],
  ...['X-Amz-', 'secret', 'aZ9+/', 'filename="', '<title', 'tags.', 'from is ', '{"a":', '[{', 'a=b&'],
];

/** `HOSTILE_LENGTH` characters each. */
const TEXTS = PIECES.map((piece) => piece.repeat(Math.ceil(HOSTILE_LENGTH / piece.length)));

/** JSON nested as deeply as the length allows, and flat JSON. */
const JSONS = [
  '['.repeat(HOSTILE_LENGTH / 2) + ']'.repeat(HOSTILE_LENGTH / 2),
  `${'{"a":'.repeat(HOSTILE_LENGTH / 6)}1${'}'.repeat(HOSTILE_LENGTH / 6)}`,
  `[${'"https://a/b?x-amz-date=1",'.repeat(HOSTILE_LENGTH / 28)}1]`,
];

function settled(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    // A text must not exhaust the stack of this process either.
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

describe('hostile text of 400,000 characters is handled in time, with an answer or an expected error', () => {
  test.each(Object.keys(READERS))('%s', (name) => {
    const read = READERS[name];
    for (const text of [...TEXTS, ...JSONS]) {
      try {
        endsInTime(() => settled(() => read?.(text, jsonOf(text))));
      } catch (error) {
        throw new Error(`at ${JSON.stringify(text.slice(0, 20))} repeated`, { cause: error });
      }
    }
  });
});
