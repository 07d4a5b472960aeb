import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { StorageRefusal, s3Refusal, s3Error } from './s3-error';
import type { Answer } from '../http/answer';
import type { Storage, UploadToComplete } from './storage';
import { type SigningKey, type UrlSigner, judgeUrl } from './url-signature';

const CRC32 = 'x-amz-checksum-crc32';

interface BuiltinStorageOptions {
  /** For every part except the last. */
  readonly leastPartBytes: number;
  readonly key: SigningKey;
  readonly urls: UrlSigner;
  readonly now: () => number;
}

interface KeptPart {
  readonly file: string;
  readonly eTag: string;
  readonly bytes: number;
}

interface MultipartUpload {
  readonly keyName: string;
  readonly parts: Map<number, KeptPart>;
}

/** Keeps parts as files in its own temporary folder, which `close` removes. An object is the list of its parts. */
export class BuiltinStorage implements Storage {
  readonly urls: UrlSigner;
  readonly #uploads = new Map<string, MultipartUpload>();
  /** A repeated completion gets the same answer, as in S3. */
  readonly #completed = new Map<string, string>();
  readonly #objects = new Map<string, readonly KeptPart[]>();

  private constructor(
    private readonly folder: string,
    private readonly options: BuiltinStorageOptions,
  ) {
    this.urls = options.urls;
  }

  static async open(options: BuiltinStorageOptions): Promise<BuiltinStorage> {
    return new BuiltinStorage(await mkdtemp(join(tmpdir(), 'media-service-simulator-')), options);
  }

  async createUpload(keyName: string): Promise<string> {
    const s3UploadId = randomBytes(24).toString('hex');
    this.#uploads.set(s3UploadId, { keyName, parts: new Map() });
    return s3UploadId;
  }

  async completeUpload({ keyName, s3UploadId, parts }: UploadToComplete): Promise<void> {
    const partList = JSON.stringify([keyName, parts]);
    if (this.#completed.get(s3UploadId) === partList) return;
    const upload = this.#uploads.get(s3UploadId);
    if (upload?.keyName !== keyName) throw s3Refusal('noSuchUpload');
    const kept = parts.map(({ partNumber, eTag }, at) => {
      const part = upload.parts.get(partNumber);
      if (partNumber <= (parts[at - 1]?.partNumber ?? 0)) throw s3Refusal('invalidPartOrder');
      if (part === undefined || part.eTag !== eTag) throw s3Refusal('invalidPart');
      return part;
    });
    if (kept.slice(0, -1).some(({ bytes }) => bytes < this.options.leastPartBytes))
      throw s3Refusal('tooSmall');
    this.#objects.set(keyName, kept);
    this.#uploads.delete(s3UploadId);
    this.#completed.set(s3UploadId, partList);
  }

  async receive(request: IncomingMessage, body: AsyncIterable<Buffer>): Promise<Answer> {
    try {
      return await this.#putPart(request, body);
    } catch (error) {
      if (error instanceof StorageRefusal) return s3Error(error);
      throw error;
    }
  }

  async *readObject(keyName: string): AsyncGenerator<Uint8Array> {
    const parts = this.#objects.get(keyName);
    if (parts === undefined) throw new StorageRefusal(404, 'NoSuchKey', 'The specified key does not exist.');
    for (const { file } of parts) yield* createReadStream(file);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #putPart(request: IncomingMessage, body: AsyncIterable<Buffer>): Promise<Answer> {
    const url = request.url ?? '/';
    const { s3UploadId, upload, partNumber } = this.#judge(request, url);
    const md5 = request.headers['content-md5'];
    if (md5 !== undefined && Buffer.from(String(md5), 'base64').length !== 16)
      throw s3Refusal('invalidDigest');
    const file = join(this.folder, `${s3UploadId}-${partNumber}-${randomBytes(6).toString('hex')}`);
    const crc32 = new URL(url, 'http://storage').searchParams.get(CRC32);
    const { eTag, bytes } = await writeBody(body, file, { md5, crc32 });
    const former = upload.parts.get(partNumber);
    upload.parts.set(partNumber, { file, eTag, bytes });
    if (former !== undefined) await rm(former.file, { force: true });
    return { status: 200, headers: { etag: `"${eTag}"` }, text: '' };
  }

  #judge(request: IncomingMessage, url: string) {
    const { pathname, searchParams: query } = new URL(url, 'http://storage');
    if (request.headers.authorization !== undefined && /X-Amz-Signature=/.test(url))
      throw s3Refusal('twoSignatures');
    const refusal = judgeUrl(request, this.options.key, this.options.now());
    if (refusal !== undefined) throw refusal;
    if (request.method !== 'PUT') throw s3Refusal('methodNotAllowed');
    if (request.headers['content-length'] === undefined) throw s3Refusal('noLength');
    const partNumber = Number(query.get('partNumber'));
    if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > 10_000)
      throw s3Refusal('badPartNumber');
    const s3UploadId = query.get('uploadId') ?? '';
    const upload = this.#uploads.get(s3UploadId);
    if (upload === undefined || pathname !== `/${this.urls.bucket}/${upload.keyName}`)
      throw s3Refusal('noSuchUpload');
    return { s3UploadId, upload, partNumber };
  }
}

/** A body that ends early, or has another MD5, leaves no file. */
async function writeBody(
  body: AsyncIterable<Buffer>,
  file: string,
  expected: { readonly md5: unknown; readonly crc32: string | null },
): Promise<{ eTag: string; bytes: number }> {
  const handle = await open(file, 'wx');
  const hash = createHash('md5');
  let crc = 0;
  let bytes = 0;
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      crc = crc32(chunk, crc);
      await handle.write(chunk);
      bytes += chunk.length;
    }
    const md5 = hash.digest();
    if (expected.md5 !== undefined && md5.toString('base64') !== expected.md5) throw s3Refusal('badDigest');
    if (expected.crc32 !== null && crc !== Buffer.from(expected.crc32, 'base64').readUInt32BE())
      throw s3Refusal('badChecksum');
    return { eTag: md5.toString('hex'), bytes };
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
