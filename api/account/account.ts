/**
 * An account of the Media Service: its addresses, its sub-account, and its secrets (in memory only). api.md,
 * "Authentication" and "Endpoints".
 */

/** Names an account without its secrets. The input of a workflow carries this. */
export interface AccountName {
  /** Address of search, login and webhook search; no trailing slash. */
  readonly baseUrl: string;
  /** Address of the upload operations; no trailing slash. Release candidate and production are two accounts. */
  readonly uploadUrl: string;
  /** Id of the sub-account on whose behalf requests are made. */
  readonly externalId: string;
}

export interface Account extends AccountName {
  readonly apiKey: string;
  readonly secretKey: string;
}

/** Options for what the interface leaves open. Every option may be unset. */
export interface ServiceOptions {
  /**
   * The tag that carries an upload's ingest key. It finds the upload again if the answer of `start` is lost. `false`
   * turns it off. Default `ingestKey`.
   */
  readonly ingestTag?: string | false;
  /**
   * The form of a request for additional pre-signed URLs, see `api/upload/session/additional-urls`. Unset: no upload
   * requests any.
   */
  readonly additionalUrls?: string;
  /** Template for the body of `complete`; the parts array replaces `{parts}`. Default `{"parts":{parts}}`. */
  readonly completeBody?: string;
  /** Max parts that `start` may ask for. Default 120 ("may be reduced in future updates"). */
  readonly maxParts?: number;
  /**
   * Content-Type of every part PUT. Unset: the file's MIME type if the URL's signature covers the header, else
   * application/octet-stream.
   */
  readonly partContentType?: string;
  /** Separator inside a `sort` parameter. Default `,`. */
  readonly sortSeparator?: string;
  /** Allow plain http to hosts other than loopback. Default false. */
  readonly allowPlainHttp?: boolean;
}

/** Upper bounds on the use of an account by one worker. An unset bound is not a limit. */
export interface AccountLimits {
  /** Steps that call the service, started per second. */
  readonly callsPerSecond?: number;
  /** Parts started per second, for each of the account's transfer queues. */
  readonly partsPerSecond?: number;
  /** Parts of one batch started per second, for each transfer queue. */
  readonly batchPartsPerSecond?: number;
}

/** An account that a worker serves. */
export interface ServedAccount {
  readonly account: Account;
  readonly options?: ServiceOptions;
  readonly limits?: AccountLimits;
  /** Earlier or future secret keys of the account. They open seals, but never sign or seal. */
  readonly previousSecretKeys?: readonly string[];
}
