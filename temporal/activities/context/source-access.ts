import type { SourceAccess } from '../../../api/upload/sources/source-access';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { labelOfSource } from '../../../api/upload/sources/source-rules';
import { handOverPurpose, sourceUrlPurpose, unseal } from '../../seal';
import { accountOf } from './activity-deps';
import type { ActivityDeps } from './activity-deps';

/** What this worker may read. The account's key opens the sealed URL of this source. */
export function sourceAccess(deps: ActivityDeps, accountId: string, source: SourceDescriptor): SourceAccess {
  const { sealKeys } = accountOf(deps, accountId);
  const { roots, sourceHosts, transport, spoolDir, files, secrets, host } = deps;
  const purpose = sourceUrlPurpose(labelOfSource(source));
  return {
    roots,
    sourceHosts,
    transport,
    s3: files.s3,
    secrets,
    host,
    unseal: (url) => unseal(sealKeys, url, purpose),
    proveHandOver: ({ path, handOverProof }) => void unseal(sealKeys, handOverProof, handOverPurpose(path)),
    ...(spoolDir === undefined ? {} : { spoolDir }),
  };
}
