import { given } from '../../../api/json';
import { md5Engine } from '../../../api/md5/md5-engine';
import { requestUrl } from '../../../api/upload/session/additional-urls';
import { sendPart } from '../../../api/upload/parts/send-part';
import type { PartToSend, SendPartDeps, SendPartHooks } from '../../../api/upload/parts/send-part';
import { openSource } from '../../../files/sources/read-source';
import type { PartResult } from '../../../api/upload/upload-steps';
import { accountOf, sourceAccess } from '../activity-deps';
import type { ActivityDeps } from '../activity-deps';
import type { RatedPart } from './rates';

/** Resolves when the part may be sent, with a function to call after it was sent. */
export async function admitPart(
  deps: ActivityDeps,
  part: RatedPart,
  signal: AbortSignal,
): Promise<() => void> {
  const leave = await deps.partSlots.enter(part.queue, signal);
  try {
    await deps.accountRates.admitPart(part, signal);
    return leave;
  } catch (error) {
    leave();
    throw error;
  }
}

export interface Sending {
  readonly from: Pick<RatedPart, 'accountId'>;
  readonly part: PartToSend;
  readonly hooks: SendPartHooks;
}

/** Sends a part once, within the limits of this worker and the account. */
export async function send(
  deps: ActivityDeps,
  { from, part, hooks }: Sending,
): Promise<Omit<PartResult, 'attempts'>> {
  const { partNumber, url } = part;
  if (url !== undefined)
    await deps.accountRates.admitToHost({ ...from, partNumber, url: url.url }, hooks.signal);
  const sent = await sendPart(sendDeps(deps, from.accountId, part), part, hooks);
  return { ...sent, partNumber };
}

function sendDeps(deps: ActivityDeps, accountId: string, { source, uploadId }: PartToSend): SendPartDeps {
  const service = accountOf(deps, accountId).service;
  return {
    transport: deps.transport,
    clock: service.clock,
    hash: md5Engine.open,
    reader: openSource(sourceAccess(deps, accountId, source.source), source),
    contentType: service.options.partContentType,
    ...given({ byteLimiter: deps.byteLimiter }),
    limiterOf: (url) => deps.limiters.of(url),
    requestUrl: (partNumber, signal) => requestUrl(service, { uploadId, partNumber }, signal),
  };
}
