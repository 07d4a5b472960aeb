import { runUpload } from '../../../../api/upload/engine/run-upload';
import type { UploadRequest } from '../../../../api/upload/types';
import { fakeControl, requestOf, type FakeSteps } from './fake-steps';

/** Runs with parts that succeed as soon as they begin. */
export async function runSmoothly(
  steps: FakeSteps,
  options = {},
  more: Partial<UploadRequest> = {},
): Promise<ReturnType<typeof runUpload>> {
  const put = steps.sendPart;
  steps.sendPart = (input) => {
    const result = put(input);
    steps.running.at(-1)?.succeed();
    return result;
  };
  return runUpload({ ...requestOf(options), ...more }, steps, fakeControl(steps));
}
