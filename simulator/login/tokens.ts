import { createHmac, randomBytes } from 'node:crypto';

type TokenVerdict = 'fresh' | 'expired' | 'unknown';

interface JudgedToken {
  readonly verdict: TokenVerdict;
  /** The sub-account of the token. Empty for an unknown token. */
  readonly subAccountId: string;
}

/** Issues access tokens and remembers all of them. */
export class TokenRegistry {
  readonly #endsAt = new Map<string, number>();
  readonly #subAccounts = new Map<string, string>();
  readonly #key = randomBytes(32);

  constructor(
    private readonly options: {
      readonly ttlMs: number;
      readonly opaque: boolean;
      readonly now: () => number;
    },
  ) {}

  issue(externalId: string): { accessToken: string; refreshToken: string } {
    const now = this.options.now();
    const endsAt = now + this.options.ttlMs;
    const accessToken = this.options.opaque
      ? randomBytes(32).toString('base64url')
      : this.#jwt(externalId, now, endsAt);
    this.#endsAt.set(accessToken, endsAt);
    this.#subAccounts.set(accessToken, externalId);
    return { accessToken, refreshToken: randomBytes(32).toString('base64url') };
  }

  judge(accessToken: string): JudgedToken {
    const subAccountId = this.#subAccounts.get(accessToken) ?? '';
    const endsAt = this.#endsAt.get(accessToken);
    if (endsAt === undefined) return { verdict: 'unknown', subAccountId };
    return { verdict: this.options.now() < endsAt ? 'fresh' : 'expired', subAccountId };
  }

  expire(accessToken: string): void {
    if (this.#endsAt.has(accessToken)) this.#endsAt.set(accessToken, Number.NEGATIVE_INFINITY);
  }

  /** Makes every issued token expire now. */
  expireAll(): void {
    for (const token of this.#endsAt.keys()) this.expire(token);
  }

  #jwt(externalId: string, now: number, endsAt: number): string {
    const payload = {
      sub: externalId,
      iat: Math.floor(now / 1000),
      exp: Math.floor(endsAt / 1000),
      jti: randomBytes(12).toString('hex'),
    };
    const text = [{ alg: 'HS256', typ: 'JWT' }, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${text}.${createHmac('sha256', this.#key).update(text).digest('base64url')}`;
  }
}

/** The token of an `Authorization: Bearer …` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/.exec(header ?? '')?.[1];
}
