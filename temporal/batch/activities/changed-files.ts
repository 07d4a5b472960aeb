import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../../api/errors';
import { mapAll } from '../../../api/map-in-order';
import { isRetryable } from '../../../api/retry';
import { readSourceFacts } from '../../../files/sources/read-source';
import { identitiesDiffer, identityText } from '../../../api/upload/sources/source-rules';
import { sourceOf } from '../../../manifest/row-request';
import type { ForAccount } from '../../upload/types';
import { accountOf, sourceAccess } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import type { JournalEntry, PageRow } from '../files/page-journal';
import { openedRow, rowContextOf } from '../files/planned-row';
import type { PageInput, PageProgress, ResultLine } from '../types';

type Input = ForAccount<Pick<PageInput, 'options' | 'round'>> & {
  /** An earlier activity of the page has looked. */
  readonly looked: boolean;
};

interface Look {
  readonly rows: readonly PageRow[];
  readonly signal: AbortSignal;
  readonly write: (line: JournalEntry | ResultLine) => Promise<void>;
}

const LOOKS_AT_ONCE = 16;
const NAME_LENGTH = 8;

/**
 * Looks at the files and S3 objects of rows that an earlier round completed. A row whose file has changed since fails,
 * or will be uploaded. Writes to the page journal what it found, and returns all rows as they are now. A file that is
 * gone, or can't be read, was uploaded: its row stays completed. Rejects with a temporary error, such as a share that is
 * away. URLs are not looked at. Looks once: an attempt that has counted the rows has done it.
 */
export async function withChangedFiles(
  deps: ActivityDeps,
  input: Input,
  look: Look,
): Promise<readonly PageRow[]> {
  const before = Context.current().info.heartbeatDetails as PageProgress | undefined;
  if (input.looked || (before !== undefined && before.counts.rows > 0)) return look.rows;
  return mapAll(look.rows, LOOKS_AT_ONCE, async (row) => {
    const { result } = row;
    if (result?.identity === undefined || !wasUploaded(result, input)) return row;
    const now = await identityNow(deps, { input, row, signal: look.signal });
    if (now === undefined) return row;
    if (!identitiesDiffer(result.identity, now)) return restored(row, result, look);
    return input.options.uploadChanged === true
      ? toUpload(row, now, look)
      : failed(row, { ...result, changedTo: now, round: input.round }, look);
  });
}

function wasUploaded({ status, round, changedTo }: ResultLine, input: Input): boolean {
  return round < input.round && (status === 'COMPLETED' || changedTo !== undefined);
}

async function identityNow(
  deps: ActivityDeps,
  { input, row, signal }: { readonly input: Input; readonly row: PageRow; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { accountId, options } = input;
  try {
    const { source: text } = openedRow(row.planned, accountOf(deps, accountId).sealKeys);
    const source = sourceOf(text, rowContextOf(options));
    if (source.kind === 'http') return undefined;
    return (await readSourceFacts(sourceAccess(deps, accountId, source), source, signal)).identity;
  } catch (error) {
    if (error instanceof MediaServiceError ? isRetryable(error) : !signal.aborted) throw error;
    // Nothing shows that the file has changed.
    return undefined;
  }
}

/** The file is the uploaded one, perhaps again. */
async function restored(row: PageRow, result: ResultLine, { write }: Look): Promise<PageRow> {
  const { changedTo, error: _error, ...line } = result;
  if (changedTo === undefined) return row;
  const completed: ResultLine = { ...line, status: 'COMPLETED' };
  await write(completed);
  return { ...row, result: completed };
}

async function failed(row: PageRow, result: ResultLine, { write }: Look): Promise<PageRow> {
  const { identity = '', changedTo = '' } = result;
  const line: ResultLine = {
    ...result,
    status: 'FAILED',
    error: {
      code: 'SourceChanged',
      message: `The file has changed since it was uploaded: then ${identityText(identity)}, now ${identityText(changedTo)}.`,
      hint: 'Start the batch again, and choose that changed files are uploaded, or restore the file.',
    },
    endedAt: new Date().toISOString(),
  };
  await write(line);
  return { ...row, result: line };
}

/** The changed file is another upload, with a key of its own. */
async function toUpload(row: PageRow, now: string, { write }: Look): Promise<PageRow> {
  const { result, ...open } = row;
  const replaces = result?.mediaId;
  const changed = {
    as: createHash('sha256').update(now).digest('hex').slice(0, NAME_LENGTH),
    ...(replaces === undefined ? {} : { replaces }),
  };
  await write({ id: row.planned.row.id, changed });
  return { ...open, changed };
}
