/**
 * When a JWT ends, epoch seconds, read without verifying it (that is the service's business). Undefined for any other token.
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
  /** When it was asked for, epoch ms of our clock. */
  readonly bornAt: number;
  /** How long it lives from then on, ms, where the token tells. */
  readonly lifeMs?: number;
}

/** A token whose end is known is not used in its last minute. */
const MARGIN_MS = 60_000;
/** How long a token is trusted that does not tell its end. */
const TRUST_MS = 5 * 60_000;

/**
 * Whether a token can still be sent: its end is known and over a minute away (half its life away, if it lives less than two
 * minutes), or it does not tell its end and is younger than 5 minutes and than `shortestLifeMs`, the shortest life seen.
 */
export function isFresh(held: HeldToken, now: number, shortestLifeMs = Number.POSITIVE_INFINITY): boolean {
  const age = now - held.bornAt;
  // A clock that was set back makes ages meaningless.
  if (age < 0) return false;
  if (held.lifeMs === undefined) return age < Math.min(TRUST_MS, shortestLifeMs);
  return age < held.lifeMs - Math.min(MARGIN_MS, held.lifeMs / 2);
}
