import { canonicalJson } from '../../../api/canonical-json';
import { MediaServiceError } from '../../../api/errors';
import { placeText } from '../../../places/place-text';
import type { BatchInput, BatchMemo } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { batchDifferences, type BatchDifference } from './batch-digest';
import { labelOfManifest } from './manifest-label';
import { readBatchInput } from './read-batch';

export interface BatchStart {
  readonly workflowId: string;
  readonly input: BatchInput;
  /** As `batchDigest` makes it. */
  readonly digest: string;
  /** Run id of the last start before this one whose manifest was taken. */
  readonly before?: string | undefined;
}

/** What Temporal holds under the id: its latest run that was not refused. */
export interface EarlierBatch {
  /** As Temporal calls it. */
  readonly status: string;
  readonly memo: BatchMemo;
}

/**
 * Rejects with `InputDiffers` where the batch that is there cannot become the one that is asked for, and with `RequestRefused` where
 * its failed rows are to be retried while it runs.
 */
export async function refuseOtherBatch(
  connection: TemporalConnection,
  { workflowId, input, digest }: BatchStart,
  { status, memo }: EarlierBatch,
): Promise<void> {
  const differing = batchDifferences(digest, memo.inputDigest).filter(
    // A batch that failed as a whole may have done so for its folder; one that has ended may go on in another way. A refused start is neither.
    (part) => status === 'RUNNING' || (part === 'folder' && status !== 'FAILED'),
  );
  if (differing.length > 0) throw await inputDiffers(connection, { workflowId, input, status, differing });
  if (status === 'RUNNING' && input.retryFailed === true) throw stillRunning(workflowId);
}

const ANOTHER = { manifest: 'another manifest', folder: 'another folder', options: 'other options' } as const;

interface Difference {
  readonly workflowId: string;
  readonly input: BatchInput;
  readonly status: string;
  readonly differing: readonly BatchDifference[];
}

async function inputDiffers(
  connection: TemporalConnection,
  { workflowId, input, status, differing }: Difference,
): Promise<MediaServiceError> {
  const theirs = await readBatchInput(connection, workflowId).catch(() => undefined);
  const named = differing.map((part) => {
    const details = theirs === undefined ? '' : detailsOf(part, theirs, input);
    return ANOTHER[part] + (details === '' ? '' : ` (${details})`);
  });
  const running = status === 'RUNNING';
  return new MediaServiceError(
    'InputDiffers',
    `The batch ${input.batchId} ${running ? 'is running' : 'exists'} with ${named.join(' and ')}.`,
    {
      outcome: 'refused',
      details: { workflowId, differs: differing.join(', ') },
      hint: running
        ? 'Give this one another id, start it as that one was started, or wait for its end: an ended batch takes added rows.'
        : 'Start it with the folder that it has, or give this one another id.',
    },
  );
}

/** Both sides of a difference, as far as they may be shown. */
function detailsOf(part: BatchDifference, theirs: BatchInput, mine: BatchInput): string {
  if (part === 'folder') return `there ${placeText(theirs.folder)}, here ${placeText(mine.folder)}`;
  if (part === 'manifest') {
    const [there, here] = [labelOfManifest(theirs.manifest), labelOfManifest(mine.manifest)];
    return there === here ? `${here} has changed` : `there ${there}, here ${here}`;
  }
  const [there, here] = [theirs.options, mine.options].map((options) => new Map(Object.entries(options)));
  const names = [...new Set([...(there?.keys() ?? []), ...(here?.keys() ?? [])])];
  return names
    .filter((name) => canonicalJson(there?.get(name)) !== canonicalJson(here?.get(name)))
    .join(', ');
}

function stillRunning(workflowId: string): MediaServiceError {
  return new MediaServiceError(
    'RequestRefused',
    `The batch ${workflowId} still runs: its failed rows can be retried when it has ended.`,
    {
      outcome: 'refused',
      details: { workflowId },
      hint: 'Wait for its end (media-service batch watch), or cancel it first.',
    },
  );
}
