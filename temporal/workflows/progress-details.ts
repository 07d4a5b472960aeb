import type { WorkflowProgress } from '../contract/upload';

const MEGABYTE = 1_000_000;

/** The details of a running upload in Temporal's UI: a few lines of Markdown. `ending`: how it ended, if it has. */
export function progressDetails(progress: WorkflowProgress, ending?: string): string {
  const { phase, paused, fileName, bytesTotal, partsTotal, partsRunning, uploadId, retries } = progress;
  const lines = [`**${phase}**${paused ? ' (paused)' : ''}${fileName === undefined ? '' : ` ${fileName}`}`];
  if (bytesTotal !== undefined && partsTotal !== undefined) {
    const percent = bytesTotal === 0 ? 100 : Math.floor((100 * progress.bytesDone) / bytesTotal);
    lines.push(
      `${megabytes(progress.bytesDone)} of ${megabytes(bytesTotal)} MB (${String(percent)} %), ` +
        `${String(progress.partsDone)} of ${String(partsTotal)} parts`,
    );
  }
  if (partsRunning.length > 0) lines.push(`Running: part ${partsRunning.join(', ')}`);
  if (retries > 0) lines.push(`Retries: ${String(retries)}`);
  if (uploadId !== undefined) lines.push(`Upload session: ${uploadId}`);
  if (ending === undefined) {
    if (progress.waitReason !== undefined) lines.push(`Waiting: ${progress.waitReason.message}`);
    if (progress.warning !== undefined) lines.push(progress.warning);
  }
  if (ending !== undefined) lines.push(ending.trim());
  return lines.join('\n\n');
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
