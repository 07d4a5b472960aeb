import { accountId } from '../../../api/account/account-id';
import { checkAccount } from '../../../api/account/check-account';
import { ValidationError } from '../../../api/errors';
import type { JsonObject } from '../../../api/json';
import { jsonBytes } from '../../../api/upload/request/json-size';
import { checkUploadOptions } from '../../../api/upload/request/upload-validation';
import { hostOfSource, labelOfSource } from '../../../api/upload/sources/source-rules';
import { DEFAULT_QUEUE_PREFIX } from '../../contract/upload';
import { BATCH_INPUT_SCHEMA } from '../../contract/batch';
import type { BatchInput, BatchOptions, ManifestInput } from '../../contract/batch';
import { sealKeysOf, type SealKeys } from '../../seal';
import { rowsForHistory } from '../../batch/sealed-rows';
import { refuseLargeInput } from '../input-size';
import { sealedSource } from '../upload-input';
import { checkBatchId } from './batch-id';
import { refuseWrongRows } from './refuse-wrong-rows';
import type { StartBatch } from './start-batch';

/**
 * Limit for rows in the form in which they are sent. Temporal accepts no payload above 2 MB, and a batch passes its
 * state on together with them.
 */
export const MAX_ROWS_BYTES = 1_500_000;

/**
 * The input of a batch's root workflow. Checks everything that can be known before the manifest is read, including
 * rows that travel in the input. Contains the account's name without its secrets. Throws a `Validation` or
 * `Configuration` error that names the field.
 */
export function batchInput(start: StartBatch): BatchInput {
  const { batchId, folder, options = {}, queuePrefix = DEFAULT_QUEUE_PREFIX } = start;
  const account = checkAccount(start.account, start.serviceOptions);
  const { baseUrl, uploadUrl, externalId, secretKey } = account;
  checkOptions(options);
  checkFolder(start);
  return {
    schema: BATCH_INPUT_SCHEMA,
    account: { baseUrl, uploadUrl, externalId, accountId: accountId(account) },
    queuePrefix,
    batchId: checkBatchId(batchId),
    manifest: checkedManifest(start, secretKey),
    folder,
    options,
    ...(start.retryFailed === true ? { retryFailed: true } : {}),
  };
}

function checkedManifest({ manifest, ...check }: StartBatch, secretKey: string): ManifestInput {
  if (!('rows' in manifest)) return { ...manifest, source: sealedSource(manifest.source, secretKey) };
  if (manifest.rows.length === 0) throw new ValidationError('manifest', 'The manifest has no rows.');
  const rows = rowsForHistory(manifest.rows, sealKeysOf(secretKey));
  refuseLargeInput(rows, {
    max: MAX_ROWS_BYTES,
    what: 'The rows',
    field: 'manifest',
    hint: 'Write them to a file or an S3 object as JSON lines, and start the batch from that.',
  });
  refuseWrongRows(manifest.rows, check);
  return { rows };
}

/** Only for measuring: every key seals to the same length. */
let measuringKeys: SealKeys | undefined;

/** Bytes of a row in the input of a batch, with the comma after it. */
export function sentRowBytes(row: JsonObject): number {
  return jsonBytes(rowsForHistory([row], (measuringKeys ??= sealKeysOf('any')))) - 1;
}

/** The same worker must read the manifest and write the plan. */
function checkFolder({ manifest, folder }: StartBatch): void {
  if (folder.kind !== 'path' || folder.host === undefined || 'rows' in manifest) return;
  const { source } = manifest;
  const host = hostOfSource(source);
  if (host === undefined || host === folder.host) return;
  throw new ValidationError(
    'folder',
    `The manifest is on ${host} and the folder on ${folder.host}: no worker reaches both.`,
    "Choose a folder on the manifest's machine, one that every worker mounts, or s3://bucket/prefix.",
  );
}

type Bounds = readonly [min: number, max: number];
const WHOLE: Readonly<Partial<Record<keyof BatchOptions, Bounds>>> = {
  parallelUploads: [1, 2000],
  pageRows: [1, 1000],
  maxFailures: [1, Number.MAX_SAFE_INTEGER],
  maxSameFailures: [0, 500],
  smallFileBytes: [0, Number.MAX_SAFE_INTEGER],
  bytesPerSecond: [65_536, Number.MAX_SAFE_INTEGER],
};

function checkOptions(options: BatchOptions): void {
  const given = new Map<string, unknown>(Object.entries(options));
  for (const [name, [min, max]] of Object.entries(WHOLE)) {
    const value = given.get(name);
    if (value === undefined) continue;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
      const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
      const problem = `must be a whole number ${range}`;
      throw new ValidationError(`options.${name}`, `${name} ${problem}.`, { problem });
    }
  }
  const { maxFailureRate } = options;
  if (maxFailureRate !== undefined && !(maxFailureRate > 0 && maxFailureRate <= 1)) {
    throw new ValidationError(
      'options.maxFailureRate',
      'maxFailureRate must be a share above 0 and up to 1.',
    );
  }
  if (options.upload !== undefined) checkUploadOptions(options.upload);
}

/** How lists and the UI show a manifest: never with a folder, a query or a secret. */
export function labelOfManifest(manifest: ManifestInput): string {
  return 'rows' in manifest ? `${String(manifest.rows.length)} rows` : labelOfSource(manifest.source);
}
