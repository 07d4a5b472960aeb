import { setMaxListeners } from 'node:events';
import { type SimulatorState, createState } from './state';
import { type Handle, type Listener, listen } from './http/listener';
import { BASE_ROUTES, UPLOAD_ROUTES, serviceHandler } from './http/service-server';
import { type SimulatorOptions, settingsOf } from './options';
import { seenOf } from './control/seen';
import { chooseShapes } from './shapes/shapes';
import type { Simulator } from './simulator';
import { describeObject } from './storage/describe-object';
import { openStorage } from './storage/open-storage';
import type { Storage } from './storage/storage';
import { REDIRECT_PATH, storageHandler } from './storage/storage-server';
import { addDelivery } from './webhooks/add-delivery';

/**
 * Starts a strict simulator of the Media Service (api.md) with its own object storage, on three origins: the service,
 * its upload operations, and storage. Rejects if an option, fault or shape is wrong, a port is taken or the S3 server
 * can't be reached. It then leaves nothing open.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const settings = settingsOf(options);
  const shapes = chooseShapes(options.shapes ?? []);
  const closing = new AbortController();
  // Each processed file and each held part adds a listener.
  setMaxListeners(0, closing.signal);
  const listeners: Listener[] = [];
  let storage: Storage | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    await Promise.all(listeners.map((listener) => listener.close()));
    await storage?.close();
  };
  const serve = async (handle: Handle, offset: number): Promise<string> => {
    const port = settings.port === 0 ? 0 : settings.port + offset;
    const listener = await listen(handle, { host: settings.host, port, tls: options.tls });
    listeners.push(listener);
    return listener.origin;
  };
  try {
    // URLs of an earlier simulator at this port may be asked for before the storage is open.
    let open: (handle: Handle) => void = () => undefined;
    const opened = new Promise<Handle>((resolve) => {
      open = resolve;
    });
    const storageUrl = await serve(async (...exchange) => (await opened)(...exchange), 2);
    storage = await openStorage(options, { settings, shapes, origin: storageUrl });
    const redirectTarget = `${storageUrl}${REDIRECT_PATH}`;
    const state = createState({ settings, shapes, storage, redirectTarget, closing: closing.signal });
    open(storageHandler(state));
    for (const fault of options.faults ?? []) state.faults.arm(fault);
    const baseUrl = await serve(serviceHandler(state, BASE_ROUTES), 0);
    const uploadUrl = await serve(serviceHandler(state, UPLOAD_ROUTES), 1);
    return simulatorOf(state, { baseUrl, uploadUrl, storageUrl, close });
  } catch (error) {
    await close();
    throw error;
  }
}

function simulatorOf(
  state: SimulatorState,
  addresses: Pick<Simulator, 'baseUrl' | 'uploadUrl' | 'storageUrl' | 'close'>,
): Simulator {
  const { recorder, faults, tokens, storage, gates } = state;
  return {
    ...addresses,
    account: state.settings.account,
    seen: () => seenOf(state),
    events: () => recorder.events(),
    fault: (text) => faults.arm(text),
    clearFaults: () => faults.clear(),
    acceptSecretKeys: (secretKeys) => {
      state.secretKeys = secretKeys;
    },
    expireTokens: () => tokens.expireAll(),
    expireUrls: () => storage.urls.expire(),
    release: () => gates.release(),
    addDelivery: (fields) => addDelivery(state, fields),
    waitFor: (matches, signal) => recorder.waitFor(matches, signal),
    objectSha256: async (keyName) => (await describeObject(storage, keyName)).sha256,
    readObject: (keyName) => storage.readObject(keyName),
  };
}
