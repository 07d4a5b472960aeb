import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What the second package's build makes of our folders, such as cli/main.js. */
export const distOfCommand = join(root, 'packages', 'media-service', 'dist');

/** Folder of built tools and the demo's database. It is outside the project, so that a new clone finds them again. */
export const cacheFolder = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'n8n-nodes-media-service',
);

/** Part of every cached tool's name, because machines of several kinds may share one home folder. */
export const platform = `${process.platform}-${process.arch}`;

export const exeSuffix = process.platform === 'win32' ? '.exe' : '';

export async function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
