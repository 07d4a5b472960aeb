import type { Settings, SimulatorOptions } from '../options';
import type { ShapeChoice } from '../shapes/shapes';
import { BuiltinStorage } from './builtin-storage';
import { S3Storage } from './s3-storage';
import type { Storage } from './storage';

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
  if (settings.storage === 'builtin') return BuiltinStorage.open({ origin, urlTtlMs, now });
  if (options.s3 === undefined)
    throw new RangeError('storage "s3" needs the option s3 with the endpoint and its keys.');
  if (shapes.has('urls-sign-content-type')) {
    throw new RangeError('The shape urls-sign-content-type needs the built-in storage.');
  }
  return S3Storage.open({ ...options.s3, origin, urlTtlMs, now });
}
