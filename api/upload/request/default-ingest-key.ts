import { createHash } from 'node:crypto';

interface KeyParts {
  readonly accountId: string;
  /** Two sources are the same if and only if these texts are equal. */
  readonly identity: string;
  readonly title: string | undefined;
}

/** The same file with the same title for the same account is the same upload, so a second start joins the first. */
export function defaultIngestKey({ accountId, identity, title }: KeyParts): string {
  const text = JSON.stringify([accountId, identity, title ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The `identity` of a file on a machine, by what the disk says. */
export function pathIdentity(
  host: string,
  path: string,
  { size, mtimeNs }: { readonly size: bigint; readonly mtimeNs: bigint },
): string {
  return JSON.stringify([host, path, Number(size), Math.round(Number(mtimeNs) / 1e6)]);
}
