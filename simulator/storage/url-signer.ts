import { signUrl } from './url-signature';
import type { Dialect, SigningKey } from './url-signature';

export interface PartToSign {
  readonly keyName: string;
  readonly s3UploadId: string;
  readonly partNumber: number;
  /** Headers that are signed too: the PUT must send exactly these. Built-in storage only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters that are signed too. Built-in storage only. */
  readonly query?: Readonly<Record<string, string>>;
  /** Built-in storage only. Default: Amazon's. */
  readonly dialect?: Dialect;
}

interface SignerOptions {
  /** Origin of the listener to which the URLs lead. */
  readonly origin: string;
  readonly bucket: string;
  readonly key: SigningKey;
  readonly lifeMs: number;
  readonly now: () => number;
}

/** Signs the URLs of both storages, and lets them expire early. */
export class UrlSigner {
  #generation = 0;
  #current = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(private readonly options: SignerOptions) {}

  sign({ keyName, s3UploadId, partNumber, headers = {}, ...more }: PartToSign): string {
    const { origin, key, lifeMs, now } = this.options;
    const part = { partNumber: String(partNumber), uploadId: s3UploadId, 'x-id': 'UploadPart' };
    // Otherwise two URLs of a part signed within one second would be the same text, and a new one would have expired
    // with the old one.
    const lifeSeconds = Math.ceil(lifeMs / 1000) + this.#generation;
    const url = signUrl(
      {
        origin,
        path: this.#path(keyName),
        ...more,
        query: { ...more.query, ...part },
        headers,
        now: now(),
        lifeSeconds,
      },
      key,
    );
    this.#current.add(signatureIn(url));
    return url;
  }

  /** Without a query. */
  objectUrl(keyName: string): string {
    return this.options.origin + this.#path(keyName);
  }

  /** Makes every URL signed so far expire. */
  expire(): void {
    for (const signature of this.#current) this.#ended.add(signature);
    this.#current = new Set();
    this.#generation += 1;
  }

  isEnded(target: string): boolean {
    return this.#ended.has(signatureIn(target));
  }

  #path(keyName: string): string {
    return `/${this.options.bucket}/${keyName}`;
  }
}

function signatureIn(url: string): string {
  return /[?&]X-(?:Amz|Goog)-Signature=([0-9a-f]+)/.exec(url)?.[1] ?? '';
}
