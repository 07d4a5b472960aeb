import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { accountId } from '../../api/account';
import type { ServedAccount } from '../../api/account';
import { ConfigurationError } from '../../api/errors';
import { VARIABLES } from '../variables';
import { readAccountEntry } from './account-entry';

/**
 * Reads the accounts of a JSON file (one account or an array) or of a folder of such files. In a
 * folder it reads `*.json`, except names that begin with a dot, such as the folders behind Kubernetes' links. Rejects
 * with one `Configuration` error that names every wrong file and field, but never content. Having no account at all is
 * an error too.
 */
export async function readAccounts(path: string): Promise<readonly ServedAccount[]> {
  const problems: string[] = [];
  const entries: ServedAccount[] = [];
  const whereIs = new Map<string, string>();
  for (const file of await filesOf(path)) {
    for (const { entry, where } of await entriesOf(file, problems)) {
      const id = accountId(entry.account);
      const other = whereIs.get(id);
      if (other === undefined) entries.push(entry);
      else problems.push(`${where}: is the same account as ${other} (${id})`);
      whereIs.set(id, where);
    }
  }
  if (problems.length > 0) throw accountsError(problems.join('\n  '));
  if (entries.length === 0) throw accountsError(`${path}: holds no account`);
  return entries;
}

async function filesOf(path: string): Promise<readonly string[]> {
  // The next line reports undefined.
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw accountsError(`${path}: does not exist or can't be seen by this user`);
  if (!found.isDirectory()) return [path];
  const names = await readdir(path).catch(() => {
    throw accountsError(`${path}: can't be read by this user`);
  });
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => join(path, name));
}

async function entriesOf(
  file: string,
  problems: string[],
): Promise<readonly { readonly entry: ServedAccount; readonly where: string }[]> {
  const values = await valuesOf(file).catch((error: unknown) => {
    problems.push(`${file}: ${error instanceof Error ? error.message : "can't be read"}`);
    return [];
  });
  const read = await Promise.all(
    values.map(async ({ value, at }) => {
      const where = `${file}${at}`;
      const note = (field: string, problem: string): void => {
        problems.push(`${where}: ${field} ${problem}`);
      };
      const entry = await readAccountEntry(value, dirname(file), note);
      return entry === undefined ? [] : [{ entry, where }];
    }),
  );
  return read.flat();
}

interface Found {
  readonly value: unknown;
  /** Which account of the file, for messages. */
  readonly at: string;
}

async function valuesOf(file: string): Promise<readonly Found[]> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error("can't be read by this user");
  });
  const json = parsed(text);
  if (!Array.isArray(json)) return [{ value: json, at: '' }];
  return json.map((value: unknown, index) => ({ value, at: `, account ${String(index + 1)}` }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which contains secrets.
    throw new Error(text.trim() === '' ? 'is empty' : 'is not JSON');
  }
}

function accountsError(problems: string): ConfigurationError {
  return new ConfigurationError(
    VARIABLES.accounts.name,
    `The accounts of ${VARIABLES.accounts.name} can't be used:\n  ${problems}`,
    'Fix these entries; docs/operations/workers.md shows an example.',
  );
}
