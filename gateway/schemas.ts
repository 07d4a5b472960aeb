import { BATCH_OPTIONS } from '../api/options/batch-options';
import type { Option, OptionTable, OptionValues } from '../api/options/option';
import { MEDIA_OPTIONS, UPLOAD_OPTIONS } from '../api/options/upload-options';
import type { UploadOptions } from '../api/options/upload-options';
import { given } from '../api/json';
import type { JsonObject } from '../api/json';
import type { UploadRequest } from '../api/upload/types';
import type { BatchOptions } from '../temporal/batch/types';

/** A JSON schema, which checks requests and is part of the OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

declare const VALUE: unique symbol;
/** A schema of requests, with the type of what it accepts. */
export type Typed<Value> = Schema & { readonly [VALUE]?: Value };
/** What has been accepted by a schema. */
export type Read<Form> = Form extends { readonly [VALUE]?: infer Value } ? Value : never;
type Fields = Readonly<Record<string, Schema>>;
type ValuesOf<F extends Fields, Required extends keyof F> = { readonly [K in Required]: Read<F[K]> } & {
  readonly [K in Exclude<keyof F, Required>]?: Read<F[K]>;
};

export const text = (description: string, more: Schema = {}): Typed<string> => ({
  type: 'string',
  description,
  ...more,
});
export const flag = (description: string): Typed<boolean> => ({ type: 'boolean', description });
export const whole = (description: string, minimum: number, maximum: number): Typed<number> => ({
  ...{ type: 'integer', minimum, maximum, description },
});
export const list = <Form extends Schema>(items: Form, more: Schema = {}): Typed<readonly Read<Form>[]> => ({
  ...{ type: 'array', items, ...more },
});
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An object with these fields. Requests may have no others; answers may get more in later versions. */
export function request<F extends Fields, Required extends keyof F & string = never>(
  properties: F,
  required: readonly Required[] = [],
): Typed<ValuesOf<F, Required>> {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function answer(properties: Fields, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required };
}

const FORMS: Readonly<Record<Option['type'], Schema>> = {
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
  list: { type: 'array', items: { type: 'string' } },
  texts: { type: 'object', additionalProperties: { type: 'string' } },
  object: { type: 'object', additionalProperties: true },
};

function schemaOf(option: Option): Schema {
  const { type, unit, min, exclusiveMin, max, maxLength, values } = option;
  return {
    ...FORMS[type],
    ...given({ minimum: min, exclusiveMinimum: exclusiveMin, maximum: max, maxLength, enum: values }),
    ...given({ default: option.default }),
    description: `${option.description}${unit === undefined ? '' : `, in ${unit}`}.`,
  };
}

export const ANY_OBJECT: Typed<JsonObject> = { type: 'object', additionalProperties: true };

type OptionFields<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Typed<NonNullable<OptionValues<Table>[Name]>>;
};

/** The options of a table that doors offer, as fields of a request. */
export function optionFields<Table extends OptionTable>(table: Table): OptionFields<Table> {
  const offered = Object.entries<Option>(table).filter(([, { internal }]) => internal !== true);
  return Object.fromEntries(offered.map(([name, one]) => [name, schemaOf(one)])) as OptionFields<Table>;
}

function optionsOf<Options>(table: OptionTable, more: Fields = {}): Typed<Options> {
  return request({ ...optionFields(table), ...more }) as Schema;
}
export const MEDIA_SCHEMA = optionsOf<NonNullable<UploadRequest['media']>>(MEDIA_OPTIONS);
export const UPLOAD_OPTIONS_SCHEMA = optionsOf<UploadOptions>(UPLOAD_OPTIONS);
export const BATCH_OPTIONS_SCHEMA = optionsOf<BatchOptions>(BATCH_OPTIONS, { upload: UPLOAD_OPTIONS_SCHEMA });

/** The option of this name in any table, for messages. */
export function optionNamed(name: string): Option | undefined {
  const tables: OptionTable = { ...BATCH_OPTIONS, ...MEDIA_OPTIONS, ...UPLOAD_OPTIONS };
  return Object.hasOwn(tables, name) ? tables[name] : undefined;
}

const TIME = text('ISO 8601', { format: 'date-time' });
const WHOLE: Schema = { type: 'integer' };

const ADVICE = {
  code: text('A stable name, as Validation or InputDiffers'),
  message: text('What happened'),
  hint: text('What to do'),
};
const BATCH = {
  batchId: text('Name of the batch within its account'),
  folder: text('Where the results of the batch are'),
};
const ID = text('For all further requests');

/** Schemas that answers refer to by name. */
export const COMPONENTS = {
  Error: answer({ error: ref('Failure') }, ['error']),
  Failure: answer(
    {
      ...ADVICE,
      field: text('The wrong field'),
      problem: text('What is wrong with that field'),
      advice: text('The hint with names in braces, for clients with words of their own'),
      operation: text('The call of the service that failed'),
      status: { ...WHOLE, description: 'HTTP status of that call' },
      serviceMessage: text('What the service said'),
      requestId: text('For the operator of the service'),
      details: ANY_OBJECT,
    },
    ['code', 'message'],
  ),
  Reason: answer({ ...ADVICE, retryForMs: WHOLE }, ['message']),
  Started: answer(
    {
      id: ID,
      joined: flag('An upload or batch with the same meaning was running or completed; this is it'),
      warnings: list(ref('Reason')),
      ...BATCH,
      rows: { ...WHOLE, description: 'Rows of the batch, if `plan` waited for them' },
      waitReason: ref('Reason'),
    },
    ['id', 'warnings'],
  ),
  File: answer(
    {
      source: text('The `source` of a start'),
      fileName: text('Its name'),
      bytes: WHOLE,
      sha256: text('Of its content, in hex'),
      expiresAt: TIME,
    },
    ['source', 'fileName', 'bytes', 'sha256', 'expiresAt'],
  ),
  Wait: answer(
    {
      waitId: text('Names the wait within its account'),
      status: text('WAITING, DELIVERED or FAILED'),
      joined: flag('A wait of this id existed'),
      error: ref('Failure'),
    },
    ['waitId'],
  ),
  /** An upload or a batch. */
  Run: answer(
    {
      id: ID,
      status: text('RUNNING, COMPLETED, FAILED, CANCELLED, CANCELLING, TERMINATED or TIMED_OUT'),
      ...{ startedAt: TIME, endedAt: TIME },
      ...{ progress: ANY_OBJECT, waitReason: ref('Reason'), result: ANY_OBJECT, error: ref('Failure') },
      name: text('Name of the file, or scheme, host and last segment of its URL'),
      ingestKey: text('Names the upload within its account'),
      uploadId: text('Session of the service'),
      mediaId: text('Id of the media'),
      ...BATCH,
      manifest: text('Name of the manifest of a batch'),
      counts: { ...ANY_OBJECT, description: 'Rows of a batch' },
    },
    ['id', 'status'],
  ),
  Runs: answer({ items: list(ref('Run')), next: text('For the next page; missing on the last one') }, [
    'items',
  ]),
};
