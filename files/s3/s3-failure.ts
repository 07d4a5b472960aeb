import { MediaServiceError, TransportError } from '../../api/errors';
import type { ErrorFacts } from '../../api/errors';
import { given, isRecord } from '../../api/json';
import { isTemporaryStatus } from '../../api/retry';
import { isCertificateCode, issuedBy, TRUST_CERTIFICATE } from '../../api/transport/undici-failure';

/** The operation that was running when S3 failed. */
export interface S3Operation {
  /** `s3://bucket/key`. */
  readonly address: string;
  readonly bucket: string;
  /** The address of S3 in a form that people know. */
  readonly endpoint: string;
  readonly writes?: boolean;
}

/** Codes of S3 and of its library that mean a setting. `waits`: time may help as well as a change of the settings. */
const SETTINGS: readonly {
  readonly codes: readonly string[];
  readonly field: string;
  readonly waits?: true;
  readonly says: (operation: S3Operation) => string;
  readonly hint: string;
}[] = [
  {
    // The chain gives the same error if there are no credentials and if their server failed briefly.
    codes: ['CredentialsProviderError', 'ProviderError', 'TokenProviderError'],
    field: 's3',
    waits: true,
    says: ({ address }) => `no credentials for S3 were found, so ${address} can't be reached`,
    hint: 'Give the worker credentials for S3 ({s3Credentials}), or its machine a role.',
  },
  {
    codes: ['ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired', 'RequestExpired'],
    field: 's3',
    waits: true,
    says: ({ endpoint }) => `the credentials for S3 at ${endpoint} have expired`,
    hint: 'Uploads continue by themselves once the library has fetched new ones. Credentials from environment variables never change: set new ones and restart the worker.',
  },
  {
    // The last one is versitygw's code for an unknown access key.
    codes: ['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'XAdminUserNotFound'],
    field: 's3',
    says: ({ endpoint }) => `S3 at ${endpoint} does not accept the credentials`,
    hint: "Check the worker's credentials for S3 ({s3Credentials}).",
  },
  {
    codes: ['RequestTimeTooSkewed'],
    field: 'clock',
    waits: true,
    says: ({ endpoint }) => `S3 at ${endpoint} says that this machine's clock is wrong`,
    hint: "Set this machine's clock by NTP.",
  },
  {
    codes: ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'],
    field: 's3.region',
    says: ({ bucket, endpoint }) =>
      `the bucket ${bucket} is in another region or at another endpoint than ${endpoint}`,
    hint: "Set {s3Region} to the bucket's region, and {s3Endpoint} if it is not Amazon's.",
  },
];
/** Temporary errors of S3 or of the server that issues credentials, although they come with a 400. */
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
/**
 * Converts whatever the library threw to an error of ours. Our own errors and an abort's reason pass unchanged. It
 * copies only codes, status and request id, never a message: that may quote signed text.
 */
export function s3Failure(error: unknown, operation: S3Operation, signal?: AbortSignal): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof MediaServiceError) return error;
  const { code, status, requestId } = s3FactsOf(error);
  const facts: ErrorFacts = {
    operation: 'S3',
    ...given({ status, requestId }),
    details: { s3Code: code },
  };
  const setting = SETTINGS.find(({ codes }) => codes.includes(code));
  if (setting !== undefined) {
    const { field, says, hint, waits } = setting;
    const details = waits === undefined ? {} : { details: { permanent: false } };
    const more: ErrorFacts = { field, outcome: 'unsent', hint, ...details };
    return new MediaServiceError('Configuration', `${says(operation)} (${code})`, more);
  }
  if (status === undefined) return unreachable(error, operation, facts);
  // 409: somebody else is changing the same key at this moment.
  if (isTemporaryStatus(status) || status === 409 || PASSING_CODES.has(code)) {
    const message = `S3 at ${operation.endpoint} answered ${status} (${code}) for ${operation.address}`;
    return new MediaServiceError('ServiceFailed', message, { ...facts, outcome: 'ambiguous' });
  }
  return refused(code, operation, { ...facts, status });
}

function unreachable(error: unknown, { address, endpoint }: S3Operation, facts: ErrorFacts): TransportError {
  const { code } = s3FactsOf(error);
  const certificate = isCertificateCode(code);
  const why = certificate ? `: its certificate${issuedBy(error)} is not trusted` : '';
  return new TransportError(`S3 at ${endpoint} can't be reached for ${address}${why} (${code})`, {
    ...facts,
    ...(certificate
      ? { hint: TRUST_CERTIFICATE, details: { ...facts.details, permanent: true } }
      : { hint: 'Check {s3Endpoint}, {s3Region} and the network between this machine and S3.' }),
    outcome: certificate ? 'unsent' : 'ambiguous',
  });
}

function refused(
  code: string,
  operation: S3Operation,
  facts: ErrorFacts & { readonly status: number },
): MediaServiceError {
  const { address, bucket, endpoint, writes = false } = operation;
  const { says, ofBucket = false, hint } = whyRefused(code, facts.status, operation);
  const message = `${ofBucket ? `the bucket ${bucket}` : address} ${says} (S3 at ${endpoint})`;
  const all: ErrorFacts = { ...facts, hint, outcome: 'refused' };
  return writes
    ? new MediaServiceError('OutputFailed', message, all)
    : new MediaServiceError('SourceMissing', message, { ...all, field: 'source' });
}

/** The end of the sentence. `ofBucket`: it is about the bucket, not the object. */
function whyRefused(
  code: string,
  status: number,
  { writes }: S3Operation,
): { says: string; ofBucket?: boolean; hint: string } {
  const hint = 'Check the names of bucket and object, and {s3Endpoint}.';
  if (code === 'NoSuchBucket' || code === 'InvalidBucketName') {
    return { says: 'does not exist', ofBucket: true, hint };
  }
  if (code === 'NoSuchVersion')
    return { says: 'has no such version', hint: 'Give another version, or none.' };
  if (code === 'InvalidObjectState') {
    return {
      says: 'is in an archive and must be restored first',
      hint: 'Restore it in S3, then try again.',
    };
  }
  if (status === 404) return { says: 'does not exist', hint };
  if (status === 401 || status === 403) {
    const right = writes === true ? 's3:PutObject' : 's3:GetObject and s3:ListBucket';
    return {
      says: `may not be ${writes === true ? 'written' : 'read'} with these credentials (${code})`,
      hint: `Give them ${right} on it.`,
    };
  }
  return {
    says: `was refused: ${code}, status ${status}`,
    hint: 'Look the code up in the documentation of S3.',
  };
}

/** Makes the error for a bucket that the settings don't allow. */
export function bucketNotAllowed(bucket: string, writes: boolean): MediaServiceError {
  return new MediaServiceError(
    writes ? 'OutputFailed' : 'SourceNotAllowed',
    `the bucket ${bucket} is not among those that this process may use`,
    {
      outcome: 'unsent',
      field: 'source.bucket',
      hint: 'Add it to {s3Buckets}, or choose another bucket.',
    },
  );
}

/**
 * Reads facts from an error of the library or of Node. It checks the structure, because the error may come from another
 * realm.
 */
export function s3FactsOf(error: unknown): { code: string; status?: number; requestId?: string } {
  const shown = isRecord(error) ? error : {};
  const meta = isRecord(shown['$metadata']) ? shown['$metadata'] : {};
  const status = meta['httpStatusCode'];
  const requestId = meta['requestId'];
  // The library has no name for an answer without a body, such as that to a HEAD.
  const name = [shown['Code'], shown['code'], shown['name']].find(
    (text) => typeof text === 'string' && text !== '' && text !== 'Error',
  );
  return {
    code: typeof name === 'string' ? name : 'unknown',
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  };
}
