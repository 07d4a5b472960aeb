import { accountId as idOf } from '../../../../api/account/account-id';
import type { Transport } from '../../../../api/transport/transport';
import type { ActivityDeps } from '../../../../temporal/activities/context/activity-deps';
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

/** What a worker of that account would give its activities. No folder is allowed unless `change` allows it. */
export function exampleDeps(transport: Transport, change: Partial<WorkerConfig> = {}): ActivityDeps {
  const temporal = { address: '127.0.0.1:1', namespace: 'default' };
  return depsOf({ temporal, accounts: [{ account }], host: 'here', roots: [], ...change }, transport);
}
