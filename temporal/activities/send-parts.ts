import { Context } from '@temporalio/activity';
import { requestUrls } from '../../api/upload/session/additional-urls';
import { sendPart } from '../../api/upload/parts/send-part';
import type { SendPartDeps, SendPartHooks, PartToSend } from '../../api/upload/parts/send-part';
import { openSource } from '../../api/upload/sources/read-source';
import type { PartInput, PartResult } from '../../api/upload/upload-steps';
import type { Sealed } from '../contract/upload';
import type { UploadGroupActivities } from '../contract/upload-groups';
import { accountOf, uploadServiceOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import type { PartQueue, BandwidthShare } from './context/part-bandwidth';
import { openedUrl, sealedUrl } from '../sealed-url';
import { sourceAccess } from './context/source-access';
import type { Attempt } from './groups/group-step';
import { createPartsUnderWay } from './groups/parts-under-way';
import type { PartsUnderWay } from './groups/parts-under-way';
import { runGroup } from './groups/run-group';

/** The time of a try is enough only for its bytes. A part that waits longer is requeued. */
const PERMIT_WAIT_MS = 30_000;

/**
 * Sends each part once per try. Each part needs a slot, a permit and its share of rates and bandwidth. api.md, "Upload
 * of each chunk".
 */
export function sendParts(deps: ActivityDeps): UploadGroupActivities['sendParts'] {
  return (group) => {
    const { info } = Context.current();
    const from: PartQueue = { accountId: group.accountId, queue: info.taskQueue };
    const batch = info.priority?.fairnessKey;
    const transfer = createPartsUnderWay();
    return runGroup(
      deps,
      {
        name: 'sendPart',
        concurrency: group.inputs.length,
        transfer,
        factsOf: ({ uploadId, partNumber }) => ({ uploadId, partNumber }),
        admit: (part, signal) => admitPart(deps, { ...from, batch, partNumber: part.partNumber }, signal),
        run: (part, attempt) => sendTracked(deps, { from, part, attempt, transfer }),
      },
      group,
    );
  };
}

interface Tracked {
  readonly from: PartQueue;
  readonly part: PartInput<Sealed>;
  readonly attempt: Attempt<PartInput<Sealed>>;
  readonly transfer: PartsUnderWay;
}

/** Sends a part with a sealed URL. The heartbeats of its group show its bytes, and carry a fresh URL. */
async function sendTracked(
  deps: ActivityDeps,
  { from, part: sealed, attempt, transfer }: Tracked,
): Promise<PartResult> {
  const underWay = transfer.begin(sealed.bytes);
  const { sealKeys } = accountOf(deps, from.accountId);
  const { url, ...part } = sealed;
  let wasSent = false;
  try {
    const opened = { ...part, ...openedUrl(sealKeys, part.uploadId, [url]) };
    const onFreshUrl: SendPartHooks['onFreshUrl'] = (fresh) =>
      attempt.replace({ ...sealed, url: sealedUrl(sealKeys, part.uploadId, fresh) });
    const hooks = { ...underWay, onFreshUrl };
    const result = await send(deps, { from, part: opened, signal: attempt.signal, hooks });
    wasSent = true;
    return { ...result, attempts: attempt.number };
  } finally {
    underWay.end(wasSent);
  }
}

/** Resolves when the part may be sent, with a function to call after it was sent. */
export async function admitPart(
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

export interface Sending {
  readonly from: PartQueue;
  readonly part: PartToSend;
  readonly signal: AbortSignal;
  readonly hooks?: Partial<SendPartHooks>;
}

/** Sends a part once, within the limits of this worker and the account. */
export async function send(
  deps: ActivityDeps,
  { from, part, signal, hooks = {} }: Sending,
): Promise<Omit<PartResult, 'attempts'>> {
  const leaving = deps.drain.enter(part);
  let share: BandwidthShare | undefined;
  try {
    share = await deps.bandwidth.enter(part, from);
    const sent = await sendPart({ ...sendDeps(deps, from.accountId, part), ...byteLimiterOf(share) }, part, {
      ...hooks,
      signal: AbortSignal.any([signal, leaving.signal]),
      onBytes(bytes) {
        leaving.onBytes(bytes);
        hooks.onBytes?.(bytes);
      },
    });
    deps.rate.note(sent);
    return { ...sent, partNumber: part.partNumber };
  } finally {
    share?.leave();
    leaving.leave();
  }
}

function byteLimiterOf({ byteLimiter }: BandwidthShare): Pick<SendPartDeps, 'byteLimiter'> {
  return byteLimiter === undefined ? {} : { byteLimiter };
}

function sendDeps(deps: ActivityDeps, accountId: string, { source, uploadId }: PartToSend): SendPartDeps {
  const service = uploadServiceOf(deps, accountId);
  return {
    transport: deps.transport,
    reader: openSource(sourceAccess(deps, accountId, source.source), source),
    contentType: service.options.partContentType,
    permitWaitMs: PERMIT_WAIT_MS,
    limiterOf: (url) => deps.limiters.of(url),
    acquire: (part, signal) => deps.storageSlots.take(part, signal),
    bytesPerSecond: () => deps.rate.bytesPerSecond(),
    requestUrls: (partNumbers, signal) => requestUrls(service, { uploadId, partNumbers }, signal),
  };
}
