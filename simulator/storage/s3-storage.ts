import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Pool } from 'undici';
import type { S3Options } from '../options';
import { StorageRefusal } from './s3-error';
import { forward } from './s3-gateway';
import type { Storage, UploadToComplete } from './storage';
import type { Answer } from '../http/answer';
import type { UrlSigner } from './url-signature';

interface S3StorageOptions extends Required<S3Options> {
  /** For the host of the listener in front of the S3 server. */
  readonly urls: UrlSigner;
}

/**
 * A real S3 server behind a gateway. Clients see only the gateway's URL, and the server verifies signatures for that
 * URL.
 */
export class S3Storage implements Storage {
  readonly urls: UrlSigner;
  readonly #server: Pool;
  readonly #client: S3Client;

  private constructor(private readonly options: S3StorageOptions) {
    const { urls, endpoint, region, accessKey, secretKey } = options;
    this.urls = urls;
    // A part may be held for any time.
    this.#server = new Pool(endpoint, { headersTimeout: 0, bodyTimeout: 0 });
    this.#client = new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  static async open(options: S3StorageOptions): Promise<S3Storage> {
    const storage = new S3Storage(options);
    try {
      await storage.#makeBucket();
      return storage;
    } catch (error) {
      await storage.close();
      throw error;
    }
  }

  async createUpload(keyName: string): Promise<string> {
    const command = new CreateMultipartUploadCommand({ Bucket: this.urls.bucket, Key: keyName });
    const { UploadId } = await this.#client.send(command);
    if (UploadId === undefined) throw new Error('The S3 server gave no upload id.');
    return UploadId;
  }

  async completeUpload({ keyName, s3UploadId, parts }: UploadToComplete): Promise<void> {
    const command = new CompleteMultipartUploadCommand({
      Bucket: this.urls.bucket,
      Key: keyName,
      UploadId: s3UploadId,
      MultipartUpload: {
        Parts: parts.map(({ partNumber, eTag }) => ({ PartNumber: partNumber, ETag: `"${eTag}"` })),
      },
    });
    await this.#send(() => this.#client.send(command));
  }

  receive(request: IncomingMessage, body: AsyncIterable<Buffer>): Promise<Answer> {
    return forward(this.#server, request, body);
  }

  async *readObject(keyName: string): AsyncGenerator<Uint8Array> {
    const command = new GetObjectCommand({ Bucket: this.urls.bucket, Key: keyName });
    const { Body } = await this.#send(() => this.#client.send(command));
    if (Body === undefined) return;
    yield* Body as Readable;
  }

  async close(): Promise<void> {
    await this.#server.destroy();
    this.#client.destroy();
  }

  async #makeBucket(): Promise<void> {
    try {
      await this.#client.send(new CreateBucketCommand({ Bucket: this.urls.bucket }));
    } catch (error) {
      const exists = error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists;
      if (exists) return;
      const { code, name } = error as NodeJS.ErrnoException;
      const why = `${code ?? name}, bucket ${this.urls.bucket}`;
      throw new Error(`The S3 server at ${this.options.endpoint} can't be used: ${why}.`, { cause: error });
    }
  }

  async #send<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof S3ServiceException)) throw error;
      throw new StorageRefusal(error.$metadata.httpStatusCode ?? 0, error.name, error.message);
    }
  }
}
