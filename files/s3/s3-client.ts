import { Readable } from 'node:stream';
import type * as ClientModule from '@aws-sdk/client-s3';
import { given } from '../../api/json';
import { agentsFor, forwardPlainHttp } from './s3-library';
import { TransportError } from '../../api/errors';
import { bucketNotAllowed, s3FactsOf, s3Failure } from './s3-failure';
import type { S3Operation } from './s3-failure';
import { s3Address, sourceRefused, versionChanged } from '../../api/upload/sources/source';
import { rangeDifference, s3FactsIn } from './s3-objects';
import type { S3Entry, S3Facts, S3Object, S3Reading, S3Settings, S3Writing } from './s3-objects';

/** A dead endpoint is reported within seconds. */
const CONNECT_MS = 3_000;
const SILENT_MS = 60_000;
/** Time limit for the answer to a request without content. */
const ANSWER_MS = 10_000;
/** Tries of one request by the library itself. Callers have their own retries. */
const TRIES = 2;
const SOCKETS = 256;
const DEFAULT_REGION = 'us-east-1';
/** S3's maximum of 10,000 parts holds 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
const PRECONDITION_FAILED = 412;
const nothing = (): void => undefined;
/** The library's warnings would mix with output for machines. */
const SILENT_LOG = { debug: nothing, info: nothing, warn: nothing, error: nothing };

interface Loaded {
  readonly sdk: typeof ClientModule;
  readonly client: ClientModule.S3Client;
}

/**
 * Gives this process access to S3. Credentials come from the library's default chain (environment, profile, SSO, web
 * identity, container, machine). The library is loaded with the first request.
 */
export function createS3(settings: S3Settings = {}): S3Objects {
  return new S3Client(settings);
}

export type S3Objects = Pick<S3Client, keyof S3Client>;

/**
 * What this project does with S3. Everything rejects with a `MediaServiceError` that names bucket, key and endpoint:
 * `Configuration` (library, credentials, region; with the fact `permanent: false` if waiting may help),
 * `SourceMissing`, `SourceNotAllowed`, `OutputFailed` for a write, or `Transport` and `ServiceFailed` for temporary
 * failures.
 */
class S3Client {
  private loading: Promise<Loaded> | undefined;

  constructor(private readonly settings: S3Settings) {}

  /**
   * Requests the first byte instead of a HEAD: then a refusal has a body that says why, and an archived object shows at
   * once.
   */
  async facts(object: S3Object, signal?: AbortSignal): Promise<S3Facts> {
    const { sdk, client, operation } = await this.for(object);
    const command = new sdk.GetObjectCommand({ ...inputOf(object), Range: 'bytes=0-0' });
    try {
      const answer = await client.send(command, soon(signal));
      streamOf(answer.Body).destroy();
      return s3FactsIn(answer);
    } catch (error) {
      // An object without bytes has no first byte.
      if (s3FactsOf(error).status === 416) return s3FactsIn({ ContentLength: 0 });
      throw s3Failure(error, operation, signal);
    }
  }

  async *read(object: S3Object, { range, fingerprint, signal }: S3Reading = {}): AsyncGenerator<Uint8Array> {
    const { sdk, client, operation } = await this.for(object);
    const command = new sdk.GetObjectCommand({
      ...inputOf(object),
      ...(range === undefined ? {} : { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` }),
    });
    let expected: number | undefined;
    let read = 0;
    try {
      const answer = await client.send(command, given({ abortSignal: signal }));
      const body = streamOf(answer.Body);
      try {
        requireRead(operation, answer, given({ fingerprint, range }));
        expected = range?.length ?? answer.ContentLength;
        for await (const chunk of body) {
          if (!(chunk instanceof Uint8Array)) throw new TypeError('S3 answered no bytes.');
          read += chunk.byteLength;
          yield chunk;
        }
      } finally {
        body.destroy();
      }
      signal?.throwIfAborted();
    } catch (error) {
      throw s3Failure(error, operation, signal);
    }
    if (expected === undefined || read === expected) return;
    throw new TransportError(`${operation.address} ended after ${read} of ${expected} bytes`, {
      operation: 'S3',
      outcome: 'ambiguous',
    });
  }

  /**
   * The object appears whole or not at all. A large one is sent in several parts. It needs some MB of memory, whatever
   * the size.
   */
  async write(
    object: S3Object,
    content: AsyncIterable<Uint8Array>,
    { contentType, onlyNew = false }: S3Writing = {},
  ): Promise<void> {
    const { client, operation } = await this.for(object, true);
    const { Upload } = await import('@aws-sdk/lib-storage');
    let broken: { readonly error: unknown } | undefined;
    const watched = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield* content;
      } catch (error) {
        // Not a failure of S3; the caller knows this error.
        broken = { error };
        throw error;
      }
    };
    const upload = new Upload({
      client,
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
      params: {
        Bucket: object.bucket,
        Key: object.key,
        Body: Readable.from(watched(), { objectMode: false }),
        ...given({ ContentType: contentType, IfNoneMatch: onlyNew ? '*' : undefined }),
      },
    });
    try {
      await upload.done();
    } catch (error) {
      if (onlyNew && s3FactsOf(error).status === PRECONDITION_FAILED) return;
      throw broken === undefined ? s3Failure(error, operation) : broken.error;
    }
  }

  /** Lists everything below a prefix, sorted by the bytes of the key, page by page. */
  async *list(bucket: string, prefix: string, signal?: AbortSignal): AsyncGenerator<S3Entry> {
    const { sdk, client, operation } = await this.for({ bucket, key: prefix });
    let next: string | undefined;
    do {
      const command = new sdk.ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ...given({ ContinuationToken: next }),
      });
      const page = await client.send(command, soon(signal)).catch((error: unknown) => {
        throw s3Failure(error, operation, signal);
      });
      for (const { Key, Size, LastModified } of page.Contents ?? [])
        if (Key !== undefined) yield { key: Key, bytes: Size ?? 0, writtenAt: LastModified?.getTime() ?? 0 };
      next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (next !== undefined);
  }

  /** A missing object counts as deleted. */
  async delete(object: S3Object, signal?: AbortSignal): Promise<void> {
    const { sdk, client, operation } = await this.for(object, true);
    const command = new sdk.DeleteObjectCommand({ Bucket: object.bucket, Key: object.key });
    try {
      await client.send(command, soon(signal));
    } catch (error) {
      if (s3FactsOf(error).code !== 'NoSuchKey') throw s3Failure(error, operation, signal);
    }
  }

  /** Closes its connections. */
  close(): void {
    void this.loading?.then(
      ({ client }) => client.destroy(),
      () => undefined,
    );
    this.loading = undefined;
  }

  /** The library, and what it does with the object, for errors. */
  private async for(object: S3Object, writes = false): Promise<Loaded & { readonly operation: S3Operation }> {
    const { bucket } = object;
    const { buckets, endpoint, region } = this.settings;
    if (buckets?.includes(bucket) === false) throw bucketNotAllowed(bucket, writes);
    this.loading ??= connect(this.settings).catch((error: unknown) => {
      // A missing library may be there for the next call.
      this.loading = undefined;
      throw error;
    });
    const shown = endpoint ?? (region === undefined ? 'Amazon' : `Amazon, ${region}`);
    const operation = { address: s3Address(object), bucket, endpoint: shown, writes };
    return { ...(await this.loading), operation };
  }
}

async function connect(settings: S3Settings): Promise<Loaded> {
  // Loaded with the first request, because the library is large.
  const sdk = await import('@aws-sdk/client-s3');
  const { endpoint } = settings;
  const of = (region: string | undefined): ClientModule.S3Client => {
    const client = new sdk.S3Client({
      ...given({ endpoint, region }),
      // Other services have no host name for each bucket.
      forcePathStyle: endpoint !== undefined,
      followRegionRedirects: endpoint === undefined,
      maxAttempts: TRIES,
      // Some other services don't support all of the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        socketTimeout: SILENT_MS,
        throwOnRequestTimeout: true,
        ...agentsFor({ keepAlive: true, maxSockets: SOCKETS }, CONNECT_MS),
      },
      logger: SILENT_LOG,
    });
    forwardPlainHttp(client);
    return client;
  };
  const client = of(settings.region);
  // Neither a setting nor AWS' own files name a region, so the default applies.
  const region = await client.config.region().catch(() => undefined);
  return { sdk, client: region === undefined || region === '' ? of(DEFAULT_REGION) : client };
}

function inputOf({ bucket, key, versionId }: S3Object): ClientModule.GetObjectCommandInput {
  return { Bucket: bucket, Key: key, ...given({ VersionId: versionId }) };
}

/** Throws unless the answer has the version and range that were asked for. */
function requireRead(
  { address }: S3Operation,
  answer: ClientModule.GetObjectCommandOutput,
  { fingerprint, range }: Pick<S3Reading, 'fingerprint' | 'range'>,
): void {
  const seen = s3FactsIn(answer).fingerprint;
  if (fingerprint !== undefined && seen !== fingerprint) throw versionChanged(address, fingerprint, seen);
  const other = range && rangeDifference(range, answer);
  if (other === undefined) return;
  throw sourceRefused(
    address,
    other,
    'Copy the object to a store that supports Range, or to a folder of a worker.',
  );
}

function streamOf(body: unknown): Readable {
  if (body instanceof Readable) return body;
  throw new TypeError('S3 answered no stream.');
}

function soon(signal: AbortSignal | undefined): { abortSignal?: AbortSignal; requestTimeout: number } {
  return { ...given({ abortSignal: signal }), requestTimeout: ANSWER_MS };
}
