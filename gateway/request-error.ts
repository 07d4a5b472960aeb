import { given, isRecord } from '../api/json';
import { problemOf } from '../api/options/option';
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
  const path = [...names, ...(typeof more === 'string' ? [more] : [])].join('.');
  const field = path === '' ? undefined : path;
  const option = optionNamed(names.at(-1) ?? '');
  const range = option && problemOf(option, Number.NaN);
  const problem = range ?? WANTED[keyword]?.(params) ?? message;
  const facts = { problem, ...given({ field }) };
  return new AnsweredError(400, 'Validation', `${field ?? `the ${part}`} ${problem}`, facts);
}

const WANTED: Readonly<Record<string, (params: Finding['params']) => string>> = {
  additionalProperties: () => 'is not known here',
  required: () => 'is missing',
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as string[]).join(', ')}`,
  minLength: () => 'is empty',
  minItems: () => 'is empty',
};
