import type { Settings, SimulatorOptions } from '../options';
import { leastPartBytes } from '../shapes/least-part-bytes';
import type { ShapeChoice } from '../shapes/shapes';
import { BuiltinStorage } from './builtin-storage';
import { S3Storage } from './s3-storage';
import type { Storage } from './storage';

/** URLs that only the built-in storage can sign. */
const BUILTIN_URLS = ['urls-sign-content-type', 'urls-sign-acl', 'urls-fix-checksum', 'urls-google'];

interface StorageContext {
  readonly settings: Settings;
  readonly shapes: ShapeChoice;
  /** Origin of the listener for pre-signed URLs. */
  readonly origin: string;
}

/** The storage that the options choose. */
export async function openStorage(
  options: SimulatorOptions,
  { settings, shapes, origin }: StorageContext,
): Promise<Storage> {
  const { urlTtlMs, now } = settings;
  if (settings.storage === 'builtin')
    return BuiltinStorage.open({ origin, urlTtlMs, now, leastPartBytes: leastPartBytes(shapes) });
  if (options.s3 === undefined)
    throw new RangeError('storage "s3" needs the option s3 with the endpoint and its keys.');
  const own = shapes.among([...BUILTIN_URLS, 'parts-from-5-mb']);
  if (own !== '') throw new RangeError(`The shape ${own} needs the built-in storage.`);
  return S3Storage.open({ ...options.s3, origin, urlTtlMs, now });
}
