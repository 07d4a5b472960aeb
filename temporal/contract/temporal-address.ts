/** The address of Temporal and its credentials. */
export interface TemporalAddress {
  /** host:port. */
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string;
  /**
   * True: TLS with the certificates that Node or the system trusts. An object: own CA or a client certificate (mTLS), as PEM text. Default:
   * TLS if there is an API key.
   */
  readonly tls?: boolean | TlsText;
  /** Keys of the payload codec, see `parseCodecKeys`. Unset: payloads are plain, but URLs are still sealed. */
  readonly codecKeys?: string;
}

export interface TlsText {
  readonly caPem?: string;
  readonly certPem?: string;
  readonly keyPem?: string;
  readonly serverName?: string;
}
