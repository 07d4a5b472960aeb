import type { SimulatorAccount } from './options';
import type { SimulatorEvent } from './control/recorder';
import type { Seen } from './control/seen';
import type { Delivery } from './webhooks/delivery';

/** A running simulator in its own process. Other processes use `GET {baseUrl}/__simulator`. */
export interface Simulator {
  /** URL of login and searches, as `http://127.0.0.1:4100`. */
  readonly baseUrl: string;
  /** URL of the upload operations, with another origin than `baseUrl`. */
  readonly uploadUrl: string;
  /** Origin of the pre-signed URLs. */
  readonly storageUrl: string;
  readonly account: SimulatorAccount;
  seen(): Seen;
  events(): readonly SimulatorEvent[];
  /** Arms a fault, as `NAME[:COUNT][:key=value,…]`. @throws UnknownFault */
  fault(text: string): void;
  clearFaults(): void;
  /** From now on, logins must be signed with one of these. Issued tokens stay valid. */
  acceptSecretKeys(secretKeys: readonly string[]): void;
  /** Makes every issued access token expire now. */
  expireTokens(): void;
  /** Makes every issued pre-signed URL expire now. */
  expireUrls(): void;
  /** Releases what `hold`, `put-stall` and `processing-stuck` hold. Returns their number. */
  release(): number;
  /** Adds a delivery. Missing fields get made-up values; without `sentAt`, it was sent now. */
  addDelivery(fields?: Partial<Delivery>): Delivery;
  /** Resolves with the first event, past or future, that matches. Rejects with the signal's reason. */
  waitFor(matches: (event: SimulatorEvent) => boolean, signal?: AbortSignal): Promise<SimulatorEvent>;
  /** SHA-256 of a completed object, lower-case hex; `keyName` as in `seen().sessions`. */
  objectSha256(keyName: string): Promise<string>;
  /** A completed object, chunk by chunk. */
  readObject(keyName: string): AsyncIterable<Uint8Array>;
  /** Closes all connections, stops all timers and removes the temporary folder. */
  close(): Promise<void>;
}
