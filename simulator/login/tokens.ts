import { randomBytes } from 'node:crypto';

/** "Token lifetime value: not shown" (api.md). */
export const TOKEN_LIFE_MS = 30 * 60_000;

/** Issues access tokens, random texts, and remembers all of them. */
export class TokenRegistry {
  readonly #issued = new Map<string, { readonly subAccountId: string; endsAt: number }>();

  constructor(private readonly now: () => number) {}

  issue(subAccountId: string): { accessToken: string; refreshToken: string } {
    const [accessToken = '', refreshToken = ''] = [32, 32].map((bytes) =>
      randomBytes(bytes).toString('base64url'),
    );
    this.#issued.set(accessToken, { subAccountId, endsAt: this.now() + TOKEN_LIFE_MS });
    return { accessToken, refreshToken };
  }

  /** Undefined for an unknown token. */
  judge(accessToken: string): { subAccountId: string; hasExpired: boolean } | undefined {
    const token = this.#issued.get(accessToken);
    return token && { subAccountId: token.subAccountId, hasExpired: this.now() >= token.endsAt };
  }

  expire(accessToken: string): void {
    const token = this.#issued.get(accessToken);
    if (token !== undefined) token.endsAt = Number.NEGATIVE_INFINITY;
  }

  /** Makes every issued token expire now. */
  expireAll(): void {
    for (const accessToken of this.#issued.keys()) this.expire(accessToken);
  }
}

/** The token of an `Authorization: Bearer …` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/.exec(header ?? '')?.[1];
}
