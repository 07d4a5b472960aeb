import { randomUUID } from 'node:crypto';
import type { Answer } from '../http/answer';

export class StorageRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** An error in S3's form: XML with a code. */
export function s3Error(refusal: StorageRefusal, headers: Record<string, string> = {}): Answer {
  const { status, code, message } = refusal;
  const requestId = randomUUID();
  const text =
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message><RequestId>${requestId}</RequestId></Error>`;
  return {
    status,
    headers: { ...headers, 'content-type': 'application/xml', 'x-amz-request-id': requestId },
    text,
  };
}

/** S3's code in an XML error, or undefined if there is none. */
export function s3Code(text: string): string | undefined {
  return /<Code>([^<]+)<\/Code>/.exec(text)?.[1];
}

const REFUSALS = {
  accessDenied: [403, 'AccessDenied', 'Access Denied'],
  expired: [403, 'AccessDenied', 'Request has expired'],
  wrongSignature: [403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match yours.'],
  twoSignatures: [400, 'InvalidArgument', 'Only one auth mechanism allowed.'],
  badPartNumber: [400, 'InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive'],
  noSuchUpload: [404, 'NoSuchUpload', 'The specified upload does not exist.'],
  noContentType: [400, 'InvalidRequest', 'Each part is sent with a Content-Type header.'],
  noLength: [411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.'],
  invalidDigest: [400, 'InvalidDigest', 'The Content-MD5 you specified is not valid.'],
  badDigest: [400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.'],
  badChecksum: [400, 'BadDigest', 'The CRC32 you specified did not match the calculated checksum.'],
  invalidPart: [400, 'InvalidPart', 'One or more of the specified parts could not be found.'],
  invalidPartOrder: [400, 'InvalidPartOrder', 'The list of parts was not in ascending order.'],
  tooSmall: [400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size'],
  methodNotAllowed: [405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.'],
} as const;

/** A refusal of storage by its name. */
export function s3Refusal(name: keyof typeof REFUSALS): StorageRefusal {
  const [status, code, text] = REFUSALS[name];
  return new StorageRefusal(status, code, text);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
