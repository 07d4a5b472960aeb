import type { Writable } from 'node:stream';

/** Resolves once everything that was written to the streams has left them, or can't any more. */
export async function written(streams: readonly Writable[]): Promise<void> {
  await Promise.all(streams.map(writtenOne));
}

function writtenOne(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', resolve);
    // Called after all earlier writes, also if they failed; their errors are reported by the stream.
    stream.write('', () => resolve());
  });
}
