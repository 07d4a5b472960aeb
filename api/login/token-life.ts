/**
 * Returns when a JWT expires, in epoch seconds, without verifying it (the service does that). Undefined for any other
 * token.
 */
export function jwtExpiry(token: string): number | undefined {
  const payload = token.split('.')[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return undefined;
    return typeof claims.exp === 'number' && Number.isFinite(claims.exp) ? claims.exp : undefined;
  } catch {
    return undefined;
  }
}

export interface HeldToken {
  readonly token: string;
  /** When we requested it, epoch ms of our clock. */
  readonly bornAt: number;
  /** How long it is valid from then on, ms. Unset if the token does not say it. */
  readonly lifeMs?: number;
}

/** A token with a known end is not used in its last minute. */
const MARGIN_MS = 60_000;
/** How long we trust a token without a known end. */
const TRUST_MS = 5 * 60_000;

/**
 * Returns whether a token can still be sent. A token with a known end must have over a minute left, or half its life if
 * it lives less than two minutes. A token without one must be younger than 5 minutes and than `shortestLifeMs`, the
 * shortest life seen.
 */
export function isFresh(held: HeldToken, now: number, shortestLifeMs = Number.POSITIVE_INFINITY): boolean {
  const age = now - held.bornAt;
  // After somebody set the clock back, ages mean nothing.
  if (age < 0) return false;
  if (held.lifeMs === undefined) return age < Math.min(TRUST_MS, shortestLifeMs);
  return age < held.lifeMs - Math.min(MARGIN_MS, held.lifeMs / 2);
}
