import { md5Engine } from '../../../api/md5/md5-engine';
import { requestUrl } from '../../../api/upload/protocol/additional-urls';
import { sendPart } from '../../../api/upload/part/send-part';
import type { PartToSend, SendPartHooks } from '../../../api/upload/part/send-part';
import { openSource } from '../../../files/sources/read-source';
import type { PartResult } from '../../../api/upload/types';
import { accountOf, sourceAccess } from '../activity-deps';
import type { ActivityDeps } from '../activity-deps';
import type { Sender } from './rates';

export interface Sending {
  readonly from: Sender;
  readonly part: PartToSend;
  readonly hooks: SendPartHooks;
}

/** Sends a part once, within the limits of this worker and the account. */
export async function send(
  deps: ActivityDeps,
  { from, part, hooks }: Sending,
): Promise<Omit<PartResult, 'attempts'>> {
  const { partNumber, source, uploadId } = part;
  const { service } = accountOf(deps, from.accountId);
  const sending = {
    transport: deps.transport,
    clock: service.clock,
    hash: md5Engine.open,
    reader: openSource(sourceAccess(deps, from.accountId), source),
    contentType: service.options.partContentType,
    admission: deps.partAdmissions.of(from),
    requestUrl: (one: number, signal: AbortSignal) =>
      requestUrl(service, { uploadId, partNumber: one }, signal),
  };
  return { ...(await sendPart(sending, part, hooks)), partNumber };
}
