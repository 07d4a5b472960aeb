/**
 * One n8n, locked down, for everything that is seen through its REST interface; each file beside this one is a part of
 * it.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { asText } from '../../n8n/support/as-text';
import { secretsIn } from '../../support/canary';
import { useStage } from '../support/n8n-stage';
import { SECRET_TRACES } from '../support/service-fixture';
import type { RunningN8n } from '../support/start-n8n';
import { describeCommandLine } from './command-line';
import { describeRestarts, SIGNATURE } from './restarts';
import { describeWaits } from './waits';

const on = useStage({
  env: ({ folder }) => ({
    N8N_LOG_LEVEL: 'debug',
    N8N_CONCURRENCY_PRODUCTION_LIMIT: '2',
    N8N_SSRF_PROTECTION_ENABLED: 'true',
    N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32',
    N8N_RESTRICT_FILE_ACCESS_TO: folder,
    N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
  }),
});

describeCommandLine(on);
describeWaits(on);
describeRestarts(on);

test('after all of this n8n holds no secret in its database, log or files', async () => {
  const { n8n } = on;
  const exported = { resource: 'webhookDelivery', operation: 'export', period: 'last30Days' };
  const [file] = await on.run(exported);
  // The same search finds what n8n does keep: the title of an upload, its message at the start, and the name of a file.
  const found = await secretsKept(n8n, [
    'cut off',
    'Editor is now accessible',
    asText(file?.json['fileName']),
  ]);
  expect(found.map((file) => file.replace(/(?:-wal)?:.*/, ''))).toEqual(
    expect.arrayContaining(['the log', 'database.sqlite', expect.stringContaining('binary_data')]),
  );
  expect(await secretsKept(n8n, SECRET_TRACES)).toEqual([]);
  // The workflow itself contains what its author wrote into the field.
  const signed = await secretsKept(n8n, [SIGNATURE]);
  expect(signed.length).toBeGreaterThan(0);
  expect(signed.filter((file) => !file.startsWith('database.sqlite'))).toEqual([]);
});

/**
 * Where n8n keeps one of the secrets: in a file of its folder (database, log, binary data, settings) or in its output.
 * Ignores the installed package. Only n8n's encryption of credentials may hide them.
 */
async function secretsKept(n8n: RunningN8n, secrets: readonly string[]): Promise<string[]> {
  const found = secretsIn(n8n.process.log(), secrets).map((secret) => `the log: ${secret}`);
  const folder = join(n8n.userFolder, '.n8n');
  for (const path of await readdir(folder, { recursive: true })) {
    if (path.startsWith(`nodes${sep}`)) continue;
    const text = await readFile(join(folder, path), 'latin1').catch(() => '');
    found.push(...secretsIn(text, secrets).map((secret) => `${path}: ${secret}`));
  }
  return found;
}
