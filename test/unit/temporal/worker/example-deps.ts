import { accountId as idOf } from '../../../../api/account';
import type { Transport } from '../../../../api/transport/transport';
import { depsOf } from '../../../../temporal/worker/deps-of';
import type { WorkerConfig } from '../../../../temporal/worker/worker-config';

/** The only account of activities that run without a worker. */
export const account = {
  baseUrl: 'https://service.example',
  uploadUrl: 'https://upload.example',
  apiKey: 'key',
  secretKey: 'a secret',
  externalId: 'studio',
};
export const accountId = idOf(account);

/** For activities that send nothing. */
const UNUSED: Transport = { send: () => Promise.reject(new Error('Nothing is sent here.')) };

/** What a worker of that account would give its activities. No folder is allowed unless `change` allows it. */
export function exampleDeps(
  transport = UNUSED,
  change: Partial<WorkerConfig> = {},
): ReturnType<typeof depsOf> {
  const temporal = { address: '127.0.0.1:1', namespace: 'default' };
  return depsOf({ temporal, accounts: [{ account }], host: 'here', roots: [], ...change }, transport);
}
