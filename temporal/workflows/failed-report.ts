import { adviceText } from '../../api/typescript-words';
import { MediaServiceError } from '../../api/errors';
import type { StepFailure } from '../../api/upload/upload-steps';
import type { TargetResult } from '../contract/failure-report';

/** Why some targets received nothing. */
export type FailedTargets = StepFailure & { readonly targets: readonly string[] };

interface FailedReport {
  readonly schedule: string;
  readonly targets: readonly string[];
  readonly failures: readonly FailedTargets[];
  readonly results: readonly TargetResult[];
}

/**
 * The error of a failed run. It has a line for each target, delivered or not, with what to do. Pure. Uses the first
 * failure's code. Has a hint only if all failures share it.
 */
export function failedReport({ schedule, targets, failures, results }: FailedReport): MediaServiceError {
  const [first] = failures;
  const hints = new Set(failures.map(({ facts }) => adviceText(facts)));
  const isShared = hints.size === 1;
  const lines = targets.flatMap((target) => [
    ...failures
      .filter((failure) => failure.targets.includes(target))
      .map((failure) => `${target}: ${isShared ? withoutStop(failure.message) : reasonOf(failure)}`),
    ...results
      .filter((result) => result.target === target)
      .map(({ outcome }) => `${target}: ${OUTCOMES[outcome]}`),
  ]);
  const { serviceMessage: _said, hint, remedy, ...facts } = first?.facts ?? {};
  const todo = isShared ? hint : "Each target's line says what to do.";
  const shown = [todo, NEXT_RUN].filter((sentence) => sentence !== undefined).join(' ');
  return new MediaServiceError(
    first?.code ?? 'Internal',
    [`The report "${schedule}" failed.`, ...lines.map((line) => `  ${line}`)].join('\n'),
    {
      ...(failures.length === 1 ? first?.facts : facts),
      ...(isShared && remedy !== undefined ? { remedy } : {}),
      hint: shown,
      details: {
        schedule,
        targetsReached: results.filter(({ outcome }) => outcome === 'delivered').length,
        targetsFailed: failures.length,
      },
    },
  );
}

/** What failed and what to do about it, in one line. */
export function reasonOf({ message, facts }: FailedTargets): string {
  const todo = adviceText(facts);
  return `${withoutStop(message)}.${todo === undefined ? '' : ` ${todo}`}`;
}

const NEXT_RUN = 'The next run delivers what is missing.';

const OUTCOMES: Readonly<Record<TargetResult['outcome'], string>> = {
  delivered: 'delivered',
  nothingDue: 'nothing is due',
};

function withoutStop(message: string): string {
  return message.replace(/\.$/, '');
}

/** The targets and why they failed, in one sentence. */
export function sentenceOf(failure: FailedTargets): string {
  return `${failure.targets.join(', ')}: ${reasonOf(failure)}`;
}
