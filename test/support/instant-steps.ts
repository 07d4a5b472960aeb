import type { WorkerActivities } from '../../temporal/activities/create-activities';
import { inputsOf } from '../../temporal/contract/groups';

type Steps = Pick<WorkerActivities, 'pinSources' | 'sendParts' | 'completeSessions'>;

/**
 * The steps of uploads of files with `bytes` bytes. All inputs of a group end at once, so the groups depend only on
 * the design of the workflow, not on the speed of the machine.
 */
export function instantSteps(bytes: number): Steps {
  const sent = { partNumber: 1, eTag: 'e', verified: true, bytes, attempts: 1, ms: 1 };
  return {
    pinSources: async (group) =>
      inputsOf(group).map(({ input: { source } }) => ({
        value: { source, bytes, fingerprint: 'f', fileName: 'film.mp4' },
      })),
    sendParts: async (group) =>
      inputsOf(group).map(({ input }) => ({
        value: { ...sent, partNumber: input.partNumber, bytes: input.bytes },
      })),
    completeSessions: async (group) =>
      inputsOf(group).map(({ input: { uploadId } }) => ({
        value: { uploadId, status: 'COMPLETED', parts: [], raw: {} },
      })),
  };
}
