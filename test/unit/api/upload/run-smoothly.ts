import { runUpload } from '../../../../api/upload/engine/run-upload';
import { fakeControl, requestOf, type FakeSteps } from './fake-steps';

/** Runs with parts that succeed as soon as they begin. */
export async function runSmoothly(steps: FakeSteps, options = {}): Promise<ReturnType<typeof runUpload>> {
  const put = steps.sendPart;
  steps.sendPart = (input) => {
    const result = put(input);
    steps.running.at(-1)?.succeed();
    return result;
  };
  return runUpload(requestOf(options), steps, fakeControl(steps));
}
