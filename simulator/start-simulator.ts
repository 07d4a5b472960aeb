import { FaultBook } from './fault-book';
import { Gates } from './gates';
import { type Listener, listen } from './http/listener';
import { BASE_ROUTES, UPLOAD_ROUTES, serviceHandler } from './http/service-server';
import { TokenRegistry } from './login/tokens';
import { type Settings, type SimulatorOptions, settingsOf } from './options';
import { Recorder } from './recorder';
import { seedDeliveries } from './seed/seed-deliveries';
import { seedMedia } from './seed/seed-media';
import { seenOf } from './seen';
import { type ShapeChoice, chooseShapes } from './shapes';
import type { Simulator } from './simulator';
import { describeObject } from './storage/describe-object';
import { openStorage } from './storage/open-storage';
import type { Storage } from './storage/storage';
import { REDIRECT_PATH, storageHandler } from './storage/storage-server';
import { SessionRegistry } from './uploads/session-registry';
import { addDelivery } from './webhooks/add-delivery';
import type { World } from './world';

/**
 * Starts a strict stand-in for the Media Service (api.md) with its own object storage, on three addresses: the service, its
 * upload operations, storage. Rejects, with nothing left open, where an option, fault or shape is wrong, a port is taken or
 * the S3 server cannot be reached.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const settings = settingsOf(options);
  const shapes = chooseShapes(options.shapes ?? []);
  const closing = new AbortController();
  const undo: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    closing.abort();
    for (const step of undo.splice(0).reverse()) await step();
  };
  const serve = async (handle: Parameters<typeof listen>[0], offset: number): Promise<Listener> => {
    const port = settings.port === 0 ? 0 : settings.port + offset;
    const listener = await listen(handle, { host: settings.host, port });
    undo.push(() => listener.close());
    return listener;
  };
  try {
    const storageListener = await serve(
      storageHandler(() => world),
      2,
    );
    const storage = await openStorage(options, { settings, shapes, origin: storageListener.origin });
    undo.push(() => storage.close());
    const redirectTarget = `${storageListener.origin}${REDIRECT_PATH}`;
    const world = createWorld({ settings, shapes, storage, redirectTarget, closing: closing.signal });
    for (const fault of options.faults ?? []) world.faults.arm(fault);
    const base = await serve(
      serviceHandler(() => world, BASE_ROUTES),
      0,
    );
    const upload = await serve(
      serviceHandler(() => world, UPLOAD_ROUTES),
      1,
    );
    return simulatorOf(world, {
      baseUrl: base.origin,
      uploadUrl: upload.origin,
      storageUrl: storageListener.origin,
      close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  readonly settings: Settings;
  readonly shapes: ShapeChoice;
  readonly storage: Storage;
  readonly redirectTarget: string;
  readonly closing: AbortSignal;
}

function createWorld({ settings, shapes, storage, redirectTarget, closing }: Parts): World {
  const { now, seed, subAccounts, tokenTtlMs } = settings;
  const recorder = new Recorder(now);
  const media = seedMedia(seed.media, { now: now(), subAccounts });
  const faults = new FaultBook(({ definition: { name } }, { operation, part, uploadId }) => {
    recorder.faults[name] = (recorder.faults[name] ?? 0) + 1;
    recorder.emit('fault', {
      fault: name,
      operation,
      ...(part === undefined ? {} : { part }),
      ...(uploadId === undefined ? {} : { uploadId }),
    });
  });
  return {
    settings,
    shapes,
    faults,
    recorder,
    gates: new Gates(),
    tokens: new TokenRegistry({ ttlMs: tokenTtlMs, opaque: shapes.has('token-opaque'), now }),
    media,
    deliveries: seedDeliveries(seed.deliveries, { now: now(), media, subAccounts }),
    sessions: new SessionRegistry(),
    storage,
    redirectTarget,
    closing,
  };
}

function simulatorOf(
  world: World,
  places: Pick<Simulator, 'baseUrl' | 'uploadUrl' | 'storageUrl' | 'close'>,
): Simulator {
  const { recorder, faults, tokens, storage, gates } = world;
  return {
    ...places,
    account: world.settings.account,
    seen: () => seenOf(world),
    events: () => recorder.events(),
    fault: (text) => faults.arm(text),
    clearFaults: () => faults.clear(),
    expireTokens: () => tokens.expireAll(),
    expireUrls: () => storage.expireUrls(),
    release: () => gates.release(),
    addDelivery: (fields) => addDelivery(world, fields === undefined ? {} : { ...fields }),
    waitFor: (matches, signal) => recorder.waitFor(matches, signal),
    objectBytes: async (keyName) => (await describeObject(storage, keyName)).bytes,
    objectSha256: async (keyName) => (await describeObject(storage, keyName)).sha256,
    readObject: (keyName) => storage.readObject(keyName),
  };
}
