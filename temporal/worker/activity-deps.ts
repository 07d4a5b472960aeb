import { MediaServiceError } from '../../api/errors';
import type { NamedSecrets } from '../../api/upload/sources/http/secret-headers';
import type { Service } from '../../api/service/service';
import type { Transport } from '../../api/transport/transport';
import type { Metrics } from '../metrics';
import { deletePurpose, sourceUrlPurpose, unseal } from '../seal';
import type { SealKeys } from '../seal';
import type { AccountLimits } from '../../api/account';
import type { PartAdmissions } from './limits/part-admission';
import type { KnownHosts } from './limits/known-hosts';
import type { Rates } from './limits/rates';
import type { RowSlots } from './limits/row-slots';
import type { FileAccess } from '../../files/output-path';
import type { SourceAccess } from '../../files/sources/source-access';

/** What the activities of one worker process share. */
export interface ActivityDeps {
  readonly accounts: ReadonlyMap<string, AccountDeps>;
  /** This worker's name in Temporal. */
  readonly identity: string;
  /** This machine's name in queues and path sources. */
  readonly host: string;
  readonly roots: readonly string[];
  readonly sourceHosts: readonly string[];
  readonly spoolDir?: string;
  /** For manifests, results of batches and reports. Its S3 access also serves sources. */
  readonly files: FileAccess;
  /** Headers for sources, URLs of mail servers, and signing keys. */
  readonly secrets: NamedSecrets;
  /** For requests to object storage and to http sources. */
  readonly transport: Transport;
  readonly knownHosts: KnownHosts;
  readonly partAdmissions: PartAdmissions;
  /** For calls of the service. */
  readonly accountRates: Pick<Rates, 'admitCall'>;
  /** Rows of batches at once, for all accounts. */
  readonly rowSlots: RowSlots;
  /** Aborted: this worker stops, and must not begin anything that another worker could do. */
  readonly stopping: AbortController;
  /** How long running activities may continue after the signal to stop, ms. */
  readonly shutdownGraceMs: number;
  readonly metrics: Metrics;
}

export interface AccountDeps {
  readonly service: Service;
  readonly sealKeys: SealKeys;
  readonly limits: AccountLimits;
}

/**
 * The account's secrets and service. Throws `AccountNotServed` if this worker does not have them. That error is
 * retryable, because another worker may have them.
 */
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

/** What this worker may read. The account's key opens the sealed URLs of its sources. */
export function sourceAccess(deps: ActivityDeps, accountId: string): SourceAccess {
  const { sealKeys } = accountOf(deps, accountId);
  const { roots, sourceHosts, transport, spoolDir, files, secrets, host } = deps;
  return {
    ...{ roots, sourceHosts, transport, s3: files.s3, secrets, host },
    unseal: (url, label) => unseal(sealKeys, url, sourceUrlPurpose(label)),
    proveOwn: (object) => void unseal(sealKeys, object.deleteProof, deletePurpose(object)),
    ...(spoolDir === undefined ? {} : { spoolDir }),
  };
}
