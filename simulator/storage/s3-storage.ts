import type * as S3 from '@aws-sdk/client-s3';
import type * as Presigner from '@aws-sdk/s3-request-presigner';
import type { S3Options } from '../options';
import { IssuedUrls } from './issued-urls';
import { S3_REFUSALS, s3Code, s3Error } from './s3-error';
import { S3Gateway } from './s3-gateway';
import {
  type PartToSign,
  type Storage,
  type StorageAnswer,
  StorageRefusal,
  type StorageRequest,
  type UploadToComplete,
} from './storage';

interface S3StorageOptions extends S3Options {
  /** Origin of the listener in front of the S3 server. URLs are signed for its host and port. */
  readonly origin: string;
  readonly urlTtlMs: number;
  readonly now: () => number;
}

interface Sdk {
  readonly s3: typeof S3;
  readonly presigner: typeof Presigner;
}

const DEFAULT_REGION = 'us-east-1';
const DEFAULT_BUCKET = 'media-service';

/**
 * A real S3 server behind a gateway. Clients see only the gateway's URL, and the server verifies signatures for that
 * URL.
 */
export class S3Storage implements Storage {
  readonly #urls: IssuedUrls;
  readonly #gateway: S3Gateway;

  private constructor(
    readonly bucket: string,
    private readonly options: S3StorageOptions,
    private readonly sdk: Sdk,
    /** Sends requests to the S3 server itself. */
    private readonly client: S3.S3Client,
    /** Signs URLs of the gateway and sends nothing. */
    private readonly signer: S3.S3Client,
  ) {
    this.#urls = new IssuedUrls(options.urlTtlMs);
    this.#gateway = new S3Gateway(options.endpoint);
  }

  static async open(options: S3StorageOptions): Promise<S3Storage> {
    const sdk = await loadSdk();
    const bucket = options.bucket ?? DEFAULT_BUCKET;
    const client = createClient(sdk, options, options.endpoint);
    const storage = new S3Storage(bucket, options, sdk, client, createClient(sdk, options, options.origin));
    try {
      await storage.#makeBucket();
      return storage;
    } catch (error) {
      await storage.close();
      throw error;
    }
  }

  async createUpload(keyName: string): Promise<string> {
    const command = new this.sdk.s3.CreateMultipartUploadCommand({ Bucket: this.bucket, Key: keyName });
    const { UploadId } = await this.client.send(command);
    if (UploadId === undefined) throw new Error('The S3 server gave no upload id.');
    return UploadId;
  }

  async presignPart({ keyName, s3UploadId, partNumber }: PartToSign): Promise<string> {
    const command = new this.sdk.s3.UploadPartCommand({
      Bucket: this.bucket,
      Key: keyName,
      UploadId: s3UploadId,
      PartNumber: partNumber,
    });
    const url = await this.sdk.presigner.getSignedUrl(this.signer, command, {
      expiresIn: this.#urls.lifeSeconds(),
      signingDate: new Date(this.options.now()),
    });
    return this.#urls.note(url);
  }

  expireUrls(): void {
    this.#urls.expire();
  }

  async completeUpload({ keyName, s3UploadId, parts }: UploadToComplete): Promise<void> {
    const command = new this.sdk.s3.CompleteMultipartUploadCommand({
      Bucket: this.bucket,
      Key: keyName,
      UploadId: s3UploadId,
      MultipartUpload: {
        Parts: parts.map(({ partNumber, eTag }) => ({ PartNumber: partNumber, ETag: `"${eTag}"` })),
      },
    });
    await this.#send(() => this.client.send(command));
  }

  fileUrl(keyName: string): string {
    return `${this.options.origin}/${this.bucket}/${keyName}`;
  }

  async receive(request: StorageRequest): Promise<StorageAnswer> {
    if (this.#urls.isEnded(request.target)) return s3Error(S3_REFUSALS.expired());
    const answer = await this.#gateway.forward(request);
    const code = s3Code(answer.text);
    return code === undefined ? answer : { ...answer, code };
  }

  async *readObject(keyName: string): AsyncGenerator<Uint8Array> {
    const command = new this.sdk.s3.GetObjectCommand({ Bucket: this.bucket, Key: keyName });
    const { Body } = await this.#send(() => this.client.send(command));
    if (Body === undefined) return;
    const reader = Body.transformToWebStream().getReader();
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
    } finally {
      await reader.cancel();
    }
  }

  async close(): Promise<void> {
    this.#gateway.close();
    this.client.destroy();
    this.signer.destroy();
  }

  async #makeBucket(): Promise<void> {
    try {
      await this.client.send(new this.sdk.s3.CreateBucketCommand({ Bucket: this.bucket }));
    } catch (error) {
      const exists =
        error instanceof this.sdk.s3.BucketAlreadyOwnedByYou ||
        error instanceof this.sdk.s3.BucketAlreadyExists;
      if (!exists) throw this.#unusable(error);
    }
  }

  #unusable(error: unknown): Error {
    const { code, name } = error as NodeJS.ErrnoException;
    const status =
      error instanceof this.sdk.s3.S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    const says =
      status === undefined
        ? `does not answer (${code ?? name})`
        : `${status < 500 ? `refuses the keys for the bucket ${this.bucket}` : `answered ${status}`} (${name})`;
    return new Error(`The S3 server at ${this.options.endpoint} ${says}.`, { cause: error });
  }

  async #send<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof this.sdk.s3.S3ServiceException)) throw error;
      throw new StorageRefusal(error.$metadata.httpStatusCode ?? 0, error.name, error.message);
    }
  }
}

function createClient({ s3 }: Sdk, options: S3Options, endpoint: string): S3.S3Client {
  return new s3.S3Client({
    endpoint,
    region: options.region ?? DEFAULT_REGION,
    credentials: { accessKeyId: options.accessKey, secretAccessKey: options.secretKey },
    forcePathStyle: true,
    // Otherwise the SDK would sign a CRC32 of an empty body into every URL.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

async function loadSdk(): Promise<Sdk> {
  return {
    s3: await import('@aws-sdk/client-s3'),
    presigner: await import('@aws-sdk/s3-request-presigner'),
  };
}
