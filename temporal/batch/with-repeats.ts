import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Repeats } from '../../manifest/check/repeats';
import { repeatedId } from '../../manifest/mistakes';
import { isMistake } from '../../manifest/row';
import type { ManifestMistake, ManifestRow } from '../../manifest/row';

/** The rows, and after them a mistake for each repeated id. */
export async function* withRepeats(
  rows: AsyncIterable<ManifestRow | ManifestMistake>,
): AsyncGenerator<ManifestRow | ManifestMistake> {
  const folder = await mkdtemp(join(tmpdir(), 'media-service-batch-'));
  try {
    const repeats = new Repeats(folder);
    for await (const item of rows) {
      const id = isMistake(item) ? item.readable?.id : item.id;
      if (id !== undefined) await repeats.add(id, item.line);
      yield item;
    }
    for await (const { key, line, firstLine } of repeats.found()) {
      yield repeatedId(key, line, firstLine);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
