import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { SPOOLED, SPOOLING, spoolOwner } from './spool-file';
import { DAY_MS, HOUR_MS } from '../../../durations';
import { runs } from '../../direct/journal/lock-holder';

/**
 * How long each kind of copy may stay unchanged. A copy whose content stops for a minute fails; the upload of a finished
 * one may be paused.
 */
const KEPT_MS: Readonly<Record<string, number>> = { [SPOOLING]: HOUR_MS, [SPOOLED]: 30 * DAY_MS };

/**
 * Removes copies that earlier processes left in the spool folder: unfinished ones of a process that ended at once, of
 * an unknown one after an hour, finished ones after 30 days. Every other file stays. Returns how many it removed.
 */
export async function sweepSpool({
  spoolDir,
  now,
  starting = false,
}: {
  readonly spoolDir: string;
  /** Epoch ms. */
  readonly now: number;
  /** This process has made no copy yet: those of its number are of an earlier one. */
  readonly starting?: boolean;
}): Promise<number> {
  // A missing folder contains nothing. Uploads report a folder that can't be used.
  const names = await readdir(spoolDir).catch(() => []);
  const own = await spoolOwner();
  let swept = 0;
  for (const name of names) {
    const keptMs = KEPT_MS[path.extname(name)];
    if (keptMs === undefined) continue;
    const file = path.join(spoolDir, name);
    // Another process removed it.
    const changedAt = (await stat(file).catch(() => undefined))?.mtimeMs;
    const isLeft = isOfEnded(name, own, starting);
    if (changedAt === undefined || (!isLeft && now - changedAt < keptMs)) continue;
    await rm(file, { force: true });
    swept += 1;
  }
  return swept;
}

/** Whether the process that wrote the half copy has ended for sure. */
function isOfEnded(name: string, own: string, starting: boolean): boolean {
  const [, owner = '', pid, numbers] = /\.((\d+)-([0-9a-f]{12}))\.spooling$/.exec(name) ?? [];
  if (numbers === undefined || !own.endsWith(`-${numbers}`)) return false;
  return owner === own ? starting : !runs(Number(pid));
}
