import { setMaxListeners } from 'node:events';
import { createWorld } from './create-world';
import { type Listener, listen } from './http/listener';
import { BASE_ROUTES, UPLOAD_ROUTES, serviceHandler } from './http/service-server';
import { type SimulatorOptions, settingsOf } from './options';
import { seenOf } from './control/seen';
import { chooseShapes } from './shapes/shapes';
import type { Simulator } from './simulator';
import { describeObject } from './storage/describe-object';
import { openStorage } from './storage/open-storage';
import { REDIRECT_PATH, storageHandler } from './storage/storage-server';
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
  // One for each file that is processed, and for each part that is held.
  setMaxListeners(0, closing.signal);
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
    acceptSecretKeys: (secretKeys) => {
      world.secretKeys = secretKeys;
    },
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
