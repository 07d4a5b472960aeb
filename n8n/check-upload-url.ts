import { randomUUID } from 'node:crypto';
import { describeError } from './error-words';
import type { Account } from '../api/account';
import { MediaServiceError } from '../api/errors';
import { isOwnAnswer, readStart } from '../api/answers/read-answer';
import { given } from '../api/json';
import type { Transport } from '../api/transport/transport';

const TIMEOUTS = { connectMs: 10_000, headersMs: 10_000, bodyMs: 10_000 };
const MAX_ANSWER_BYTES = 16 * 1024;

/**
 * Asks the upload URL for an upload session that does not exist. Rejects unless the Media Service answers, because the
 * first upload would fail otherwise. An outage is no mistake. api.md, "GET {upload_url}/upload/{uploadId}".
 */
export async function checkUploadUrl(
  { uploadUrl }: Account,
  transport: Transport,
  accessToken: string,
): Promise<void> {
  const { status, headers, body } = await transport
    .send({
      method: 'GET',
      url: `${uploadUrl}/upload/${randomUUID()}`,
      headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
      timeouts: TIMEOUTS,
    })
    .catch((error: unknown) => {
      if (!(error instanceof MediaServiceError)) throw error;
      const what = `The login worked, but the upload URL can't be reached: ${error.message}`;
      throw new MediaServiceError('Configuration', what, given({ hint: describeError(error).description }));
    });
  const isPage = !isOwnAnswer({ headers, text: await readStart(body, MAX_ANSWER_BYTES) });
  if (status === 429 || status >= 500) return;
  const hint = hintFor(status, isPage, uploadUrl);
  if (hint === undefined) return;
  throw new MediaServiceError('Configuration', `The login worked, but the upload URL answered ${status}`, {
    hint,
  });
}

/** For an unknown session, the service returns its own 400 or 404, never a web page or a redirect. */
function hintFor(status: number, isPage: boolean, uploadUrl: string): string | undefined {
  if (status === 401 || status === 403)
    return 'Check that upload URL and base URL belong to the same environment, else ask the operator of the service.';
  if (status >= 300 && status < 400) return 'Check the upload URL: the Media Service does not redirect.';
  if (isPage) return 'Check the upload URL: a web page answered, not the Media Service.';
  // An address may end in this path, so only "not found" makes it wrong.
  if (status !== 404 || !uploadUrl.endsWith('/upload')) return undefined;
  return 'Remove /upload from the end of the upload URL: the node adds it.';
}
