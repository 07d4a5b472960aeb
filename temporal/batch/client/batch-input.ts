import { createHash } from 'node:crypto';
import { accountId, checkAccount } from '../../../api/account';
import type { Account, ServiceOptions } from '../../../api/account';
import type { FileLocation } from '../../../files/file-location';
import { ValidationError } from '../../../api/errors';
import { canonicalJson, given } from '../../../api/json';
import { BATCH_OPTIONS } from '../../../api/options/batch-options';
import { checkOptions } from '../../../api/options/option';
import type { JsonObject } from '../../../api/json';
import { UPLOAD_OPTIONS } from '../../../api/options/upload-options';
import { hostOfSource, labelOfSource, meaningOfSource } from '../../../api/upload/sources/source-rules';
import { checkSource } from '../../../api/upload/validate';
import { DEFAULT_QUEUE_PREFIX } from '../../upload/types';
import type { BatchInput, BatchOptions, Manifest, ManifestInput } from '../types';
import { sealKeysOf } from '../../seal';
import { pageDigest, plannedRow, rowContextOf } from '../files/planned-row';
import { refuseLargeInput, sealedSource } from '../../upload/client/upload-input';
import { readJsonRow } from '../../../manifest/make-row';
import { Mistakes, repeatedId } from '../../../manifest/mistakes';
import { isMistake } from '../../../manifest/row';
import type { ManifestRow } from '../../../manifest/row';

export interface StartBatch {
  readonly account: Account;
  /**
   * The plain URL of an http manifest is sealed before it is sent. Rows have the form of JSON lines in a manifest. They
   * are checked as the plan checks them, refused with `Validation`, and their URLs are sealed.
   */
  readonly manifest: Manifest<JsonObject>;
  /**
   * Digest of the manifest's text, if the starter has read it. It shows without a worker that a running batch has the
   * same text.
   */
  readonly manifestDigest?: string;
  /** Folder for pages, page journals and results. */
  readonly folder: FileLocation;
  /** Name of the batch within its account. See `defaultBatchId`. */
  readonly batchId: string;
  readonly options?: BatchOptions;
  /** Retry the rows that failed in an earlier run. Default false. */
  readonly retryFailed?: boolean;
  /** Default `media-service`. */
  readonly queuePrefix?: string;
  /** The same as for the worker. Only `allowPlainHttp` matters here and, for rows, `ingestTag`. */
  readonly serviceOptions?: ServiceOptions;
}

/** Limit for rows in the form in which they are sent. Temporal accepts no payload above 2 MB. */
export const MAX_ROWS_BYTES = 1_800_000;

/**
 * The input of a batch's root workflow. Checks everything that can be known before the manifest is read, including
 * rows that travel in the input. Contains the account's name without its secrets. Throws a `Validation` or
 * `Configuration` error that names the field.
 */
export function batchInput(start: StartBatch): BatchInput {
  const { batchId, folder, options = {}, queuePrefix = DEFAULT_QUEUE_PREFIX } = start;
  const account = checkAccount(start.account, start.serviceOptions);
  const { baseUrl, uploadUrl, externalId, secretKey } = account;
  checkOptions(BATCH_OPTIONS, options);
  checkOptions(UPLOAD_OPTIONS, options.upload ?? {});
  checkFolder(start);
  return {
    account: { baseUrl, uploadUrl, externalId, accountId: accountId(account) },
    queuePrefix,
    batchId: checkBatchId(batchId),
    ...checkedManifest(start, secretKey),
    folder,
    options,
    ...(start.retryFailed === true ? { retryFailed: true } : {}),
  };
}

function checkedManifest(
  { manifest, manifestDigest, ...check }: StartBatch,
  secretKey: string,
): Pick<BatchInput, 'manifest' | 'manifestDigest'> {
  if (!('rows' in manifest)) {
    checkSource(manifest.source);
    const source = sealedSource(manifest.source, secretKey);
    return { manifest: { ...manifest, source }, ...given({ manifestDigest }) };
  }
  if (manifest.rows.length === 0) throw new ValidationError('manifest', 'The manifest has no rows.');
  const keys = sealKeysOf(secretKey);
  const planned = checkedRows(manifest.rows, check).map((row) => plannedRow(row, keys));
  const rows = planned.map(({ digest: _digest, ...row }) => row);
  refuseLargeInput(rows, {
    max: MAX_ROWS_BYTES,
    what: 'The rows',
    field: 'manifest',
    hint: 'Write them to a file or an S3 object as JSON lines, and start the batch from that.',
  });
  return { manifest: { rows }, manifestDigest: pageDigest(planned) };
}

/** The worker of the folder also reads the manifest, and would take its own file with that path. */
function checkFolder({ manifest, folder }: StartBatch): void {
  const there = 'rows' in manifest ? undefined : hostOfSource(manifest.source);
  const here = hostOfSource(folder);
  if (there === undefined || here === undefined || there === here) return;
  throw new ValidationError(
    'folder',
    `The manifest is on ${there} and the folder on ${here}: no worker reaches both.`,
    "Choose a folder on the manifest's machine, one that every worker mounts, or s3://bucket/prefix.",
  );
}

/** How lists and the UI show a manifest: never with a folder, a query or a secret. */
export function labelOfManifest(manifest: ManifestInput): string {
  return 'rows' in manifest ? `${String(manifest.rows.length)} rows` : labelOfSource(manifest.source);
}

/**
 * The rows as the plan reads them. Throws the error with which the plan would refuse them: a `Validation` error that
 * names the first mistakes by line.
 */
function checkedRows(
  rows: readonly JsonObject[],
  { options = {}, serviceOptions: { ingestTag } = {} }: Pick<StartBatch, 'options' | 'serviceOptions'>,
): ManifestRow[] {
  const rules = { rowContext: rowContextOf(options), ...given({ ingestTag }) };
  const mistakes = new Mistakes();
  const checked = new Map<string, ManifestRow>();
  for (const [index, row] of rows.entries()) {
    const asSent: unknown = JSON.parse(JSON.stringify(row));
    const item = readJsonRow(index + 1, asSent, rules);
    if (isMistake(item)) {
      mistakes.add(item);
      continue;
    }
    const first = checked.get(item.id);
    if (first === undefined) checked.set(item.id, item);
    else mistakes.add(repeatedId(item.id, item.line, first.line));
  }
  mistakes.refuse();
  return [...checked.values()];
}

const MAX_LENGTH = 128;
const MAX_NAME_LENGTH = 40;

/**
 * An id that is always the same for the same manifest: its file name, for people, and 8 hexadecimal digits of a digest
 * of its location. `identity`: host and absolute path, or URL without its query.
 */
export function defaultBatchId(fileName: string, identity: string): string {
  const stem = fileName.replace(/\.(csv|jsonl|ndjson|json|txt)$/i, '');
  const name = stem
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-._]+/, '')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/(?<!-)-+$/, '');
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 8);
  return name === '' ? digest : `${name}-${digest}`;
}

/**
 * Returns the id unchanged. Throws a `ValidationError` on `field` unless the id has 1 to 128 letters, digits, `.`, `_`
 * or `-` and begins with a letter or digit.
 */
export function checkBatchId(batchId: string, field = 'batchId'): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(batchId) && batchId.length <= MAX_LENGTH) return batchId;
  throw new ValidationError(
    field,
    `The batch id ${JSON.stringify(batchId.slice(0, MAX_LENGTH))} is not made of 1 to ${String(MAX_LENGTH)} letters, digits, ".", "_" and "-".`,
    'It names the batch within its account, and is part of workflow ids and file names: choose one such as harbour-2026-11.',
  );
}

export type BatchDifference = 'manifest' | 'folder' | 'options';

/**
 * The parts in which two starts of a batch differ. Manifests with the same text are the same, even at another location.
 * If one of the two starters did not read its manifest, the location decides.
 */
export function batchDifferences(mine: BatchInput, theirs: BatchInput): BatchDifference[] {
  const [own, other] = [mine.manifestDigest, theirs.manifestDigest];
  const isText = own !== undefined && other !== undefined;
  const isSame = isText ? own === other : locationOf(mine.manifest) === locationOf(theirs.manifest);
  return [
    ...(isSame ? [] : (['manifest'] as const)),
    ...(['folder', 'options'] as const).filter(
      (name) => canonicalJson(mine[name]) !== canonicalJson(theirs[name]),
    ),
  ];
}

function locationOf(manifest: ManifestInput): string {
  return 'rows' in manifest ? 'rows' : canonicalJson([meaningOfSource(manifest.source), manifest.format]);
}
