import { Context } from '@temporalio/activity';
import { sourceIdentity } from '../../../api/upload/sources/source-identity';
import { journalFile } from '../../batch/batch-files';
import { writeLines } from '../../batch/line-files';
import type { SessionEntry } from '../../contract/batch';
import { shortRunId } from '../../contract/batch-ids';
import { earlierSessionOf } from '../../contract/earlier-run';
import type { NotedSession, StartOfSession } from '../../contract/upload-groups';
import type { ActivityDeps } from '../context/activity-deps';
import type { Ended } from '../groups/group-step';

type Started = Ended<StartOfSession, NotedSession>;

/**
 * Notes the new sessions of a group in their page's journal, in one file. So the page needs no activity of its own for
 * that. If the file can't be written, the sessions are returned as they are, and the page notes them.
 */
export function noteSessions(
  deps: Pick<ActivityDeps, 'files'>,
): (ended: readonly Started[]) => Promise<readonly NotedSession[]> {
  let chunk = 0;
  return async (ended) => {
    const values = ended.map(({ value }) => value);
    const open = ended.filter(({ value }) => value.noted !== true);
    const entries = open.flatMap(entryOf);
    const { journal } = open.find(({ input }) => input.journal !== undefined)?.input ?? {};
    if (journal === undefined || entries.length === 0) return values;
    const { info, log } = Context.current();
    const { folder, page, round } = journal;
    const run = shortRunId(info.workflowExecution?.runId ?? '');
    const writer = `${run}-${info.activityId}-${String(info.attempt)}`;
    try {
      await writeLines(deps.files, journalFile(folder, { page, round, writer, chunk }), entries);
    } catch (error) {
      log.warn('Sessions could not be noted with their start, so the page notes them', { error });
      return values;
    }
    chunk += 1;
    const noted = new Set(entries.map(({ uploadId }) => uploadId));
    return values.map((value) => (noted.has(value.uploadId) ? { ...value, noted: true } : value));
  };
}

/** The session of a file that was sent with its start; none for others. */
function entryOf({ input: { media, rowId, source }, value }: Started): SessionEntry[] {
  if (source === undefined || rowId === undefined) return [];
  const session = earlierSessionOf({
    uploadId: value.uploadId,
    mediaId: value.mediaId,
    fileName: source.fileName,
    fileType: media.fileType,
    bytes: source.bytes,
    identity: sourceIdentity(source),
  });
  return session === undefined ? [] : [{ id: rowId, ...session, notedAt: new Date().toISOString() }];
}
