import { readdirSync } from 'node:fs';
import { readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3Options } from '../../simulator/options';
import { startS3Server } from './s3-server';
import { createTempDir } from './temp-dir';

export type OwnS3 = Awaited<ReturnType<typeof openOwnS3>>;

/** An S3 server that a test may kill. */
export async function openOwnS3() {
  const data = await createTempDir('s3');
  let server = await startS3Server({ dir: data.path });
  const { endpoint, accessKey, secretKey, region } = server;
  /** For the simulator. */
  const options: S3Options = { endpoint, accessKey, secretKey, region };
  const port = Number(new URL(endpoint).port);
  return {
    options,
    /** Sends SIGKILL. */
    kill: () => server.kill(),
    /** Starts it again on its port and folder, in which a killed assembly is undone. */
    async restart(): Promise<void> {
      await undoAssemblies(data.path);
      server = await startS3Server({ dir: data.path, port });
    },
    async close(): Promise<void> {
      await server.stop();
      await data.remove();
    },
  };
}

/**
 * versitygw 1.8 renames an upload's folder while it assembles the file. If it is killed then, it reports success for
 * every repetition, but the file never exists. So the folder gets its name again.
 *
 * Lists the folders in one go. One promise a folder takes as many turns of the event loop, which the simulator shares:
 * on a busy machine the server was away for longer than the simulator repeats an assembly.
 */
async function undoAssemblies(dir: string): Promise<void> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of entries.filter((entry) => entry.name.endsWith('.inprogress'))) {
    const path = join(parentPath, name);
    const isAssembled = (await readdir(path)).length === 0;
    if (isAssembled) await rmdir(path);
    else await rename(path, join(parentPath, name.split('.')[0] ?? name));
  }
}
