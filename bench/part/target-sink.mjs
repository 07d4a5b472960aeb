import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A server that drops every byte, which shows the client's own maximum. */
export async function startSink() {
  const child = fork(fileURLToPath(new URL('./sink-server.mjs', import.meta.url)));
  const port = await new Promise((resolve) => child.once('message', resolve));
  return {
    title: 'discard sink, plain HTTP',
    isS3: false,
    async begin(parts) {
      return {
        job: { urls: Array.from({ length: parts }, (_, index) => `http://127.0.0.1:${port}/${index + 1}`) },
        finish: async () => undefined,
      };
    },
    medianCompleteMs: () => 0,
    stop: async () => {
      child.kill('SIGTERM');
    },
  };
}
