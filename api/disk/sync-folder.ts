import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';

/** The names in a folder must survive the machine like the files; not every file system can promise that. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Makes a folder that only this user can use, and those above it that are missing. Once it resolves, they survive the machine. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const topmost = path.resolve(first);
  for (let made = path.resolve(folder); ; made = path.dirname(made)) {
    await syncFolder(path.dirname(made));
    if (made === topmost || made === path.dirname(made)) return;
  }
}
