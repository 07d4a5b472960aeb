import { createHmac } from 'node:crypto';

/**
 * The login body: `{"timestamp":"<ISO 8601 with zone>"}` without any whitespace. Exactly this text is signed and sent.
 * api.md, "Authentication".
 */
export function loginBody(timestamp: string): string {
  return JSON.stringify({ timestamp });
}

/** HMAC-SHA256 over the UTF-8 of `body`, in lower-case hexadecimal: the value of `x-authentication-signature`. */
export function signLoginBody(body: string, secretKey: string): string {
  return createHmac('sha256', secretKey).update(body, 'utf8').digest('hex');
}
