import { canonicalJson } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';
import { locationText } from '../../../files/location-text';
import type { BatchInput, BatchMemo } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { batchDifferences, type BatchDifference } from './batch-digest';
import { labelOfManifest } from './batch-input';
import { readBatchInput } from './read-batch';

export interface BatchStart {
  readonly workflowId: string;
  readonly input: BatchInput;
  /** As `batchDigest` makes it. */
  readonly digest: string;
  /** Run id of the last start before this one whose manifest was accepted. */
  readonly before?: string | undefined;
}

/** The batch that Temporal has under the id: its latest run that was not refused. */
export interface EarlierBatch {
  /** The status as Temporal names it. */
  readonly status: string;
  readonly memo: BatchMemo;
}

/**
 * Rejects with `InputDiffers` if the existing batch can't become the requested one. Rejects with `RequestRefused` if
 * its failed rows must be retried while it runs.
 */
export async function refuseOtherBatch(
  connection: TemporalConnection,
  start: BatchStart,
  { status, memo }: EarlierBatch,
): Promise<void> {
  const differing = batchDifferences(start.digest, memo.inputDigest).filter(
    // An ended batch may continue with another manifest or other options. A batch that failed as a whole may also get
    // another folder, because its folder may be the reason. A refused start is neither of these.
    (part) => status === 'RUNNING' || (part === 'folder' && status !== 'FAILED'),
  );
  if (differing.length > 0) throw await inputDiffers(connection, start, { status, differing });
  if (status === 'RUNNING' && start.input.retryFailed === true) throw stillRunning(start.workflowId);
}

const ANOTHER = { manifest: 'another manifest', folder: 'another folder', options: 'other options' } as const;

async function inputDiffers(
  connection: TemporalConnection,
  { workflowId, input }: BatchStart,
  { status, differing }: { readonly status: string; readonly differing: readonly BatchDifference[] },
): Promise<MediaServiceError> {
  // Without the other input, the message names what differs, but no values.
  const theirs = await readBatchInput(connection, workflowId).catch(() => undefined);
  const options =
    theirs === undefined || !differing.includes('options') ? [] : differingOptions(theirs, input);
  const named = differing.map((part) => {
    const details = theirs === undefined || part === 'options' ? '' : detailsOf(part, theirs, input);
    return ANOTHER[part] + (details === '' ? '' : ` (${details})`);
  });
  const running = status === 'RUNNING';
  return new MediaServiceError(
    'InputDiffers',
    `The batch ${input.batchId} ${running ? 'is running' : 'exists'} with ${named.join(' and ')}.`,
    {
      outcome: 'refused',
      details: { workflowId, differs: differing.join(', ') },
      remedy: { kind: 'choose-another-batch', running, options },
    },
  );
}

/** Both sides of a difference, as far as a message may show them. */
function detailsOf(part: 'folder' | 'manifest', theirs: BatchInput, mine: BatchInput): string {
  if (part === 'folder') return `there ${locationText(theirs.folder)}, here ${locationText(mine.folder)}`;
  const [there, here] = [labelOfManifest(theirs.manifest), labelOfManifest(mine.manifest)];
  return there === here ? `${here} has changed` : `there ${there}, here ${here}`;
}

/** Names of the options that differ. */
function differingOptions(theirs: BatchInput, mine: BatchInput): string[] {
  const [there, here] = [theirs.options, mine.options].map((options) => new Map(Object.entries(options)));
  const names = [...new Set([...(there?.keys() ?? []), ...(here?.keys() ?? [])])];
  return names.filter((name) => canonicalJson(there?.get(name)) !== canonicalJson(here?.get(name)));
}

function stillRunning(workflowId: string): MediaServiceError {
  return new MediaServiceError(
    'RequestRefused',
    `The batch ${workflowId} still runs: its failed rows can be retried when it has ended.`,
    {
      outcome: 'refused',
      details: { workflowId },
      remedy: { kind: 'wait-for-batch' },
    },
  );
}
