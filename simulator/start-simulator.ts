import { setMaxListeners } from 'node:events';
import { type SimulatorState, createState } from './state';
import { type Handle, type Listener, listen } from './http/listener';
import { BASE_ROUTES, UPLOAD_ROUTES, serviceHandler } from './http/service-server';
import { type SimulatorOptions, settingsOf } from './options';
import type { SimulatorEvent } from './control/recorder';
import { type Seen, seenOf } from './control/control';
import { chooseShapes } from './shapes/shapes';
import { openStorage } from './storage/open-storage';
import { type Storage, describeObject } from './storage/storage';
import { REDIRECT_PATH, storageHandler } from './storage/storage-server';
import { addDelivery } from './webhooks/webhook-search';
import type { Delivery } from './webhooks/delivery';

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
    const listener = await listen(handle, { port, tls: options.tls });
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

/** A running simulator in its own process. Other processes use `GET {baseUrl}/__simulator`. */
export type Simulator = ReturnType<typeof simulatorOf>;

interface Addresses {
  /** URL of login and searches, as `http://127.0.0.1:4100`. */
  readonly baseUrl: string;
  /** URL of the upload operations, with another origin than `baseUrl`. */
  readonly uploadUrl: string;
  /** Origin of the pre-signed URLs. */
  readonly storageUrl: string;
  /** Closes all connections, stops all timers and removes the temporary folder. */
  readonly close: () => Promise<void>;
}

function simulatorOf(state: SimulatorState, addresses: Addresses) {
  const { recorder, faults, tokens, storage, gates } = state;
  return {
    ...addresses,
    account: state.settings.account,
    seen: (): Seen => seenOf(state),
    events: (): readonly SimulatorEvent[] => recorder.events(),
    /** Arms a fault, as `NAME[:COUNT][:key=value,…]`. @throws RangeError */
    fault: (text: string): void => faults.arm(text),
    clearFaults: (): void => faults.clear(),
    /** From now on, logins must be signed with one of these. Issued tokens stay valid. */
    acceptSecretKeys(secretKeys: readonly string[]): void {
      state.secretKeys = secretKeys;
    },
    /** Makes every issued access token expire now. */
    expireTokens(): void {
      for (const token of tokens.values()) token.endsAt = 0;
    },
    /** Releases what `hold`, `put-stall` and `processing-stuck` hold. Returns their number. */
    release: (): number => gates.release(),
    /** Adds a delivery. Missing fields get made-up values; without `sentAt`, it was sent now. */
    addDelivery: (fields?: Partial<Delivery>): Delivery => addDelivery(state, fields),
    /** Resolves with the first event, past or future, that matches. Rejects when the signal aborts. */
    waitFor: (matches: (event: SimulatorEvent) => boolean, signal?: AbortSignal): Promise<SimulatorEvent> =>
      recorder.waitFor(matches, signal),
    /** SHA-256 of a completed object, lower-case hex; `keyName` as in `seen().sessions`. */
    objectSha256: async (keyName: string): Promise<string> => (await describeObject(storage, keyName)).sha256,
  };
}
