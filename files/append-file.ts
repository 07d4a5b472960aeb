import { open } from 'node:fs/promises';
import path from 'node:path';
import { MediaServiceError } from '../api/errors';
import { syncFolder } from './disk/write-whole';
import { outputFailed, outputPathInFolder } from './output-path';
import type { FileAccess } from './output-path';

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
  const real = await outputPathInFolder(outputRoots, file);
  const fail = (error: unknown): never => {
    throw outputFailed(file, error);
  };
  const handle = await open(real, 'ax', 0o600).catch(fail);
  await syncFolder(path.dirname(real)).catch(fail);
  return {
    async append(text) {
      try {
        await handle.appendFile(text);
        await handle.datasync();
        if ((await handle.stat()).nlink === 0) throw deleted(file);
      } catch (error) {
        fail(error);
      }
    },
    close: () => handle.close(),
  };
}

/** The system still writes to a file that nobody can find any more. */
function deleted(file: string): MediaServiceError {
  return new MediaServiceError('OutputFailed', `${file} can't be written: it was deleted meanwhile`, {
    outcome: 'unsent',
    field: 'output',
    hint: 'Leave the files of a running batch in its folder.',
    details: { permanent: false },
  });
}

/**
 * Yields the lines of a UTF-8 text that this package wrote: each ends with LF, and the last one may have no end. Memory:
 * one line and one chunk.
 */
export async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
