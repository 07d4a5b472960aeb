import type { SimulatorAccount } from './options';
import type { SimulatorEvent } from './control/recorder';
import type { Seen } from './control/seen';
import type { Delivery } from './webhooks/delivery';

/** A running simulator, as its own process sees it; other processes use `GET {baseUrl}/__simulator`. */
export interface Simulator {
  /** Address of login and searches, as `http://127.0.0.1:4100`. */
  readonly baseUrl: string;
  /** Address of the upload operations; another origin than `baseUrl`. */
  readonly uploadUrl: string;
  /** Origin of the pre-signed URLs. */
  readonly storageUrl: string;
  readonly account: SimulatorAccount;
  seen(): Seen;
  events(): readonly SimulatorEvent[];
  /** Arms a fault, as `NAME[:COUNT][:key=value,…]`. @throws UnknownFault */
  fault(text: string): void;
  clearFaults(): void;
  /** Logins are signed with one of these from now on; tokens that were issued live on. */
  acceptSecretKeys(secretKeys: readonly string[]): void;
  /** Every access token issued so far is expired from now on. */
  expireTokens(): void;
  /** Every pre-signed URL issued so far is expired from now on. */
  expireUrls(): void;
  /** Lets go what `hold`, `put-stall` and `processing-stuck` hold back; returns how many. */
  release(): number;
  /** Adds a delivery, as sent now unless `sentAt` says when; what is not given is made up. */
  addDelivery(fields?: Partial<Delivery>): Delivery;
  /** Resolves with the first event, past or future, that matches. Rejects with the signal's reason. */
  waitFor(matches: (event: SimulatorEvent) => boolean, signal?: AbortSignal): Promise<SimulatorEvent>;
  /** Size of a completed object, in bytes; `keyName` as in `seen().sessions`. */
  objectBytes(keyName: string): Promise<number>;
  /** SHA-256 of a completed object, lower-case hex. */
  objectSha256(keyName: string): Promise<string>;
  /** A completed object, piece by piece. */
  readObject(keyName: string): AsyncIterable<Uint8Array>;
  /** Ends every connection and timer and removes the temporary folder. */
  close(): Promise<void>;
}
