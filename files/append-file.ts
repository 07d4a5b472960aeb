import { open } from 'node:fs/promises';
import { outputFailed } from './output-failure';
import { inOutputFolder } from './output-path';
import type { FileAccess } from './files';

/** A new file that only grows. */
export interface AppendFile {
  /** Once it resolves, the text survives a crash of the machine. Rejects with `OutputFailed`. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Creates a file that this user alone can read. Rejects with `OutputFailed`, also if the file exists. */
export async function openAppendFile(
  { outputRoots }: Pick<FileAccess, 'outputRoots'>,
  file: string,
): Promise<AppendFile> {
  const handle = await inOutputFolder({ outputRoots, file, make: true }, async (folder, name) => {
    try {
      const opened = await open(folder.at(name), 'ax', 0o600);
      await folder.sync();
      return opened;
    } catch (error) {
      throw outputFailed(file, error);
    }
  });
  return {
    async append(text) {
      try {
        await handle.appendFile(text);
        await handle.datasync();
        if ((await handle.stat()).nlink === 0) throw deleted(file);
      } catch (error) {
        throw outputFailed(file, error);
      }
    },
    close: () => handle.close(),
  };
}

/** The system still writes to a file that nobody can find any more. */
function deleted(file: string): Error {
  return Object.assign(new Error(`ENOENT: the file was deleted while it was written, '${file}'`), {
    code: 'ENOENT',
  });
}
