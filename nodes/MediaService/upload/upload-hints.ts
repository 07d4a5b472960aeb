import type { NodeExecutionHint } from 'n8n-workflow';
import type { JournaledPast } from '../../../api/upload/direct/journal/journaled-steps';
import type { UploadResult } from '../../../api/upload/request/upload-request';
import { describeError, sentenceOf } from '../error-words';

/** What the editor should tell after an upload that ended well: warnings, and what stays at the service. `past` is unset where no journal was kept. */
export function hintsOf(
  { orphans, fileName, warning, earlier }: UploadResult,
  past?: JournaledPast,
): NodeExecutionHint[] {
  const hints: NodeExecutionHint[] = [];
  const say = (message: string, type: 'info' | 'warning' = 'warning'): void =>
    void hints.push({ message: `${fileName}: ${message}`, type, location: 'outputPane' });
  if (past?.joined === true)
    say('was uploaded by an earlier run under this ingest key; nothing was sent again.', 'info');
  if (past?.continued === true) say('continued the upload session of an earlier run.', 'info');
  if (earlier === true) say('was completed by an earlier run; nothing was sent again.', 'info');
  if (warning !== undefined) say(warning);
  for (const { uploadId, mediaId, reason } of orphans) {
    say(
      `${uploadId === undefined ? `media ${mediaId ?? ''}` : `upload session ${uploadId}`} stays at the service: ${reason}.`,
    );
  }
  if (past?.failure !== undefined)
    say(`its journal could not be kept: ${sentenceOf(describeError(past.failure))}`);
  return hints;
}
