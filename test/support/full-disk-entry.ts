/** A process on a full disk: writes a file into the folder that its argument names, and prints the failure as JSON. */
import { MediaServiceError } from '../../api/errors';
import { writeDiskFile } from '../../files/disk-files';

const [folder = ''] = process.argv.slice(2);

async function* fourMebibytes(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < 4; piece += 1) yield Buffer.alloc(1024 * 1024);
}

// With a handler the write fails; without one the signal ends the process.
process.on('SIGXFSZ', () => undefined);
writeDiskFile({ outputRoots: [folder] }, `${folder}/results.jsonl`, fourMebibytes()).then(
  () => process.stdout.write('{}'),
  (error: unknown) => {
    const { code, message, facts } =
      error instanceof MediaServiceError ? error : { code: '', message: String(error), facts: {} };
    process.stdout.write(JSON.stringify({ code, message, facts }));
  },
);
