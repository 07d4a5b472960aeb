import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { DeliveryReport } from '../../../reports/report';
import type { ForAccount } from '../../upload/types';
import type { ReportSchedule, ReportTarget } from '../types';
import { accountOf } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import { inHeartbeatingActivity } from '../../worker/in-activity';
import { failureMessage, reportMessage, writeFiles } from './message';
import type { Message } from './message';
import { ConfigurationError, MediaServiceError } from '../../../api/errors';
import type { ReportFailure } from '../../../reports/mail/failure-mail';
import { applicationFailureOf } from '../../application-failure';
import { unseal, webhookUrlPurpose } from '../../seal';
import { postWebhook, signingKey } from './post-webhook';
import { sendMail } from './send-mail';
import type { Period } from '../../../reports/period/period';

type ToTarget = ForAccount<{ readonly schedule: ReportSchedule; readonly target: ReportTarget }>;

/**
 * Delivers the report to one target. A try without an answer is repeated under the same name, so that the receiver can
 * recognise it.
 */
export function deliverReport(deps: ActivityDeps) {
  return ({ report, ...to }: ToTarget & { readonly report: DeliveryReport }): Promise<string> =>
    inHeartbeatingActivity((signal) => {
      const { from, to: until } = report;
      const name = deliveryName({
        ...senderOf(to),
        target: to.target.key,
        kind: 'report',
        period: { from, to: until },
      });
      return deliverMessage(deps, to, { message: reportMessage(report, senderOf(to)), name, signal });
    });
}

type Alert = ToTarget & { readonly failure: ReportFailure; readonly runId: string };

/**
 * Notifies a target that the report failed. Retries only if nothing can have been sent, so that a run sends at most
 * one such message.
 */
export function alertTarget(deps: ActivityDeps) {
  return ({ failure, runId, ...to }: Alert): Promise<string> =>
    inHeartbeatingActivity(async (signal) => {
      const name = deliveryName({ ...senderOf(to), target: to.target.key, kind: 'failed', runId });
      try {
        const message = failureMessage(failure, senderOf(to));
        return await deliverMessage(deps, to, { message, name, signal });
      } catch (error) {
        if (error instanceof MediaServiceError && error.outcome === 'unsent') throw error;
        const failure = applicationFailureOf(error);
        if (!(failure instanceof ApplicationFailure)) throw failure;
        const { message, type, details } = failure;
        throw new ApplicationFailure(message, type, true, details);
      }
    });
}

function senderOf({ accountId, schedule }: ToTarget) {
  return { schedule: schedule.id, accountId };
}

interface MessageOut {
  readonly message: Message;
  /** See `deliveryName`. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Delivers the message to one target once. Resolves with the location or id of the message there. */
async function deliverMessage(
  deps: ActivityDeps,
  { accountId, schedule, target }: ToTarget,
  { message, name, signal }: MessageOut,
): Promise<string> {
  switch (target.kind) {
    case 'mail': {
      if (schedule.mail === undefined) throw noMailSettings();
      const mail = message.mail();
      // Rendering can take a while. If this try was abandoned meanwhile, its successor sends the mail.
      signal.throwIfAborted();
      return sendMail(deps.secrets, { settings: schedule.mail, to: target.address, mail, name });
    }
    case 'webhook': {
      const { service, sealKeys } = accountOf(deps, accountId);
      const url = unseal(sealKeys, target.url, webhookUrlPurpose(target.key));
      const { webhookSecret: secret } = schedule;
      const key = secret === undefined ? undefined : signingKey(await deps.secrets.read(secret), secret);
      await postWebhook({ ...deps, clock: service.clock }, { url, body: message.body(), name, key, signal });
      return name;
    }
    case 'folder':
      return writeFiles(deps.files, target.folder, message.files());
  }
}

function noMailSettings(): ConfigurationError {
  return new ConfigurationError(
    'mail',
    'the schedule has a mail target and names no mail server',
    'Create it again with the secret of a mail server and a sender.',
  );
}

/** What identifies a message, whoever sends it and however often. */
interface DeliveryIdentity {
  readonly accountId: string;
  readonly schedule: string;
  /** `report` or `failed`. */
  readonly kind: string;
  readonly target: string;
  /** Unset: the run failed before it had a period. */
  readonly period?: Period;
  /** Id of the workflow's run, for failures. */
  readonly runId?: string;
}

/** 32 hexadecimal digits: the Idempotency-Key of a post and the first half of a Message-ID. */
export function deliveryName(identity: DeliveryIdentity): string {
  const { accountId, schedule, kind, target, period, runId } = identity;
  const parts = [accountId, schedule, kind, target, period?.from ?? '', period?.to ?? '', runId ?? ''];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
