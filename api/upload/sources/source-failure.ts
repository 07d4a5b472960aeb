import type { Advice } from '../../advice';
import { MediaServiceError } from '../../errors';

export function sourceRefused(name: string, what: string, advice: Advice): MediaServiceError {
  return new MediaServiceError('SourceMissing', `the source ${name} ${what}`, {
    outcome: 'unsent',
    field: 'source',
    problem: `${name} ${what}`,
    ...advice,
  });
}

/** The source differs from the pinned one. */
export function sourceChanged(name: string, what: string): MediaServiceError {
  return new MediaServiceError(
    'SourceChanged',
    `the source ${name} changed since the upload started: ${what}`,
    {
      outcome: 'unsent',
      field: 'source',
      problem: `${name} changed since the upload started: ${what}`,
      hint: 'Upload it again once nothing writes to it any more: a mixed file is never completed.',
    },
  );
}

/** The file may still grow. It can be tried again when it is old enough. */
export function sourceTooYoung(name: string, ageMs: number, minAgeMs: number): MediaServiceError {
  const seconds = (ms: number): number => Math.round(ms / 1000);
  const what = `was written to ${seconds(ageMs)} s ago, and must rest for ${seconds(minAgeMs)} s first`;
  return new MediaServiceError('SourceUnavailable', `the source ${name} ${what}`, {
    outcome: 'unsent',
    field: MIN_AGE,
    problem: `${name} ${what}`,
    retryAfterMs: minAgeMs - ageMs,
    hint: 'A running upload continues once nothing has written to the file for that long.',
  });
}

export const MIN_AGE = 'source.minAgeMs';
