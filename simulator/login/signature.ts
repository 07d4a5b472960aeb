import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether the signature is the HMAC-SHA256, in hexadecimal, of the text (api.md, Authentication 2). */
export function isSigned(
  text: string,
  signature: { readonly text: string; readonly anyCase: boolean },
  secretKey: string,
): boolean {
  const form = signature.anyCase ? /^[0-9a-f]{64}$/i : /^[0-9a-f]{64}$/;
  const expected = createHmac('sha256', secretKey).update(text, 'utf8').digest();
  return form.test(signature.text) && timingSafeEqual(Buffer.from(signature.text, 'hex'), expected);
}
