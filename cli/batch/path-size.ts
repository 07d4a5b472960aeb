import { open, stat } from 'node:fs/promises';
import { MediaServiceError } from '../../api/errors';
import { unreadableReason } from '../../files/read-failure';

/** Bytes of a file on this machine. Rejects if it is missing or can't be read. */
export async function pathSize(path: string): Promise<number> {
  const wrong = (what: string): MediaServiceError =>
    new MediaServiceError('SourceMissing', `${path} ${what}`, {
      hint: "Check the path; relative paths start in the manifest's folder, or in --folder.",
    });
  const facts = await stat(path).catch((error: unknown) => {
    throw wrong(unreadableReason(error));
  });
  if (facts.isFile()) {
    const file = await open(path).catch((error: unknown) => {
      throw wrong(unreadableReason(error));
    });
    await file.close();
    return facts.size;
  }
  throw wrong(facts.isDirectory() ? 'is a folder' : 'is not a regular file');
}
