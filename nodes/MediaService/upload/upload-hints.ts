import type { NodeExecutionHint } from 'n8n-workflow';
import type { JsonObject } from '../../../api/json';
import type { UploadResult } from '../../../api/upload/request/upload-request';

/** Hints for the editor after an upload that ended well: warnings, and sessions left in the service. */
export function hintsOf({
  orphans,
  fileName,
  warning,
  earlier,
}: UploadResult & { readonly warning?: string }): NodeExecutionHint[] {
  const hints: NodeExecutionHint[] = [];
  const say = (message: string): void => void hints.push(hintOf(`${fileName}: ${message}`, 'warning'));
  if (earlier === true)
    hints.push(hintOf(`${fileName} was completed by an earlier run; nothing was sent again.`, 'info'));
  if (warning !== undefined) say(warning);
  for (const { uploadId, mediaId, reason } of orphans) {
    say(
      `${uploadId === undefined ? `media ${mediaId ?? ''}` : `upload session ${uploadId}`} stays at the service: ${reason}.`,
    );
  }
  return hints;
}

/** The same for what the door shows. */
export function uploadHints(result: JsonObject): NodeExecutionHint[] {
  return hintsOf(result as unknown as UploadResult);
}

/** Media of an earlier run under the ingest key is the result. */
export function foundHint(mediaId: string): NodeExecutionHint {
  return hintOf(
    `Media ${mediaId} was uploaded by an earlier run under this ingest key; nothing was sent again.`,
    'info',
  );
}

function hintOf(message: string, type: 'info' | 'warning'): NodeExecutionHint {
  return { message, type, location: 'outputPane' };
}
