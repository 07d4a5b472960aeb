import { ConfigurationError } from '../../../../api/errors';
import type { ReportSchedule, ReportTarget } from '../../../contract/failure-report';
import { webhookUrlPurpose, unseal } from '../../../seal';
import { accountOf } from '../../context/activity-deps';
import type { ActivityDeps } from '../../context/activity-deps';
import type { Message } from './message';
import { postWebhook } from './post-webhook';
import { sendMail } from './send-mail';
import { writeFiles } from './write-files';

interface MessageOut {
  readonly accountId: string;
  readonly schedule: ReportSchedule;
  readonly target: ReportTarget;
  readonly message: Message;
  /** See `deliveryName`. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Delivers the message to one target once. Resolves with the location or id of the message there. */
export async function deliverMessage(deps: ActivityDeps, out: MessageOut): Promise<string> {
  const { accountId, schedule, target, message, name, signal } = out;
  switch (target.kind) {
    case 'mail': {
      if (schedule.mail === undefined) throw noMailSettings();
      const mail = await message.mail();
      // Rendering can take a while. If this try was abandoned meanwhile, its successor sends the mail.
      signal.throwIfAborted();
      return sendMail(deps.secrets, { settings: schedule.mail, to: target.address, mail, name });
    }
    case 'webhook': {
      const { service, sealKeys } = accountOf(deps, accountId);
      const url = unseal(sealKeys, target.url, webhookUrlPurpose(target.key));
      await postWebhook(
        { ...deps, clock: service.clock },
        { url, body: message.body(), name, secretName: schedule.webhookSecret, signal },
      );
      return name;
    }
    case 'folder':
      return writeFiles(deps.files, target.folder, await message.files());
  }
}

function noMailSettings(): ConfigurationError {
  return new ConfigurationError(
    'mail',
    'the schedule has a mail target and names no mail server',
    'Create it again with the secret of a mail server and a sender.',
  );
}
