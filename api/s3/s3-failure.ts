import { ConfigurationError, MediaServiceError, TransportError } from '../errors';
import type { ErrorFacts } from '../errors';

/** What was being done when S3 failed. */
export interface S3Deed {
  /** `s3://bucket/key`. */
  readonly address: string;
  readonly bucket: string;
  /** Where S3 is, as people know it. */
  readonly endpoint: string;
  readonly writes?: boolean;
  readonly requesterPays?: boolean;
}

/** A chain that found none says the same whether there are none or their server hiccuped. */
const NO_CREDENTIALS: ReadonlySet<string> = new Set([
  'CredentialsProviderError',
  'ProviderError',
  'TokenProviderError',
]);
/** The library fetches others. */
const EXPIRED_CREDENTIALS: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'TokenRefreshRequired',
  'RequestExpired',
]);
const WRONG_CREDENTIALS: ReadonlySet<string> = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'InvalidToken',
  // As versitygw says that it does not know the access key.
  'XAdminUserNotFound',
]);
const WRONG_REGION: ReadonlySet<string> = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);
/** 409: somebody else is just doing something with the same key. */
const TRY_AGAIN: ReadonlySet<number> = new Set([408, 409, 425, 429]);
/** Of S3 or of what hands out credentials: they come with a 400 and pass all the same. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'RequestThrottled',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'IDPCommunicationError',
]);
/** Waiting may help as well as a change of the settings. */
const PASSES = { permanent: false } as const;

/**
 * An error of ours from whatever the library threw; ours and an abort's reason pass as they are. Only codes, status and request id are taken over: never
 * a message, which may quote what was signed.
 */
export function s3Failure(error: unknown, deed: S3Deed, signal?: AbortSignal): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof MediaServiceError) return error;
  const { code, status, requestId } = s3FactsOf(error);
  const facts: ErrorFacts = {
    operation: 'S3',
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
    details: { s3Code: code },
  };
  const settings = settingFailure(code, deed);
  if (settings !== undefined) return settings;
  if (status === undefined) return unreachable(code, deed, facts);
  if (status >= 500 || TRY_AGAIN.has(status) || PASSING_CODES.has(code)) {
    const message = `S3 at ${deed.endpoint} answered ${status} (${code}) for ${deed.address}`;
    return new MediaServiceError('ServiceFailed', message, { ...facts, outcome: 'ambiguous' });
  }
  return refused({ code, status, deed, facts });
}

function settingFailure(code: string, { address, bucket, endpoint }: S3Deed): MediaServiceError | undefined {
  if (NO_CREDENTIALS.has(code)) {
    return passing(
      's3',
      `no credentials for S3 were found, so ${address} cannot be reached`,
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role, where the worker runs.',
    );
  }
  if (EXPIRED_CREDENTIALS.has(code)) {
    return passing(
      's3',
      `the credentials for S3 at ${endpoint} have expired (${code})`,
      'What runs goes on by itself once the library has fetched others. Those of the environment never change: set others and restart the worker.',
    );
  }
  if (WRONG_CREDENTIALS.has(code)) {
    return new ConfigurationError(
      's3',
      `S3 at ${endpoint} does not accept the credentials (${code})`,
      'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or the profile that AWS_PROFILE names, where the worker runs.',
    );
  }
  if (code === 'RequestTimeTooSkewed') {
    return passing(
      'clock',
      `S3 at ${endpoint} says that this machine’s clock is wrong`,
      'Set this machine’s clock by NTP.',
    );
  }
  if (!WRONG_REGION.has(code)) return undefined;
  return new ConfigurationError(
    's3.region',
    `the bucket ${bucket} lies in another region or behind another endpoint than ${endpoint} (${code})`,
    'Set MEDIA_SERVICE_S3_REGION to the bucket’s region, and MEDIA_SERVICE_S3_ENDPOINT where it is not Amazon’s.',
  );
}

/** A `Configuration` error that is tried again. */
function passing(field: string, message: string, hint: string): MediaServiceError {
  return new MediaServiceError('Configuration', message, { field, outcome: 'unsent', hint, details: PASSES });
}

function unreachable(code: string, { endpoint, address }: S3Deed, facts: ErrorFacts): TransportError {
  return new TransportError(`S3 at ${endpoint} cannot be reached for ${address} (${code})`, {
    ...facts,
    outcome: 'ambiguous',
    hint: 'Check MEDIA_SERVICE_S3_ENDPOINT, MEDIA_SERVICE_S3_REGION and the network between this machine and S3.',
  });
}

interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly deed: S3Deed;
  readonly facts: ErrorFacts;
}

function refused({ code, status, deed, facts }: Refusal): MediaServiceError {
  const { address, bucket, endpoint, writes } = deed;
  const final = { ...facts, outcome: 'refused', ...(writes === true ? {} : { field: 'source' }) } as const;
  if (status === 412) return s3Changed(deed, 'its ETag is another', final);
  const kind = writes === true ? 'OutputFailed' : 'SourceMissing';
  const { says, hint } = whyRefused(code, status, deed);
  const what = says.startsWith('bucket') ? `the bucket ${bucket}` : address;
  return new MediaServiceError(kind, `${what} ${says.replace(/^bucket /, '')} (S3 at ${endpoint})`, {
    ...final,
    hint,
  });
}

/** The object is not the version that was pinned. */
export function s3Changed({ address }: S3Deed, what: string, facts: ErrorFacts = {}): MediaServiceError {
  return new MediaServiceError(
    'SourceChanged',
    `the source ${address} changed since the upload started: ${what}`,
    {
      operation: 'S3',
      field: 'source',
      outcome: 'refused',
      ...facts,
      hint: 'Upload it again once nothing writes to it any more: a mixed file is never completed.',
    },
  );
}

/** The end of the sentence; it is about the bucket where it begins so. */
function whyRefused(
  code: string,
  status: number,
  { writes, requesterPays }: S3Deed,
): { says: string; hint: string } {
  const check = 'Check the name and MEDIA_SERVICE_S3_ENDPOINT.';
  if (code === 'NoSuchBucket' || code === 'InvalidBucketName') {
    return { says: 'bucket does not exist', hint: check };
  }
  if (code === 'NoSuchVersion')
    return { says: 'has no such version', hint: 'Give another version, or none.' };
  if (code === 'InvalidObjectState') {
    return {
      says: 'lies in an archive and has to be restored first',
      hint: 'Restore it in S3, then try again.',
    };
  }
  if (status === 404) return { says: 'does not exist', hint: check };
  if (status === 401 || status === 403) {
    const right = writes === true ? 's3:PutObject' : 's3:GetObject and s3:ListBucket';
    const pays =
      writes === true || requesterPays === true
        ? ''
        : ' Where the reader has to pay, say so: --requester-pays.';
    return {
      says: `may not be ${writes === true ? 'written' : 'read'} with these credentials (${code})`,
      hint: `Give them ${right} on it.${pays}`,
    };
  }
  return {
    says: `was refused: ${code}, status ${status}`,
    hint: 'Look the code up in the documentation of S3.',
  };
}

/** A bucket that the settings keep from this process. */
export function bucketNotAllowed(bucket: string, writes: boolean): MediaServiceError {
  return new MediaServiceError(
    writes ? 'OutputFailed' : 'SourceNotAllowed',
    `the bucket ${bucket} is not among those that this process may use`,
    {
      outcome: 'unsent',
      field: 'source.bucket',
      hint: 'Add it to MEDIA_SERVICE_S3_BUCKETS where the worker runs, or choose another bucket.',
    },
  );
}

/** What is told of an error of the library or of Node, by structure: it may come from another realm. */
export function s3FactsOf(error: unknown): { code: string; status?: number; requestId?: string } {
  const shown = isRecord(error) ? error : {};
  const meta = isRecord(shown['$metadata']) ? shown['$metadata'] : {};
  const status = meta['httpStatusCode'];
  const requestId = meta['requestId'];
  // An answer without a body, as to HEAD, leaves the library with no name for it.
  const name = [shown['Code'], shown['code'], shown['name']].find(
    (text) => typeof text === 'string' && text !== '' && text !== 'Error',
  );
  return {
    code: typeof name === 'string' ? name : 'unknown',
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
