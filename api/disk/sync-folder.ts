import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';

/** Makes the names in a folder survive a crash of the machine, if the file system supports that. */
export async function syncFolder(folder: string): Promise<void> {
  // Some file systems can't do this.
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/**
 * Creates a folder that only this user can use, with its missing parents. Once it resolves, they survive a crash of the
 * machine.
 */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const topmost = path.resolve(first);
  for (let made = path.resolve(folder); ; made = path.dirname(made)) {
    await syncFolder(path.dirname(made));
    if (made === topmost || made === path.dirname(made)) return;
  }
}
