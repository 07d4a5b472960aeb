import { request } from 'node:http';
import { createState } from '../../simulator/state';
import { listen } from '../../simulator/http/listener';
import { type SimulatorOptions, settingsOf } from '../../simulator/options';
import { chooseShapes } from '../../simulator/shapes/shapes';
import { openStorage } from '../../simulator/storage/open-storage';
import { s3Code } from '../../simulator/storage/s3-error';
import { describeObject } from '../../simulator/storage/storage';
import { StorageRefusal } from '../../simulator/storage/s3-error';
import { storageHandler } from '../../simulator/storage/storage-server';

/** The result of a request to storage; `eTag` as sent, with quotes. */
export interface Outcome {
  readonly status: number;
  readonly code?: string | undefined;
  readonly eTag?: string | undefined;
}

export interface Multipart {
  readonly keyName: string;
  readonly s3UploadId: string;
}

/** One of the two storages behind the simulator's listener, as clients see it. */
export interface StorageBench {
  upload(): Promise<Multipart>;
  /** A pre-signed URL that is `agoMs` ms old. It lives for an hour. */
  sign(upload: Multipart, partNumber: number, agoMs?: number): Promise<string>;
  put(url: string, body: Uint8Array, headers?: Record<string, string>): Promise<Outcome>;
  /** PUT without Content-Length. */
  putChunked(url: string, body: Uint8Array): Promise<Outcome>;
  /** Announces `promised` bytes, sends `body` and breaks off. Resolves when storage has noticed. */
  putTruncated(url: string, body: Uint8Array, promised: number): Promise<void>;
  /** `[part number, unquoted ETag]` in the order given. */
  complete(upload: Multipart, parts: readonly (readonly [number, string])[]): Promise<Outcome>;
  object(upload: Multipart): Promise<{ bytes: number; sha256: string }>;
  close(): Promise<void>;
}

export async function openBench(options: SimulatorOptions): Promise<StorageBench> {
  let agoMs = 0;
  let keys = 0;
  const settings = settingsOf({
    ...options,
    now: () => Date.now() - agoMs,
    seed: { media: 0, deliveries: 0 },
  });
  // Storage itself requires no Content-Type.
  const shapes = chooseShapes(['part-type-optional']);
  const closing = new AbortController();
  const listener = await listen((request, response) => storageHandler(state)(request, response), { port: 0 });
  const storage = await openStorage(options, { settings, shapes, origin: listener.origin });
  const state = createState({ settings, shapes, storage, redirectTarget: '', closing: closing.signal });
  return {
    put: (url, body, headers) => exchange(url, { 'content-length': String(body.length), ...headers }, body),
    putChunked: (url, body) => exchange(url, { 'transfer-encoding': 'chunked' }, body),
    async upload() {
      const keyName = `probe/${++keys}.mp4`;
      return { keyName, s3UploadId: await storage.createUpload(keyName) };
    },
    async sign(upload, partNumber, ago = 0) {
      agoMs = ago;
      const url = storage.urls.sign({ ...upload, partNumber });
      agoMs = 0;
      return url;
    },
    async putTruncated(url, body, promised) {
      const seen = state.recorder.events().length;
      const outgoing = request(url, { method: 'PUT', headers: { 'content-length': String(promised) } });
      outgoing.once('error', () => undefined);
      outgoing.write(body, () => outgoing.destroy());
      await state.recorder.waitFor(({ event, seq }) => event === 'request' && seq > seen);
    },
    async complete(upload, parts) {
      try {
        await storage.completeUpload({
          ...upload,
          parts: parts.map(([partNumber, eTag]) => ({ partNumber, eTag })),
        });
        return { status: 200 };
      } catch (error) {
        if (error instanceof StorageRefusal) return { status: error.status, code: error.code };
        throw error;
      }
    },
    object: ({ keyName }) => describeObject(storage, keyName),
    async close() {
      closing.abort();
      await listener.close();
      await storage.close();
    },
  };
}

function exchange(url: string, headers: Record<string, string>, body: Uint8Array): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'PUT', headers }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      incoming.once('end', () => {
        const { etag: eTag } = incoming.headers;
        resolve({ status: incoming.statusCode ?? 0, code: s3Code(text), eTag });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
