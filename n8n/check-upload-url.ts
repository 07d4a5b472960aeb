import { randomUUID } from 'node:crypto';
import { describeError } from './error-words';
import type { Account } from '../api/account';
import { MediaServiceError, wrongSetting } from '../api/errors';
import { discardBody, isOwnAnswer, readStart } from '../api/answers/read-answer';
import type { HttpRequest, Transport } from '../api/transport/transport';

const TIMEOUTS = { connectMs: 10_000, headersMs: 10_000, bodyMs: 10_000 };
const MAX_ANSWER_BYTES = 16 * 1024;

/** The start of no parts of no media, which the service must refuse with 400. */
const REFUSED_START = '{"amountOfParts":0}';

/**
 * Asks the upload URL for an upload session that does not exist, and, if that is not found at an upload URL equal to the
 * base URL, sends a start that must be refused. Neither changes anything there. Rejects unless the Media Service answers,
 * because the first upload would fail otherwise. api.md, "GET {upload_url}/upload/{uploadId}" and "POST …/upload/start".
 */
export async function checkUploadUrl(
  account: Account,
  transport: Transport,
  accessToken: string,
): Promise<void> {
  const ask = (request: Pick<HttpRequest, 'method' | 'body'>, path: string): ReturnType<Transport['send']> =>
    transport
      .send({
        ...request,
        url: `${account.uploadUrl}/upload/${path}`,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${accessToken}`,
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        timeouts: TIMEOUTS,
      })
      .catch((error: unknown) => {
        throw unreached(error);
      });
  const { status, headers, body } = await ask({ method: 'GET' }, randomUUID());
  const text = await readStart(body, MAX_ANSWER_BYTES);
  const hint = hintFor(status, !isOwnAnswer({ headers, text })) ?? pathHint(status, account.uploadUrl);
  if (hint !== undefined) throw problem(`The login worked, but the upload URL answered ${status}`, hint);
  // "Not found" may mean only that the session is unknown. A start shows whether the operations exist.
  if (!NOT_THERE.includes(status) || account.uploadUrl !== account.baseUrl) return;
  const start = await ask({ method: 'POST', body: REFUSED_START }, 'start');
  await discardBody(start.body);
  if (NOT_THERE.includes(start.status)) throw noUploads(start.status);
}

const NOT_THERE: readonly number[] = [404, 405];

function noUploads(status: number): MediaServiceError {
  return wrongSetting(
    'uploadUrl',
    `has no upload operations: it answered ${status} to POST /upload/start`,
    'It is the same as the base URL. Fill in the address of uploads; the operator of the service knows it.',
  );
}

function hintFor(status: number, isPage: boolean): string | undefined {
  if (status === 401 || status === 403)
    return 'Check that upload URL and base URL belong to the same environment, else ask the operator of the service.';
  if (status === 429 || status >= 500) return 'Uploads fail until that is over: try again later.';
  // For an unknown session, the service returns its own 400 or 404, never a web page or a redirect.
  if (status >= 300 && status < 400) return 'Check the upload URL: the Media Service does not redirect.';
  return isPage ? 'Check the upload URL: a web page answered, not the Media Service.' : undefined;
}

/** An address may end in this path, so only "not found" makes it wrong. */
function pathHint(status: number, uploadUrl: string): string | undefined {
  return status === 404 && uploadUrl.endsWith('/upload')
    ? 'Remove /upload from the end of the upload URL: the node adds it.'
    : undefined;
}

function unreached(error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  return problem(
    `The login worked, but the upload URL can't be reached: ${error.message}`,
    describeError(error).description,
  );
}

function problem(message: string, hint: string | undefined): MediaServiceError {
  return new MediaServiceError('Configuration', message, hint === undefined ? {} : { hint });
}
