import { spawn } from 'node:child_process';

/**
 * Runs one client as a separate process under GNU time, and reads its figures from the last line of its output: `{ ms,
 * eTags?, includesComplete? }`. `signal` ends it and all its child processes. `ms` does not include the start of the
 * process, but the CPU seconds do, for all clients.
 */
export async function runClient(client, job, signal) {
  const { command, args, stdin } = client.start(job);
  const child = spawn('/usr/bin/time', ['-f', '@@%U %S %M', command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own process group, because GNU time does not pass a signal on.
    detached: true,
  });
  const end = () => process.kill(-child.pid, 'SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  child.stdin.end(stdin);
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => signal.removeEventListener('abort', end));
  if (code !== 0) throw new Error(`${client.name} ended with ${code}: ${err.slice(-2000)}`);
  const [, user, system, kilobytes] = /@@([\d.]+) ([\d.]+) (\d+)/.exec(err);
  const said = JSON.parse(out.trim().split('\n').at(-1));
  return {
    ...said,
    bytes: job.bytes,
    cpuSeconds: Number(user) + Number(system),
    rssMb: (Number(kilobytes) * 1024) / 1e6,
  };
}
