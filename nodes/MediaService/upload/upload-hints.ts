import type { NodeExecutionHint } from 'n8n-workflow';
import type { JournaledPast } from '../../../api/upload/direct/journal/journaled-steps';
import type { UploadResult } from '../../../api/upload/request/upload-request';
import { sentenceOf } from '../../../n8n/error-words';

/**
 * Hints for the editor after an upload that ended well: warnings, and sessions left in the service. `past` is unset if
 * there was no journal.
 */
export function hintsOf(
  { orphans, fileName, warning, earlier }: UploadResult,
  past?: JournaledPast,
): NodeExecutionHint[] {
  const hints: NodeExecutionHint[] = [];
  const add = (message: string, type: 'info' | 'warning'): void =>
    void hints.push({ message, type, location: 'outputPane' });
  const say = (message: string): void => add(`${fileName}: ${message}`, 'warning');
  if (past?.joined === true)
    add(`${fileName} was uploaded by an earlier run under this ingest key; nothing was sent again.`, 'info');
  if (past?.continued === true)
    add(`${fileName}: this run continued the upload session of an earlier run.`, 'info');
  if (earlier === true) add(`${fileName} was completed by an earlier run; nothing was sent again.`, 'info');
  if (warning !== undefined) say(warning);
  for (const { uploadId, mediaId, reason } of orphans) {
    say(
      `${uploadId === undefined ? `media ${mediaId ?? ''}` : `upload session ${uploadId}`} stays at the service: ${reason}.`,
    );
  }
  if (past?.failure !== undefined) say(`its journal could not be kept: ${sentenceOf(past.failure)}`);
  return hints;
}
