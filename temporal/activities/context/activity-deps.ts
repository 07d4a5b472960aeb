import { MediaServiceError } from '../../../api/errors';
import type { NamedSecrets } from '../../../api/named-secrets';
import type { Service } from '../../../api/service/service';
import type { Transport } from '../../../api/transport/transport';
import type { AimdLimiters } from '../../../api/upload/parts/aimd-limiter';
import type { SealKeys } from '../../seal';
import type { AccountLimits } from '../../../api/account/account';
import type { AccountRates } from './account-rates';
import type { Drain } from './drain';
import type { PartBandwidth } from './part-bandwidth';
import type { PartSlots } from './part-slots';
import type { PollSlots } from './poll-slots';
import type { WatchStep } from './watch-step';
import type { StorageTurns } from './storage-turns';
import type { PartRate } from '../../../api/upload/parts/part-rate';
import type { PlaceAccess } from '../../../places/place-access';

/** What the activities of one worker process share. */
export interface ActivityDeps {
  readonly accounts: ReadonlyMap<string, AccountDeps>;
  /** This machine's name in queues and path sources. */
  readonly host: string;
  readonly roots: readonly string[];
  readonly sourceHosts: readonly string[];
  readonly spoolDir?: string;
  /** Manifests, accounts of batches, reports; its S3 serves sources, too. */
  readonly places: PlaceAccess;
  /** Headers of sources, addresses of mail servers, keys of signatures. */
  readonly secrets: NamedSecrets;
  /** To object storage and to http sources. */
  readonly transport: Transport;
  /** Of storage origins, for all accounts. */
  readonly limiters: AimdLimiters;
  readonly rate: PartRate;
  readonly bandwidth: PartBandwidth;
  /** Of storage hosts, for all accounts. */
  readonly storageTurns: StorageTurns;
  /** Of the control slots of each account. */
  readonly pollSlots: PollSlots;
  /** Of the transfer queues of each account. */
  readonly partSlots: PartSlots;
  /** What the limits of each account leave to this worker. */
  readonly accountRates: AccountRates;
  readonly drain: Drain;
  /** Counts and traces each try of a step. */
  readonly watchStep: WatchStep;
}

export interface AccountDeps {
  readonly service: Service;
  readonly sealKeys: SealKeys;
  readonly limits: AccountLimits;
}

/** The account's secrets and service; throws `AccountNotServed` (retryable: another worker may hold them) where this worker has none. */
export function accountOf({ accounts }: ActivityDeps, accountId: string): AccountDeps {
  const account = accounts.get(accountId);
  if (account !== undefined) return account;
  throw new MediaServiceError(
    'AccountNotServed',
    `This worker holds no secrets for the account ${accountId}: the task was misrouted.`,
    {
      outcome: 'unsent',
      hint: 'Compare base URL, upload URL and external id of starter and worker, and start a worker for this account.',
      details: { accountId },
    },
  );
}
