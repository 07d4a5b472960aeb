import { MediaServiceError, type ErrorCode } from '../api/errors';

/** The exit codes of the process. One number, one meaning. docs/cli.md shows this table. */
export const EXIT_CODES = {
  OK: { code: 0, meaning: 'done' },
  UNEXPECTED: { code: 1, meaning: 'unexpected error; please report it' },
  USAGE: { code: 2, meaning: 'a flag, an argument or the manifest is wrong; correct it' },
  CONFIGURATION: { code: 3, meaning: 'a setting is missing or wrong, or the service refuses the login' },
  TRY_LATER: {
    code: 4,
    meaning: 'the service, Temporal or a worker is away, busy or not done yet; try again later',
  },
  FAILED: { code: 5, meaning: 'it was tried, and failed or was cancelled' },
  INTERRUPTED: { code: 130, meaning: 'Ctrl-C' },
  TERMINATED: { code: 143, meaning: 'SIGTERM' },
} as const satisfies Record<string, { code: number; meaning: string }>;

type ExitName = keyof typeof EXIT_CODES;

/** Every other error means that something was tried and failed. */
const EXIT_OF_ERROR: Readonly<Partial<Record<ErrorCode, ExitName>>> = {
  Internal: 'UNEXPECTED',
  Validation: 'USAGE',
  InputDiffers: 'USAGE',
  Configuration: 'CONFIGURATION',
  LoginRefused: 'CONFIGURATION',
  Unauthorized: 'CONFIGURATION',
  AccountNotServed: 'CONFIGURATION',
  RateLimited: 'TRY_LATER',
  ServiceFailed: 'TRY_LATER',
  Transport: 'TRY_LATER',
  TemporalUnreachable: 'TRY_LATER',
  NoWorker: 'TRY_LATER',
  WorkerBusy: 'TRY_LATER',
  SourceUnavailable: 'TRY_LATER',
  StorageBusy: 'TRY_LATER',
  ProcessingTimeout: 'TRY_LATER',
};

/** Returns the exit code of any error. An error that is not ours is unexpected. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof MediaServiceError)) return EXIT_CODES.UNEXPECTED.code;
  return EXIT_CODES[EXIT_OF_ERROR[error.code] ?? 'FAILED'].code;
}

/** A failure that the user has already read about. Only the exit code remains to be set. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';
  constructor(readonly exitCode: number) {
    super('Reported already.');
  }
}
