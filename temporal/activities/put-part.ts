import { Context } from '@temporalio/activity';
import { requestUrls } from '../../api/upload/session/additional-urls';
import { sendPart } from '../../api/upload/parts/part-send';
import type { PartSendDeps } from '../../api/upload/parts/part-send';
import { openSource } from '../../api/upload/sources/open-source';
import type { PartInput, PartResult } from '../../api/upload/upload-steps';
import type { ForAccount, Sealed } from '../contract';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { inActivity } from './context/in-activity';
import { keptUrl, startPartBeats } from './context/part-beats';
import type { BandwidthPlace } from './context/part-bandwidth';
import { openedUrl, sealedUrl } from './context/part-url';
import { sourceAccess } from './context/source-access';

/** A try's time is made for its bytes: who waits longer gives its slot back and comes again. */
const PERMIT_WAIT_MS = 30_000;

/** Sends one part, once. Plain URLs exist only in here. api.md, "Upload of each chunk". */
export function putPart(deps: ActivityDeps) {
  return ({ accountId, url: given, ...part }: ForAccount<PartInput<Sealed>>): Promise<PartResult> =>
    inActivity(async (signal) => {
      const { sealKeys } = accountOf(deps, accountId);
      const context = Context.current();
      const kept = keptUrl(context);
      const opened = openedUrl(sealKeys, part.uploadId, [kept, given]);
      const beats = startPartBeats(context, part.bytes, kept ?? given);
      const leaving = deps.drain.enter(part);
      let place: BandwidthPlace | undefined;
      try {
        place = await deps.bandwidth.enter(part, { accountId, queue: context.info.taskQueue });
        const input = { ...part, ...opened };
        const sent = await sendPart({ ...sendDeps(deps, accountId, input), ...paceOf(place) }, input, {
          signal: AbortSignal.any([signal, leaving.signal]),
          onBytes(bytes) {
            leaving.onBytes(bytes);
            beats.onBytes(bytes);
          },
          onPacing: beats.onPacing,
          onFreshUrl: (fresh) => beats.keep(sealedUrl(sealKeys, part.uploadId, fresh)),
        });
        deps.rate.note(sent);
        return { ...sent, partNumber: part.partNumber, attempts: context.info.attempt };
      } finally {
        place?.leave();
        leaving.leave();
        beats.stop();
      }
    });
}

function paceOf({ pace }: BandwidthPlace): Pick<PartSendDeps, 'pace'> {
  return pace === undefined ? {} : { pace };
}

function sendDeps(
  deps: ActivityDeps,
  accountId: string,
  { source, uploadId }: PartInput<string>,
): PartSendDeps {
  const { service } = accountOf(deps, accountId);
  return {
    transport: deps.transport,
    reader: openSource(sourceAccess(deps, accountId, source.source), source),
    contentType: service.options.partContentType,
    permitWaitMs: PERMIT_WAIT_MS,
    limiterOf: (url) => deps.limiters.of(url),
    takeTurn: (part, signal) => deps.storageTurns.take(part, signal),
    bytesPerSecond: () => deps.rate.bytesPerSecond(),
    requestUrls: (partNumbers, signal) => requestUrls(service, { uploadId, partNumbers }, signal),
  };
}
