import { isRecord } from '../api/json';
import { problemOf } from '../api/options/option';
import { given } from '../api/json';
import { AnsweredError } from './error-answer';
import { optionNamed } from './schemas';

/** What Fastify's validator says of one value. */
interface Finding {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** An error of the server library as ours. Every other error passes unchanged. */
export function requestError(error: unknown): unknown {
  if (!isRecord(error) || error instanceof AnsweredError) return error;
  const { validation, validationContext: part, code, statusCode } = error;
  if (Array.isArray(validation))
    return invalid(validation[0] as Finding, part === 'querystring' ? 'query' : 'body');
  const message = typeof code === 'string' ? REFUSALS[code] : undefined;
  if (message === undefined || typeof statusCode !== 'number') return error;
  const hint =
    statusCode === 413 ? 'Give more than 1.5 MB of rows in a manifest that workers can read.' : undefined;
  return new AnsweredError(statusCode, 'Validation', message, given({ hint }));
}

const REFUSALS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be JSON, with Content-Type: application/json.',
  FST_ERR_BAD_URL: "The address can't be read.",
  FST_ERR_MAX_PARAM_LENGTH: 'The id in the address is too long.',
};

/** The same words as at the other doors, as far as the option tables have them. */
function invalid(
  { instancePath, keyword, params, message = 'is wrong' }: Finding,
  part: string,
): AnsweredError {
  const names = instancePath.split('/').slice(1);
  const more = params['additionalProperty'] ?? params['missingProperty'];
  const field = [...names, ...(typeof more === 'string' ? [more] : [])].join('.');
  const option = optionNamed(names.at(-1) ?? '');
  const problem =
    (option === undefined ? undefined : problemOf(option, Number.NaN)) ?? saidBy(keyword, params) ?? message;
  return new AnsweredError(400, 'Validation', `${field === '' ? `the ${part}` : field} ${problem}`, {
    problem,
    ...given({ field: field === '' ? undefined : field }),
  });
}

function saidBy(keyword: string, { allowedValues, limit }: Finding['params']): string | undefined {
  if (keyword === 'additionalProperties') return 'is not known here';
  if (keyword === 'required') return 'is missing';
  if (keyword === 'maxLength') return `must have at most ${String(limit)} characters`;
  return Array.isArray(allowedValues) ? `must be one of ${allowedValues.join(', ')}` : undefined;
}
