import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether the signature is the HMAC-SHA256, in hexadecimal, of the body without whitespace (api.md, Authentication 2).
 * The body is an object with the one member timestamp, so its compact text is known from the timestamp alone.
 */
export function isSigned(timestamp: string, signature: string, secretKey: string): boolean {
  const expected = createHmac('sha256', secretKey).update(JSON.stringify({ timestamp }), 'utf8').digest();
  return /^[0-9a-f]{64}$/i.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), expected);
}
