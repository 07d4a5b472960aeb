import { Context } from '@temporalio/activity';
import { startSession } from '../../api/upload/session/start-session';
import type { PartOfSession, PartResult, StartedSession } from '../../api/upload/upload-steps';
import type { StartOfSession, UploadGroupActivities } from '../contract/upload-groups';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { sealedUrl } from '../sealed-url';
import { withinTime } from './context/within-time';
import { CALL_YIELD_MS } from './groups/group-step';
import { runGroup } from './groups/run-group';
import { admitPart, send } from './send-parts';

/** A small file that needs longer is sent by a group of parts. */
const SEND_MS = 2_000;

/** A part whose turn comes later is left to a group of parts: it would be cut off here, and its turn lost. */
const TURN_MS = 500;

/**
 * Sends each `start` exactly once, and the only part of a small file with it. URLs of unsent parts enter the history
 * sealed. api.md, "POST {upload_url}/upload/start".
 */
export function startSessions(deps: ActivityDeps): UploadGroupActivities['startSessions'] {
  return (group) =>
    runGroup(
      deps,
      {
        name: 'startSession',
        concurrency: 32,
        once: true,
        yieldAfterMs: CALL_YIELD_MS,
        isFirstContact: true,
        factsOf: () => ({}),
        admit: (_input, signal) => deps.accountRates.admitCall(group.accountId, signal),
        async run(input, { signal }) {
          const { accountId } = group;
          const { service, sealKeys } = accountOf(deps, accountId);
          const session = await startSession(service, input, { signal });
          const sent = hasPart(input)
            ? await sendOnly(deps, { accountId, session, part: input, signal })
            : undefined;
          if (sent !== undefined) return { ...session, urls: [], sent };
          const urls = session.urls.map((one) => sealedUrl(sealKeys, session.uploadId, one));
          return { ...session, urls };
        },
      },
      group,
    );
}

function hasPart(input: StartOfSession): input is StartOfSession & PartOfSession {
  return input.source !== undefined;
}

interface OnlyPart {
  readonly accountId: string;
  readonly session: StartedSession<string>;
  readonly part: PartOfSession;
  readonly signal: AbortSignal;
}

/** Undefined if the part can't be sent now. The session stays, and a group of parts sends the part. */
async function sendOnly(
  deps: ActivityDeps,
  { accountId, session: { uploadId, urls }, part, signal }: OnlyPart,
): Promise<PartResult | undefined> {
  const { info, log } = Context.current();
  const { partNumber } = part;
  const facts = { accountId, uploadId, partNumber };
  const from = { accountId, queue: info.taskQueue };
  const url = urls.find((one) => one.partNumber === partNumber);
  const whole = { ...part, uploadId, ...(url === undefined ? {} : { url }) };
  try {
    return await withinTime(SEND_MS, signal, async (ending) => {
      const entry = { ...from, batch: info.priority?.fairnessKey, partNumber, maxWaitMs: TURN_MS };
      const leave = await admitPart(deps, entry, ending);
      try {
        const sent = await deps.watchStep({ step: 'sendPart', attempt: 1, facts }, () =>
          send(deps, { from, part: whole, signal: ending }),
        );
        return { ...sent, attempts: 1 };
      } finally {
        leave();
      }
    });
  } catch (error) {
    log.info('The file was not sent with its start, so it is sent separately', { ...facts, error });
    return undefined;
  }
}
