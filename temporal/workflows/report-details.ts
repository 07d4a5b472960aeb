import type { ReportFigures, TargetResult } from '../contract/failure-report';
import { zonedPeriod } from '../contract/zoned-time';
import { sentenceOf, type FailedTargets } from './failed-report';

/** The details of a report in Temporal's UI: a few lines of Markdown, times in the schedule's zone. */
export function reportDetails(
  zone: string,
  {
    figures,
    results,
    failures,
  }: {
    readonly figures: readonly ReportFigures[];
    readonly results: readonly TargetResult[];
    readonly failures: readonly FailedTargets[];
  },
): string {
  const lines = [
    ...figures.map(
      ({ from, to, total, failed }) =>
        `**${zonedPeriod({ from, to }, zone)}**: ${String(failed)} of ${String(total)} failed`,
    ),
    ...results.map(({ target, outcome }) => `- ${target}: ${outcome}`),
    ...failures.map((failure) => `- **not delivered** ${sentenceOf(failure)}`),
  ];
  return lines.join('\n\n');
}
