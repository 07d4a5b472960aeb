import fs from 'node:fs/promises';
import { json } from 'node:stream/consumers';
import type { Account } from '../../api/account';
import { createService } from '../../api/service/create-service';
import { systemClock } from '../../api/clock';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { runJournaled } from '../../api/upload/direct/journal/run-journaled';
import type { UploadRequest } from '../../api/upload/request/upload-request';
import { urlSeals } from '../../temporal/sealed-url';

/** An upload with a journal in a process of its own. */
export interface JournaledOrder {
  readonly account: Account;
  readonly request: UploadRequest;
  readonly root: string;
  readonly journals: string;
  /**
   * The process kills itself by SIGKILL at this kill point (1 = the first), directly before or after a request or a
   * journal entry. Default: never.
   */
  readonly killAt?: number;
}

/** Longer spans are limits, not pauses. They stay real, so that a busy machine does not look like a dead disk. */
const LONGEST_PAUSE_MS = 20_000;

let left = Number.POSITIVE_INFINITY;

function boundary(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

async function between<T>(effect: () => Promise<T>): Promise<T> {
  boundary();
  const value = await effect();
  boundary();
  return value;
}

/** A journal is replaced as a whole, by renaming a new file. */
function watchRenames(): void {
  const rename = fs.rename.bind(fs);
  Object.assign(fs, {
    rename: (from: string, to: string) => between(() => rename(from, to)),
  });
}

function isOrder(value: unknown): value is JournaledOrder {
  return typeof value === 'object' && value !== null && 'account' in value && 'journals' in value;
}

async function main(): Promise<void> {
  const order: unknown = await json(process.stdin);
  if (!isOrder(order)) throw new Error('The upload got no settings.');
  const { account, request, root, journals, killAt } = order;
  left = killAt ?? left;
  watchRenames();
  const transport = createUndiciTransport();
  const watched = { send: (one: Parameters<typeof transport.send>[0]) => between(() => transport.send(one)) };
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) =>
      systemClock.sleep(ms > LONGEST_PAUSE_MS ? ms : ms / 50, signal),
  };
  const service = createService({ account, transport: watched, clock });
  const ended = await runJournaled({
    request,
    service,
    access: { roots: [root], sourceHosts: [], transport: watched, unseal: String },
    hooks: { onProgress: () => undefined, pollDelayMs: 50 },
    journal: {
      folder: journals,
      host: 'here',
      seals: urlSeals(account.secretKey),
      again: false,
    },
  });
  process.stdout.write(JSON.stringify(ended));
  await transport.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
