// `curl -T`, with as many processes at once as other clients send parts. Each part is a separate file.
import { spawn } from 'node:child_process';
import { runJob, sendParts } from './job.mjs';

await runJob((job) =>
  sendParts(job, async ({ index, url }) => {
    const headers = ['-H', 'content-type: application/octet-stream', '-H', 'expect:'];
    const trust = job.ca ? ['--cacert', job.ca] : [];
    const args = [
      '-sS',
      '-f',
      '-D',
      '-',
      '-o',
      '/dev/null',
      ...headers,
      ...trust,
      '-T',
      job.partFiles[index],
      url,
    ];
    const child = spawn('curl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let head = '';
    child.stdout.on('data', (text) => (head += text));
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`curl ended with ${code}`);
    return /^etag: (.*?)\r?$/im.exec(head)?.[1];
  }),
);
