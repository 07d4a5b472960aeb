import { MediaServiceError } from '../api/errors';

/** A failure of reading the manifest itself, in words that tell it from one of the sources that its rows name. Other errors pass as they are. */
export function manifestFailure(error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const { code, message, facts } = error;
  if (!message.startsWith(SOURCE)) return error;
  const { field, hint } = facts;
  return new MediaServiceError(
    code,
    `the manifest ${message.slice(SOURCE.length)}`,
    {
      ...facts,
      ...(field === undefined ? {} : { field: 'manifest' }),
      ...(hint === undefined ? {} : { hint: hint.replace('that runs this upload', 'that reads it') }),
    },
    { cause: error },
  );
}

const SOURCE = 'the source ';
