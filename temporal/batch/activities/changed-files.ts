import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { mapAll } from '../../../api/map-in-order';
import { isRetryable } from '../../../api/retry';
import { pinSource } from '../../../files/sources/read-source';
import { identitiesDiffer, identityText, sourceIdentity } from '../../../api/upload/sources/source-rules';
import { sourceOf } from '../../../manifest/row-request';
import { accountOf, sourceAccess } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import { withLine } from '../files/page-journal';
import type { JournalLine, PageRow } from '../files/page-journal';
import { openedRow, rowContextOf } from '../files/planned-row';
import type { PageProgress, PageStep, ResultLine } from '../types';

type Input = Pick<PageStep, 'accountId' | 'options' | 'round'>;

interface Look {
  readonly rows: readonly PageRow[];
  readonly signal: AbortSignal;
  readonly write: (line: JournalLine) => Promise<void>;
}

const LOOKS_AT_ONCE = 16;
const NAME_LENGTH = 8;
/** Tries of a page in which a share can come back: ten minutes. */
const MAX_TRIES = 15;

/**
 * Looks at the files and S3 objects of rows that an earlier round completed. A row whose file has changed since fails,
 * or will be uploaded. Writes to the page journal what it found, and returns all rows as they are now. A file that is
 * gone, or can't be read, was uploaded: its row stays completed. Rejects with a temporary error, such as a share that is
 * away; after some minutes, rows whose files can't be looked at keep their results, with a warning. URLs are not looked
 * at. Looks once: an attempt that has counted the rows has done it.
 */
export async function withChangedFiles(
  deps: ActivityDeps,
  input: Input,
  look: Look,
): Promise<readonly PageRow[]> {
  const before = Context.current().info.heartbeatDetails as PageProgress | undefined;
  if (before !== undefined && before.counts.rows > 0) return look.rows;
  return mapAll(look.rows, LOOKS_AT_ONCE, async (row) => {
    const line = await changeOf(deps, { input, row, signal: look.signal });
    if (line === undefined) return row;
    await look.write(line);
    return withLine(row, line);
  });
}

interface LookedAt {
  readonly input: Input;
  readonly row: PageRow;
  readonly signal: AbortSignal;
}

/** What the journal must say of the row's file. Undefined: nothing new. */
async function changeOf(deps: ActivityDeps, looked: LookedAt): Promise<JournalLine | undefined> {
  const { input, row } = looked;
  const { result } = row;
  if (result?.identity === undefined || !wasUploaded(result, input)) return undefined;
  const now = await identityNow(deps, looked);
  if (now === undefined) return undefined;
  if (typeof now !== 'string') return { ...result, warning: unseenBecause(now) };
  if (!identitiesDiffer(result.identity, now)) return restored(result);
  if (input.options.uploadChanged !== true) return failed({ ...result, changedTo: now, round: input.round });
  // The changed file is another upload, with a key of its own.
  const as = createHash('sha256').update(now).digest('hex').slice(0, NAME_LENGTH);
  return { id: result.id, changed: { as, ...given({ replaces: result.mediaId }) } };
}

function wasUploaded({ status, round, changedTo }: ResultLine, input: Input): boolean {
  return round < input.round && (status === 'COMPLETED' || changedTo !== undefined);
}

/** The error for which it can't be looked at for long. Undefined: it is gone, or it has none. */
async function identityNow(
  deps: ActivityDeps,
  { input, row, signal }: LookedAt,
): Promise<string | MediaServiceError | undefined> {
  const { accountId, options } = input;
  try {
    const { source: text } = openedRow(row.planned, accountOf(deps, accountId).sealKeys);
    const source = sourceOf(text, rowContextOf(options));
    if (source.kind === 'http') return undefined;
    return sourceIdentity(await pinSource(sourceAccess(deps, accountId), source, signal));
  } catch (error) {
    const isOurs = error instanceof MediaServiceError;
    // Nothing shows that the file has changed.
    if (isOurs ? !isRetryable(error) : signal.aborted) return undefined;
    if (isOurs && Context.current().info.attempt >= MAX_TRIES) return error;
    throw error;
  }
}

/** The file is the uploaded one, perhaps again. */
function restored({ changedTo, warning, error: _error, ...line }: ResultLine): ResultLine | undefined {
  return changedTo === undefined && warning === undefined ? undefined : { ...line, status: 'COMPLETED' };
}

function unseenBecause({ message }: MediaServiceError): string {
  return `Whether the file has changed since it was uploaded is not known: ${message.replace(/\.$/, '')}.`;
}

function failed(result: ResultLine): ResultLine {
  const { identity = '', changedTo = '' } = result;
  return {
    ...result,
    status: 'FAILED',
    error: {
      code: 'SourceChanged',
      message: `The file has changed since it was uploaded: then ${identityText(identity)}, now ${identityText(changedTo)}.`,
      hint: 'Start the batch again, and choose that changed files are uploaded, or restore the file.',
    },
    endedAt: new Date().toISOString(),
  };
}
