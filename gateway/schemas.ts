import { BATCH_OPTIONS } from '../api/options/batch-options';
import type { Option, OptionTable } from '../api/options/option';
import { MEDIA_OPTIONS, UPLOAD_OPTIONS } from '../api/options/upload-options';
import type { UploadOptions } from '../api/options/upload-options';
import { given } from '../api/json';
import type { JsonObject } from '../api/json';
import type { UploadRequest } from '../api/upload/request/upload-request';
import type { BatchOptions } from '../temporal/batch/types';
import type { Schema } from './route';

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
  texts: { type: 'object', additionalProperties: { type: 'string' } },
  object: { type: 'object', additionalProperties: true },
};

/** The options of a table that doors offer, as fields. */
export function fieldsOf(table: OptionTable): Readonly<Record<string, Schema>> {
  const offered = Object.entries(table).filter(([, { internal }]) => internal !== true);
  return Object.fromEntries(offered.map(([name, option]) => [name, schemaOf(option)]));
}

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

const optionsOf = <Options>(table: OptionTable, more: Fields = {}): Typed<Options> => {
  const schema: Schema = request({ ...fieldsOf(table), ...more });
  return schema;
};
export const MEDIA_SCHEMA = optionsOf<NonNullable<UploadRequest['media']>>(MEDIA_OPTIONS);
export const UPLOAD_OPTIONS_SCHEMA = optionsOf<UploadOptions>(UPLOAD_OPTIONS);
export const BATCH_OPTIONS_SCHEMA = optionsOf<BatchOptions>(BATCH_OPTIONS, { upload: UPLOAD_OPTIONS_SCHEMA });

/** The option of this name in any table, for messages. */
export function optionNamed(name: string): Option | undefined {
  const tables: OptionTable = { ...BATCH_OPTIONS, ...MEDIA_OPTIONS, ...UPLOAD_OPTIONS };
  return Object.hasOwn(tables, name) ? tables[name] : undefined;
}

const LISTED = (name: string): Schema =>
  answer({ items: list(ref(name)), next: text('For the next page; missing on the last one') }, ['items']);
const TIME = text('ISO 8601', { format: 'date-time' });

const ID = text('For all further requests');
const ADVICE = { message: text('What happened'), hint: text('What to do') };
/** Of uploads and batches. */
const RUN = {
  id: ID,
  status: text('RUNNING, COMPLETED, FAILED, CANCELLED, CANCELLING, TERMINATED or TIMED_OUT'),
  startedAt: TIME,
  endedAt: TIME,
  progress: ANY_OBJECT,
  waitReason: ref('Reason'),
  result: ANY_OBJECT,
  error: ANY_OBJECT,
};

/** Schemas that answers refer to by name. */
export const COMPONENTS: Readonly<Record<string, Schema>> = {
  Error: answer(
    {
      error: answer(
        {
          code: text('A stable name, as Validation or InputDiffers'),
          ...ADVICE,
          field: text('The wrong field'),
          problem: text('What is wrong with that field'),
          remedy: ANY_OBJECT,
          operation: text('The call of the service that failed'),
          status: { type: 'integer', description: 'HTTP status of that call' },
          serviceMessage: text('What the service said'),
          requestId: text('For the operator of the service'),
          details: ANY_OBJECT,
        },
        ['code', 'message'],
      ),
    },
    ['error'],
  ),
  Reason: answer(
    {
      code: text('As the code of an error'),
      ...ADVICE,
      retryForMs: { type: 'integer', description: 'How long it is retried' },
    },
    ['code', 'message'],
  ),
  Warning: answer(ADVICE, ['message']),
  Started: answer(
    {
      id: ID,
      joined: flag('An upload or batch with the same meaning was running or completed; this is it'),
      warnings: list(ref('Warning')),
      batchId: text('Name of the batch within its account'),
      folder: text('Where the results of the batch are'),
      rows: { type: 'integer', description: 'Rows of the batch, if `plan` waited for them' },
      waitReason: ref('Reason'),
    },
    ['id', 'joined', 'warnings'],
  ),
  Requested: answer(
    {
      id: ID,
      requested: text('What was requested'),
      warnings: list(ref('Warning')),
    },
    ['id', 'requested', 'warnings'],
  ),
  File: answer(
    {
      source: text('The `source` of a start'),
      fileName: text('Its name'),
      bytes: { type: 'integer' },
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
      error: ANY_OBJECT,
    },
    ['waitId'],
  ),
  Uploads: LISTED('Upload'),
  Batches: LISTED('Batch'),
  Batch: answer(
    {
      ...RUN,
      batchId: text('Name of the batch within its account'),
      manifest: text('Name of the manifest'),
      folder: text('Where the results are'),
      counts: ANY_OBJECT,
    },
    ['id', 'status'],
  ),
  Upload: answer(
    {
      ...RUN,
      name: text('Name of the file, or scheme, host and last segment of its URL'),
      ingestKey: text('Names the upload within its account'),
      uploadId: text('Session of the service'),
      mediaId: text('Id of the media'),
    },
    ['id', 'status'],
  ),
};
