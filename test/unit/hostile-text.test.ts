import { describe, test } from '@jest/globals';
import { accountId, checkAccount } from '../../api/account';
import { errorOfAnswer, requestId } from '../../api/answers/answer-error';
import { isOwnAnswer, parseJson, remoteText } from '../../api/answers/read-answer';
import { redact } from '../../api/answers/redact';
import { textAt } from '../../api/json';
import { parseWhen, readMoment } from '../../api/when';
import { retryAfterMs } from '../../api/retry';
import { parsePresignedUrls } from '../../api/upload/session/presigned-urls';
import { parseSession } from '../../api/upload/session/session';
import { checkETag, storageErrorOf } from '../../api/upload/parts/storage-error';
import { signsContentType, urlEnd } from '../../api/upload/parts/url-life';
import { fileTypeOf } from '../../api/upload/request/file-type';
import { checkUpload } from '../../api/upload/request/upload-validation';
import { parseUrlRequestForm } from '../../api/upload/session/additional-urls';
import { addressKind } from '../../files/sources/allowed-host';
import { namesOf } from '../../api/upload/sources/http/http-source';
import { firstOf, versionOf } from '../../api/upload/sources/http/http-request';
import { contentOf } from '../../api/upload/sources/source-content';
import { fileNameOfUrl, labelOf } from '../../api/upload/sources/source';
import { createCsvJoin } from '../../api/webhooks/csv-records';
import { createDeliveryReader } from '../../api/webhooks/delivery-fields';
import { failureLimit } from '../../cli/batch/prepare-batch';
import { bytesOf, keyValue, millisecondsOf } from '../../cli/flags/option-values';
import { plainJson, plainLine, plainText } from '../../cli/output/plain-text';
import { suggestColumn, tagKeyOf } from '../../manifest/columns';
import { guessSeparator } from '../../manifest/text-records';
import { formatOf } from '../../manifest/format';
import { readJsonRow } from '../../manifest/json-row';
import { csvLine } from '../../manifest/write-manifest';
import { sentenceOf } from '../../n8n/error-words';
import { listField, objectField } from '../../nodes/MediaService/parameters';
import { parseLocation } from '../../files/file-location';
import { VARIABLES } from '../../settings/variables';
import { defaultBatchId } from '../../temporal/batch/client/batch-input';
import { parseCodecKeys } from '../../temporal/codec';
import { errorOfFailure } from '../../temporal/failure';
import { checkMailAddress, parseTargets } from '../../temporal/reports/client/parse-targets';
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

/** Every function that reads text that we did not write. `json` is the text if it is JSON. */
const READERS: Readonly<Record<string, (text: string, json: unknown) => unknown>> = {
  'redact: any text': (text) => redact(text, ['open sesame']),
  'remoteText: a message of the service': (text) => remoteText(text),
  'errorOfAnswer: the body of an error': (text) => errorOfAnswer('search', answer(text)),
  'errorOfAnswer: a page in HTML': (text) =>
    errorOfAnswer('search', { ...answer(`<html>${text}`), headers: { 'content-type': 'text/html' } }),
  'errorOfAnswer: its message': (text) => errorOfAnswer('search', answer(JSON.stringify({ message: text }))),
  'isOwnAnswer: a body': (text) => isOwnAnswer(answer(text)),
  'parseJson: a body': (text) => parseJson('search', answer(text)),
  'requestId: a header': (text) => requestId({ 'x-request-id': text }),
  'retryAfterMs: a header': (text) => retryAfterMs({ 'retry-after': text }, 0),
  'readMoment: a date of the service': (text) => readMoment(text),
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
  'checkETag: a header': (text) => checkETag({ eTag: text, md5: 'a', headers: {} }),
  'urlEnd: a pre-signed URL': (text) => [
    urlEnd(`https://a/?Expires=${text}`),
    signsContentType(`https://a/?${text}`),
  ],
  'versionOf: headers of a source': (text) =>
    versionOf(206, {
      etag: text,
      'last-modified': text,
      'content-range': `bytes 0-0/${text}`,
      'content-length': text,
    }),
  'firstOf: a header': (text) => firstOf(206, { 'content-range': text }),
  'contentOf: first bytes': (text) => contentOf(Buffer.from(text.slice(0, 512))),
  'namesOf: Content-Disposition': (text) =>
    namesOf(SOURCE, 'https://a/b', {
      'content-disposition': `attachment; filename=${text}`,
      'content-type': text,
    }),
  'labelOf: an address': (text) => [
    labelOf(`https://a/${text}`),
    fileNameOfUrl(`https://a/${text}`),
    labelOf(text),
  ],
  'addressKind: an address': (text) => addressKind(text),
  'fileTypeOf: a file name': (text) => fileTypeOf({ fileName: text, mimeType: text, fileType: text }),
  'checkUpload: a request': (text) =>
    checkUpload({
      source: { kind: 'path', path: text },
      media: { title: text, tags: { [text]: text } },
      metadata: { [text]: text },
      ingestKey: text,
      options: {},
    }),
  'parseUrlRequestForm: a setting': (text) => parseUrlRequestForm(text),
  'accountId: an external id': (text) => accountId({ ...account, externalId: text }),
  'checkAccount: an address': (text) => checkAccount({ ...account, baseUrl: `https://a/${text}` }),
  'parseWhen: a date of a person': (text) => parseWhen(text, { now: 0 }),
  'CSV join: pages of an export': (text) => {
    const join = createCsvJoin();
    return [join.append(join.read(`id,status\n${text}`)), join.append(join.read(`${text}"${text}`))];
  },
  'guessSeparator: the first line of a manifest': (text) => guessSeparator(bytesOfText(text)),
  'suggestColumn: a column': (text) => [suggestColumn(text), suggestColumn(`tags${text}`), tagKeyOf(text)],
  'readJsonRow: a row': (text, json) =>
    readJsonRow(1, { source: text, [text]: 1, metadata: json, fileType: text }, { rowContext: {} }),
  'formatOf: a file name': (text) => settled(() => formatOf(text)),
  'csvLine: a cell': (text) => csvLine([text, text]),
  'plainText: any text': (text) => [plainText(text), plainLine(text), plainJson({ text })],
  'flags: a value': (text) =>
    [bytesOf, millisecondsOf, failureLimit, keyValue].map((parse) => settled(() => parse(text))),
  'settings: a variable': (text) =>
    Object.values(VARIABLES).map((variable) => settled(() => variable.parse(text))),
  'describeError: an error': (text) => sentenceOf(new Error(text)),
  'listField: a parameter': (text) => listField(text, 'Ids'),
  'objectField: a parameter': (text) => objectField(text, 'Metadata'),
  'parseLocation: a location': (text) =>
    [`s3://${text}`, `file:${text}`, text].map((location) =>
      settled(() => parseLocation(location, { cwd: '/' })),
    ),
  'defaultBatchId: a file name': (text) => defaultBatchId(text, text),
  'parseCodecKeys: a setting': (text) => parseCodecKeys(text),
  'errorOfFailure: a history': (text) => errorOfFailure(new Error(text)),
  'checkMailAddress: a target': (text) => checkMailAddress(text, 'to'),
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
