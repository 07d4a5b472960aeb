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
