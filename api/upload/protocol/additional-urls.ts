import { ConfigurationError, wrongSetting } from '../../errors';
import { filledJson, parsedJson } from '../../json';
import { outlineOf, parseJson, unreadable } from '../../answers/read-answer';
import { pathSegment } from '../../service/encoded';
import type { Service } from '../../service/service';
import { parsePresignedUrls } from './start-session';
import type { PartUrl } from '../types';

const OPERATION = 'additional pre-signed URLs';
const FIELD = 'additionalUrls';
const EXAMPLE = 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const;

/** How to request more pre-signed URLs in one deployment. The interface mentions this request but does not show it. */
interface UrlRequestForm {
  readonly method: (typeof METHODS)[number];
  /** A path of the upload address, with placeholders. So our token goes to no other server. */
  readonly path: string;
  /** JSON with placeholders. */
  readonly body?: string;
}

/**
 * Reads the one-line setting: method, path (with `{uploadId}`, and `{partNumber}` or `{partNumbers}`), and an optional
 * JSON body. Examples: `POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}`, `GET
 * /upload/{uploadId}/url/{partNumber}`. `{partNumbers}` becomes an array of one number in the body, and the number in
 * the path. Throws a `ConfigurationError` that says what is wrong.
 */
export function parseUrlRequestForm(setting: string): UrlRequestForm {
  const match = setting.trim().match(/^(\S+)\s+(\S+)(?:\s+(.+))?$/s);
  const [, verb = '', path = '', body] = match ?? [];
  const method = METHODS.find((known) => known === verb.toUpperCase());
  if (method === undefined) throw malformed(`must begin with one of ${METHODS.join(', ')}`);
  if (!path.startsWith('/')) throw malformed('has no path that begins with "/" after the method');
  const text = `${path} ${body ?? ''}`;
  if (!text.includes('{uploadId}')) throw malformed('names no {uploadId}');
  if (!/\{partNumbers?\}/.test(text)) throw malformed('names neither {partNumber} nor {partNumbers}');
  if (body === undefined) return { method, path };
  if (method === 'GET') throw malformed('is a GET with a body');
  if (parsedJson(fillBody(body, { uploadId: 'id', partNumber: 1 })) === undefined)
    throw malformed('has a body that is not JSON once the placeholders are filled in');
  return { method, path, body };
}

function malformed(what: string): ConfigurationError {
  return wrongSetting(FIELD, what, `Write it as ${EXAMPLE}.`);
}

interface UrlRequest {
  readonly uploadId: string;
  readonly partNumber: number;
}

/**
 * Requests a fresh pre-signed URL for a part. Repeatable. Rejects with a `ConfigurationError` if the setting is missing;
 * it says what to ask the operator. Rejects with `UnreadableAnswer` if the answer has no URL for the part. api.md,
 * "Additional pre-signed URLs".
 */
export async function requestUrl(
  service: Service,
  request: UrlRequest,
  signal?: AbortSignal,
): Promise<PartUrl<string>> {
  const { account, options } = service;
  const { partNumber } = request;
  if (options.additionalUrls === undefined)
    throw new ConfigurationError(
      FIELD,
      `part ${partNumber} needs a new pre-signed URL, but the request for additional URLs is not set`,
      `Ask the operator of the service for the method, path and body of the request for additional pre-signed URLs, and set {additionalUrls}, for example ${EXAMPLE}.`,
    );
  const form = parseUrlRequestForm(options.additionalUrls);
  const answer = await service.call({
    operation: OPERATION,
    method: form.method,
    url: `${account.uploadUrl}${fillPath(form.path, request)}`,
    ...(form.body === undefined ? {} : { body: fillBody(form.body, request) }),
    idempotent: true,
    signal,
  });
  const value = parseJson(OPERATION, answer);
  const [url] = parsePresignedUrls(value, {
    operation: OPERATION,
    partNumbers: [partNumber],
    serviceUrl: account.uploadUrl,
    allowPlainHttp: options.allowPlainHttp,
  });
  if (url !== undefined) return url;
  throw unreadable(OPERATION, `expected a URL for part ${partNumber}, got ${outlineOf(value)}`, {
    outcome: 'refused',
    hint: `Check the setting for additional pre-signed URLs; it looks like ${EXAMPLE}.`,
  });
}

function fillPath(path: string, { uploadId, partNumber }: UrlRequest): string {
  return path
    .replaceAll('{uploadId}', pathSegment('uploadId', uploadId))
    .replaceAll(/\{partNumbers?\}/g, String(partNumber));
}

function fillBody(body: string, { uploadId, partNumber }: UrlRequest): string {
  return filledJson(body, { uploadId, partNumber, partNumbers: [partNumber] });
}
