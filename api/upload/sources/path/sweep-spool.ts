import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { SPOOLED, SPOOLING } from './spool-file';
import { DAY_MS } from '../../../durations';

/**
 * How long each kind of copy may stay unchanged. Nobody returns to an unfinished copy; the upload of a finished one may
 * be paused.
 */
const KEPT_MS: Readonly<Record<string, number>> = { [SPOOLING]: DAY_MS, [SPOOLED]: 30 * DAY_MS };

/**
 * Removes copies that earlier processes left in the spool folder: unfinished ones after a day, finished ones after 30.
 * Every other file stays. Returns how many it removed. Call it when a worker starts.
 */
export async function sweepSpool({
  spoolDir,
  now,
}: {
  readonly spoolDir: string;
  /** Epoch ms. */
  readonly now: number;
}): Promise<number> {
  // A missing folder contains nothing. Uploads report a folder that can't be used.
  const names = await readdir(spoolDir).catch(() => []);
  let swept = 0;
  for (const name of names) {
    const keptMs = KEPT_MS[path.extname(name)];
    if (keptMs === undefined) continue;
    const file = path.join(spoolDir, name);
    // Another process removed it.
    const changedAt = (await stat(file).catch(() => undefined))?.mtimeMs;
    if (changedAt === undefined || now - changedAt < keptMs) continue;
    await rm(file, { force: true });
    swept += 1;
  }
  return swept;
}
