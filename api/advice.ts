import { MediaServiceError } from './errors';
import type { ErrorCode } from './errors';
import { given } from './json';

type Name = string | ((value: string) => string);

/**
 * What one interface (command line, n8n, TypeScript) calls what others call differently. Hints have these names in
 * braces: `Add its folder to {fileRoots}.` A value may follow: `{batchEnd:acme}`. A missing name does not compile.
 */
export type DoorNames = { readonly [N in keyof typeof TYPESCRIPT_NAMES]: Name };

/**
 * The names for callers of this package in TypeScript. The results of batches use them too, because anybody may read
 * them.
 */
export const TYPESCRIPT_NAMES = {
  accounts: 'the file of accounts',
  allowPlainHttp: 'set allowPlainHttp',
  certificates: 'name its certificate in NODE_EXTRA_CA_CERTS',
  secrets: 'the secrets of the worker',
  all: 'use each() without a limit',
  deliveryFields: 'Name it in `fields`.',
  fileRoots: 'the allowed folders',
  outputRoots: 'the output folders of the worker',
  sourceHosts: 'the allowed source hosts',
  spoolDir: 'the spool folder',
  s3Buckets: 'the allowed buckets of the worker',
  s3Credentials: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  s3Endpoint: 'the address of S3',
  s3Region: 'AWS_REGION',
  sourceSecret: 'the source',
  acceptAnyContent: 'set acceptAnyContent',
  turnOffChecksums: 'set verifyMd5 to off',
  again: 'set `again: true`',
  nameFormat: ', or give its format',
  fileType: 'fileType',
  maxParts: 'maxParts',
  concurrency: 'concurrency',
  partContentType: 'partContentType',
  additionalUrls: 'additionalUrls',
  previousSecretKeys: 'previousSecretKeys of the workers',
  waitForSession: 'upload.session()',
  ingestKey: '`ingestKey`',
  ingestTag: 'ingestTag in the options of the service',
  batchId: 'id',
  uploadEnd: 'its result()',
  batchEnd: 'its result()',
  uploadList: 'listUploads()',
  batchList: 'listBatches()',
  temporalTls: 'serverRootCACertificate, serverNameOverride and clientCertPair of `tls`',
  noTls: 'tls: false',
  startWorker: 'Start a worker',
  checkTemporal: 'Check the address of Temporal and the network',
  option: (name: string) => name,
};

/** Hints for errors without one of their own. Null: the user can do nothing about it, or the message says it all. */
const HINTS: Readonly<Record<ErrorCode, string | null>> = {
  Validation: null,
  Configuration: null,
  LoginRefused: 'Check the API key, the secret key and the external id.',
  Unauthorized: 'Check that the account may use this operation.',
  RequestRefused: null,
  RateLimited: 'Send fewer requests at once, or try again later.',
  ServiceFailed: 'Try again later.',
  Transport: 'Check the network between here and the service.',
  UnreadableAnswer: 'Check that the address is that of the Media Service.',
  StartAmbiguous: 'Search media by the ingest tag before you upload again.',
  CompleteAmbiguous: 'Read the session again later.',
  SourceMissing: 'Check the name of the file.',
  SourceUnavailable: 'Try again once the source can be read.',
  SourceChanged: 'Upload it again once nothing writes to it any more.',
  SourceNotAllowed: 'Choose another source.',
  UrlExpired: 'Start the upload again.',
  SignatureMismatch: 'Ask the operator of the service for the Content-Type of parts.',
  StorageRefused: 'Give the operator of the service the error code and the request id.',
  StorageBusy: 'Try again later, or send fewer parts at once.',
  PartStalled: 'Check the network between here and storage.',
  PartCorrupted: 'Upload the file again.',
  SessionGone: 'Upload the file again.',
  ProcessingFailed: 'Check the file, then upload it again.',
  ProcessingTimeout: "Don't upload the file again. Wait for the end of its session with {waitForSession}.",
  WorkerBusy: 'It is retried automatically.',
  Cancelled: null,
  AccountNotServed: 'Start a worker for this account.',
  InputDiffers: 'Use another id, or the input of the first start.',
  NoWorker: '{startWorker}.',
  TemporalUnreachable: '{checkTemporal}.',
  OutputFailed: 'Write to another file or folder.',
  Internal: null,
};

/** An error, or the reason for a wait, as far as advice needs it. */
interface Advised {
  readonly code?: string;
  readonly hint?: string | undefined;
}

const NAME = /\{(\w+)(?::([^{}]*))?\}/g;

/** The hint of an error in neutral words, with names in braces: its own, else that of its code. */
export function hintOf({ code = '', hint }: Advised): string | undefined {
  return hint ?? (Object.hasOwn(HINTS, code) ? (HINTS[code as ErrorCode] ?? undefined) : undefined);
}

/** Says what to do in the words of one interface. */
export function whatToDo(names: DoorNames, advised: Advised): string | undefined {
  return hintOf(advised)?.replace(NAME, (whole: string, name: keyof DoorNames, value?: string) => {
    const shown = Object.hasOwn(names, name) ? names[name] : whole;
    return typeof shown === 'string' ? shown : shown(value ?? '');
  });
}

/** Returns an error, a reason or a warning with its hint in the words of one interface. Undefined stays undefined. */
export function shownAdvice<T extends Advised | undefined>(names: DoorNames, advice: T): T {
  return advice && { ...advice, ...given({ hint: whatToDo(names, { hint: advice.hint }) }) };
}

/** What to do about an error of this package. Undefined for any other error, and if the message says it all. */
export function whatToDoAbout(error: unknown): string | undefined {
  if (!(error instanceof MediaServiceError)) return undefined;
  return whatToDo(TYPESCRIPT_NAMES, { hint: error.facts.hint, code: error.code });
}

/** The hint for readers whose interface is unknown: in files, histories and Temporal's own UI. */
export function adviceText({ hint }: { readonly hint?: string | undefined }): string | undefined {
  return whatToDo(TYPESCRIPT_NAMES, { hint });
}
