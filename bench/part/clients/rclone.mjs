// rclone signs and completes uploads itself, so the caller subtracts the median time of `complete`.
import { spawn } from 'node:child_process';
import { runJob } from './job.mjs';

await runJob(async (job) => {
  const args = [
    ...['copyto', job.file, `:s3:${job.bucket}/${job.key}`, '--config', '/dev/null', '--retries', '1'],
    ...[
      '--s3-provider',
      'Other',
      '--s3-endpoint',
      job.endpoint,
      '--s3-force-path-style',
      '--s3-no-check-bucket',
    ],
    ...[
      '--s3-region',
      'us-east-1',
      '--s3-chunk-size',
      `${job.partBytes / 1024 / 1024}M`,
      '--s3-upload-cutoff',
      '0',
    ],
    ...['--s3-upload-concurrency', String(job.concurrency), '--ignore-times'],
    ...(job.ca ? ['--ca-cert', job.ca] : []),
    ...(job.checksum === false ? ['--s3-disable-checksum'] : []),
  ];
  const env = {
    ...process.env,
    RCLONE_S3_ACCESS_KEY_ID: job.accessKey,
    RCLONE_S3_SECRET_ACCESS_KEY: job.secretKey,
  };
  const begun = performance.now();
  const child = spawn('rclone', args, { stdio: ['ignore', 'inherit', 'inherit'], env });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`rclone ended with ${code}`);
  return { ms: performance.now() - begun, includesComplete: true };
});
