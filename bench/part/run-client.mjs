import { spawn } from 'node:child_process';

/**
 * Runs one client as a process of its own under GNU time and reads what it says of itself: `{ ms, eTags?, includesComplete? }` as the
 * last line of its output. `signal` ends it and whatever it has started. Start-up of the process is not in `ms`; it is in the CPU seconds, for all alike.
 */
export async function runClient(client, job, signal) {
  const { command, args, stdin } = client.start(job);
  const child = spawn('/usr/bin/time', ['-f', '@@%U %S %M', command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: GNU time does not hand a signal on.
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
