import { MediaServiceError, type ErrorCode } from '../api/errors';

/** The exit codes of the process. One number, one meaning. docs/cli.md shows this table. */
export const EXIT_CODES = {
  OK: { code: 0, meaning: 'done' },
  UNEXPECTED: { code: 1, meaning: 'unexpected error; please report it' },
  USAGE: { code: 2, meaning: 'a flag, an argument or a field of the request is wrong; nothing was sent' },
  CONFIGURATION: { code: 3, meaning: 'a setting is missing, malformed or contradictory' },
  NOT_AUTHORIZED: { code: 4, meaning: 'the service refused login or token' },
  SERVICE: {
    code: 5,
    meaning: "the service or Temporal refused the request, the service failed, or its response can't be read",
  },
  NETWORK: { code: 6, meaning: 'no response: DNS, connection, TLS, reset or timeout' },
  TEMPORAL: { code: 7, meaning: "Temporal can't be reached" },
  NO_WORKER: { code: 8, meaning: 'no worker is running, and --require-worker was given' },
  SOURCE: { code: 9, meaning: "the file or URL is missing, changed, not allowed, or can't be read for now" },
  UPLOAD_FAILED: { code: 10, meaning: 'the upload failed' },
  STILL_PROCESSING: { code: 11, meaning: 'the service is still processing the upload; not failed' },
  CANCELLED: { code: 12, meaning: 'the upload or batch was cancelled' },
  UPLOAD_DIFFERS: {
    code: 13,
    meaning: 'an upload, batch or schedule of this id exists with other input, or needs a newer worker',
  },
  CHECK_FAILED: { code: 14, meaning: '`doctor` or `batch check` found something to fix' },
  OUTPUT: {
    code: 15,
    meaning: "stdout or the output file can't be written; an output file that can't be created is 2",
  },
  ROWS_FAILED: { code: 16, meaning: 'the batch has ended, and some of its rows failed or were cancelled' },
  INTERRUPTED: { code: 130, meaning: 'Ctrl-C or SIGTERM' },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type ExitName = keyof typeof EXIT_CODES;

const EXIT_OF_ERROR: Readonly<Record<ErrorCode, ExitName>> = {
  Validation: 'USAGE',
  Configuration: 'CONFIGURATION',
  LoginRefused: 'NOT_AUTHORIZED',
  Unauthorized: 'NOT_AUTHORIZED',
  RequestRefused: 'SERVICE',
  RateLimited: 'SERVICE',
  ServiceFailed: 'SERVICE',
  Transport: 'NETWORK',
  UnreadableAnswer: 'SERVICE',
  StartAmbiguous: 'UPLOAD_FAILED',
  CompleteAmbiguous: 'UPLOAD_FAILED',
  SourceMissing: 'SOURCE',
  SourceUnavailable: 'SOURCE',
  SourceChanged: 'SOURCE',
  SourceNotAllowed: 'SOURCE',
  UrlExpired: 'UPLOAD_FAILED',
  SignatureMismatch: 'UPLOAD_FAILED',
  StorageRefused: 'UPLOAD_FAILED',
  StorageBusy: 'UPLOAD_FAILED',
  PartStalled: 'UPLOAD_FAILED',
  PartCorrupted: 'UPLOAD_FAILED',
  SessionGone: 'UPLOAD_FAILED',
  ProcessingFailed: 'UPLOAD_FAILED',
  ProcessingTimeout: 'STILL_PROCESSING',
  WorkerBusy: 'UPLOAD_FAILED',
  Cancelled: 'CANCELLED',
  AccountNotServed: 'UPLOAD_DIFFERS',
  InputTooNew: 'UPLOAD_DIFFERS',
  InputDiffers: 'UPLOAD_DIFFERS',
  NoWorker: 'NO_WORKER',
  TemporalUnreachable: 'TEMPORAL',
  OutputFailed: 'OUTPUT',
  Internal: 'UNEXPECTED',
};

/** Returns the exit code of any error. An error that is not ours is unexpected. */
export function exitCodeOf(error: unknown): number {
  return EXIT_CODES[error instanceof MediaServiceError ? EXIT_OF_ERROR[error.code] : 'UNEXPECTED'].code;
}

/** A failure that the user has already read about. Only the exit code remains to be set. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';
  constructor(readonly exitCode: number) {
    super('Reported already.');
  }
}
