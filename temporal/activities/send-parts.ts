import { Context } from '@temporalio/activity';
import { requestUrls } from '../../api/upload/session/additional-urls';
import { sendPart } from '../../api/upload/parts/part-send';
import type { PartSendDeps } from '../../api/upload/parts/part-send';
import { openSource } from '../../api/upload/sources/open-source';
import type { PartInput, PartResult } from '../../api/upload/upload-steps';
import type { Sealed } from '../contract';
import type { UploadGroupActivities } from '../contract/upload-groups';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import type { PartQueue, BandwidthPlace } from './context/part-bandwidth';
import { openedUrl, sealedUrl } from './context/part-url';
import { sourceAccess } from './context/source-access';
import type { Attempt } from './groups/group-step';
import { createPartsUnderWay } from './groups/parts-under-way';
import type { PartUnderWay } from './groups/parts-under-way';
import { runGroup } from './groups/run-group';

/** A try's time is made for its bytes: who waits longer comes again. */
const PERMIT_WAIT_MS = 30_000;

/** Sends parts, each once a try. Each part takes its slot, its permit and its share of rates and bandwidth. api.md, "Upload of each chunk". */
export function sendParts(deps: ActivityDeps): UploadGroupActivities['sendParts'] {
  return (group) => {
    const { info } = Context.current();
    const from: PartQueue = { accountId: group.accountId, queue: info.taskQueue };
    const batch = info.priority?.fairnessKey;
    const transfer = createPartsUnderWay();
    return runGroup(
      deps,
      {
        name: 'putPart',
        concurrency: group.inputs.length,
        transfer,
        factsOf: ({ uploadId, partNumber }) => ({ uploadId, partNumber }),
        admit: (part, signal) => admit(deps, { ...from, batch, partNumber: part.partNumber }, signal),
        async run(part, attempt) {
          const underWay = transfer.begin(part.bytes);
          let wasSent = false;
          try {
            const result = await send({ deps, from, part, attempt, underWay });
            wasSent = true;
            return result;
          } finally {
            underWay.end(wasSent);
          }
        },
      },
      group,
    );
  };
}

async function admit(
  deps: ActivityDeps,
  part: Parameters<ActivityDeps['accountRates']['admitPart']>[0],
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

interface Sending {
  readonly deps: ActivityDeps;
  readonly from: PartQueue;
  readonly part: PartInput<Sealed>;
  readonly attempt: Attempt<PartInput<Sealed>>;
  readonly underWay: PartUnderWay;
}

/** Plain URLs exist only in here. */
async function send({ deps, from, part: sealedPart, attempt, underWay }: Sending): Promise<PartResult> {
  const { sealKeys } = accountOf(deps, from.accountId);
  const { url, ...part } = sealedPart;
  const leaving = deps.drain.enter(part);
  let place: BandwidthPlace | undefined;
  try {
    place = await deps.bandwidth.enter(part, from);
    const input = { ...part, ...openedUrl(sealKeys, part.uploadId, [url]) };
    const sent = await sendPart({ ...sendDeps(deps, from.accountId, input), ...paceOf(place) }, input, {
      signal: AbortSignal.any([attempt.signal, leaving.signal]),
      onBytes(bytes) {
        leaving.onBytes(bytes);
        underWay.onBytes(bytes);
      },
      onPacing: underWay.onPacing,
      onFreshUrl: (fresh) =>
        attempt.replace({ ...sealedPart, url: sealedUrl(sealKeys, part.uploadId, fresh) }),
    });
    deps.rate.note(sent);
    return { ...sent, partNumber: part.partNumber, attempts: attempt.number };
  } finally {
    place?.leave();
    leaving.leave();
  }
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
