import { MediaServiceError } from '../../api/errors';
import type { StepFailure } from '../../api/upload/upload-steps';
import type { TargetResult } from '../contract/failure-report';

/** Why some targets got nothing. */
export type FailedTargets = StepFailure & { readonly targets: readonly string[] };

export interface FailedReport {
  readonly schedule: string;
  /** Of a test, no later run takes anything up. */
  readonly isTest: boolean;
  readonly targets: readonly string[];
  readonly failures: readonly FailedTargets[];
  readonly results: readonly TargetResult[];
}

/**
 * What a run fails with: a line for each target, be it delivered or not, each with what to do about it. Pure. The code is the first failure's; the
 * hint is that of all where they share one.
 */
export function failedReport({
  schedule,
  isTest,
  targets,
  failures,
  results,
}: FailedReport): MediaServiceError {
  const [first] = failures;
  const hints = new Set(failures.map(({ facts }) => facts.hint));
  const isShared = hints.size === 1;
  const lines = targets.flatMap((target) => [
    ...failures
      .filter((failure) => failure.targets.includes(target))
      .map((failure) => `${target}: ${isShared ? withoutStop(failure.message) : reasonOf(failure)}`),
    ...results
      .filter((result) => result.target === target)
      .map(({ outcome }) => `${target}: ${OUTCOMES[outcome]}`),
  ]);
  const { serviceMessage: _said, hint, ...facts } = first?.facts ?? {};
  const todo = isShared ? hint : 'Each target’s line says what to do.';
  const shown = [todo, isTest ? undefined : NEXT_RUN].filter((sentence) => sentence !== undefined).join(' ');
  return new MediaServiceError(
    first?.code ?? 'Internal',
    [`The report "${schedule}" failed.`, ...lines.map((line) => `  ${line}`)].join('\n'),
    {
      ...(failures.length === 1 ? first?.facts : facts),
      ...(shown === '' ? {} : { hint: shown }),
      details: {
        schedule,
        targetsReached: results.filter(({ outcome }) => outcome === 'delivered').length,
        targetsFailed: failures.length,
      },
    },
  );
}

/** What went wrong and what to do about it, in one line. */
export function reasonOf({ message, facts }: FailedTargets): string {
  return `${withoutStop(message)}.${facts.hint === undefined ? '' : ` ${facts.hint}`}`;
}

const NEXT_RUN = 'The next run takes up what was not delivered.';

const OUTCOMES: Readonly<Record<TargetResult['outcome'], string>> = {
  delivered: 'delivered',
  silent: 'nothing failed, so nothing was sent',
  nothingDue: 'nothing is due',
};

function withoutStop(message: string): string {
  return message.replace(/\.$/, '');
}
