import { randomBytes } from 'node:crypto';
import type { Settings, SimulatorOptions } from '../options';
import type { ShapeChoice } from '../shapes/shapes';
import { leastPartBytes } from '../uploads/upload-complete';
import { BuiltinStorage } from './builtin-storage';
import type { Storage } from './storage';
import { urlSigner } from './url-signature';

/** Shapes of which only the built-in storage is capable. */
const BUILTIN_SHAPES = ['urls-sign-content-type', 'urls-sign-acl', 'urls-fix-checksum', 'parts-from-5-mb'];

interface StorageContext {
  readonly settings: Settings;
  readonly shapes: ShapeChoice;
  /** Origin of the listener for pre-signed URLs. */
  readonly origin: string;
}

/** The storage that the options choose. */
export async function openStorage(
  { s3 }: SimulatorOptions,
  { settings, shapes, origin }: StorageContext,
): Promise<Storage> {
  const { now } = settings;
  const { bucket = 'media-service', region = 'us-east-1' } = s3 ?? {};
  const { accessKey = 'SIMULATOR', secretKey = randomBytes(24).toString('hex') } = s3 ?? {};
  const key = { accessKey, secretKey, region };
  const urls = urlSigner({ origin, bucket, key, now });
  if (s3 === undefined)
    return BuiltinStorage.open({ key, urls, now, leastPartBytes: leastPartBytes(shapes) });
  const own = BUILTIN_SHAPES.find((name) => shapes.has(name));
  if (own !== undefined) throw new RangeError(`The shape ${own} needs the built-in storage.`);
  // AWS's library takes long to load.
  const { S3Storage } = await import('./s3-storage.js');
  return S3Storage.open({ ...s3, bucket, region, urls });
}
