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
  readonly now: () => number;
}

/** How long a URL lives. */
const LIFE_SECONDS = 60 * 60;

/** Signs the URLs of both storages. */
export class UrlSigner {
  readonly bucket: string;

  constructor(private readonly options: SignerOptions) {
    this.bucket = options.bucket;
  }

  sign({ keyName, s3UploadId, partNumber, headers = {}, ...more }: PartToSign): string {
    const { origin, key, now } = this.options;
    const part = { partNumber: String(partNumber), uploadId: s3UploadId, 'x-id': 'UploadPart' };
    return signUrl(
      {
        origin,
        path: this.#path(keyName),
        ...more,
        query: { ...more.query, ...part },
        headers,
        now: now(),
        lifeSeconds: LIFE_SECONDS,
      },
      key,
    );
  }

  /** Without a query. */
  objectUrl(keyName: string): string {
    return this.options.origin + this.#path(keyName);
  }

  #path(keyName: string): string {
    return `/${this.bucket}/${keyName}`;
  }
}
