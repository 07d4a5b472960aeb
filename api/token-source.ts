/** Access tokens of one account, in memory only. design.md, "Token source". */
export interface TokenSource {
  /** A token that is fresh: its end is known and over 60 s away, or it is young enough. Any number of concurrent calls cause one login. */
  token(signal?: AbortSignal): Promise<string>;
  /** The service answered 401 to this token: the next `token()` logs in again, unless somebody did so meanwhile. */
  refuse(token: string): void;
  /** Logs in whatever is held; for credential tests. */
  login(signal?: AbortSignal): Promise<string>;
}
