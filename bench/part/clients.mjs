import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (file) => fileURLToPath(new URL(`./clients/${file}`, import.meta.url));
const node = (file, more = {}) => ({
  start: (job) => ({
    command: process.execPath,
    args: [here(file)],
    stdin: JSON.stringify({ ...job, ...more }),
  }),
});
const missing = (command, args) => () =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0 ? undefined : `${command} is not installed`;

/** The measured clients. `needsS3`: the client signs its own requests, so the discard sink can't take them. */
export const CLIENTS = [
  { name: 'curl', ...node('curl.mjs'), unavailable: missing('curl', ['--version']) },
  { name: 'ours without MD5', ...node('ours.mjs', { verifyMd5: false }) },
  { name: 'ours with MD5', ...node('ours.mjs', { verifyMd5: true }) },
  { name: 'bare undici generator', ...node('undici-bare.mjs') },
  { name: 'fetch', ...node('fetch.mjs') },
  { name: '@aws-sdk/lib-storage', needsS3: true, ...node('lib-storage.mjs') },
  {
    name: 'rclone',
    needsS3: true,
    ...node('rclone.mjs'),
    unavailable: missing('rclone', ['version']),
  },
  {
    name: 'rclone without checksum',
    needsS3: true,
    ...node('rclone.mjs', { checksum: false }),
    unavailable: missing('rclone', ['version']),
  },
  {
    name: 's3transfer CRT',
    needsS3: true,
    start: (job) => ({ command: 'python3', args: [here('crt.py')], stdin: JSON.stringify(job) }),
    unavailable: missing('python3', ['-c', 'import boto3, awscrt']),
  },
];
