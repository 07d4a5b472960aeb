/** A process on a full disk: does the write that its argument names in a folder, and prints the failure as JSON. */
import { MediaServiceError } from '../../api/errors';
import { writeOutputFile } from '../../cli/output/output-file';
import { writeDiskFile } from '../../files/disk-files';

const [operation = '', folder = ''] = process.argv.slice(2);

async function* fourMebibytes(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < 4; piece += 1) yield Buffer.alloc(1024 * 1024);
}

async function* oneText(): AsyncGenerator<string> {
  yield 'x'.repeat(4 * 1024 * 1024);
}

const OPERATIONS: Readonly<Record<string, () => Promise<unknown>>> = {
  location: () => writeDiskFile({ outputRoots: [folder] }, `${folder}/results.jsonl`, fourMebibytes()),
  outputFile: () => writeOutputFile({ cwd: folder, path: 'out.csv' }, oneText()),
};

// With a handler the write fails; without one the signal ends the process.
process.on('SIGXFSZ', () => undefined);
Promise.resolve(OPERATIONS[operation]?.()).then(
  () => process.stdout.write('{}'),
  (error: unknown) => {
    const { code, message, facts } =
      error instanceof MediaServiceError ? error : { code: '', message: String(error), facts: {} };
    process.stdout.write(JSON.stringify({ code, message, facts }));
  },
);
