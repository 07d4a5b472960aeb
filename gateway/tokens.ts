import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, basename } from 'node:path';
import { systemClock } from '../api/clock';
import { ConfigurationError } from '../api/errors';
import { isRecord, isTexts, parsedJson } from '../api/json';
import { writeWhole } from '../files/disk/write-whole';
import { notWritable } from '../files/output-path';
import { systemCodeOf } from '../files/system-error';

export const RIGHTS = ['read', 'start', 'control'] as const;
/** `read`: see uploads and batches. `start`: also files. `control`: pause, resume, cancel, retry. */
export type Right = (typeof RIGHTS)[number];

/** A token as the file of tokens holds it: without the token itself. */
export interface Token {
  readonly name: string;
  readonly account: string;
  readonly rights: readonly Right[];
  /** SHA-256 of the token in hex. A token is random, so a slow hash would add nothing. */
  readonly sha256: string;
}

const TOKEN_BYTES = 32;
const PREFIX = 'mst_';
/** A revoked token works for this long at most. */
const FRESH_MS = 1_000;

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Finds the token of a request. Reads the file again every second. */
export function createTokenBook(file: string) {
  let known: readonly Token[] = [];
  let checkedAt = -Infinity;
  const tokens = async (): Promise<readonly Token[]> => {
    const now = systemClock.now();
    if (now - checkedAt < FRESH_MS) return known;
    known = await readTokens(file);
    checkedAt = now;
    return known;
  };
  return {
    /** Undefined: no token of the file. Rejects with `Configuration` while the file can't be read. */
    async find(bearer: string): Promise<Token | undefined> {
      const asked = hashOf(bearer);
      let found: Token | undefined;
      // Compares with every token, so that the time says nothing about any of them.
      for (const token of await tokens()) {
        if (timingSafeEqual(Buffer.from(token.sha256, 'hex'), asked)) found = token;
      }
      return found;
    },
    /** The entry of a name, as the file says now. */
    named: async (name: string) => (await tokens()).find((token) => token.name === name),
  };
}

/** Reads a file of tokens. Rejects with `Configuration` if it can't be read, or if any entry is wrong. */
export async function readTokens(file: string): Promise<readonly Token[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(file, `can't be read (${systemCodeOf(error) ?? 'unknown reason'})`, error);
  });
  const json = parsedJson(text);
  const tokens = isRecord(json) ? json['tokens'] : undefined;
  if (Array.isArray(tokens) && tokens.every(isToken)) return tokens;
  throw unreadable(file, 'has no list "tokens" of {"name","account","rights","sha256"}');
}

function isToken(entry: unknown): entry is Token {
  if (!isRecord(entry)) return false;
  const { name, account, rights, sha256 } = entry;
  const known: readonly string[] = RIGHTS;
  const hasRights = isTexts(rights) && rights.length > 0 && rights.every((right) => known.includes(right));
  return hasRights && isTexts([name, account, sha256]) && /^[0-9a-f]{64}$/.test(String(sha256));
}

function unreadable(file: string, what: string, cause?: unknown): ConfigurationError {
  const hint = '`media-service tokens create` writes such a file.';
  return new ConfigurationError('tokensFile', `The file of tokens ${file} ${what}.`, hint, { cause });
}

/** Adds a token to a file, which is made if it is missing. Returns the token: nobody can read it again. */
export async function createToken({
  file,
  ...entry
}: Omit<Token, 'sha256'> & { readonly file: string }): Promise<string> {
  const tokens = await readTokens(file).catch((error: unknown) => {
    if (error instanceof Error && systemCodeOf(error.cause) === 'ENOENT') return [];
    throw error;
  });
  if (tokens.some(({ name }) => name === entry.name)) {
    throw new ConfigurationError(
      'name',
      `${file} already has an entry ${JSON.stringify(entry.name)}.`,
      'Choose another name, or delete that entry first.',
    );
  }
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
  const added = [...tokens, { ...entry, sha256: hashOf(token).toString('hex') }];
  await writeWhole({
    file,
    partial: `.${basename(file)}.${randomBytes(4).toString('hex')}.part`,
    content: [Buffer.from(`${JSON.stringify({ tokens: added }, undefined, 2)}\n`)],
    mode: 0o600,
    failed: (error) => new ConfigurationError('tokensFile', `${notWritable(dirname(file), error)}.`),
  });
  return token;
}
