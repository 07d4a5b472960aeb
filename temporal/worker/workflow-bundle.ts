import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Logger, WorkerOptions } from '@temporalio/worker';

export type WorkflowBundle = NonNullable<WorkerOptions['workflowBundle']>;

/** Beside the compiled worker: made by the build. */
const PREBUILT = join(__dirname, '..', 'workflow-bundle.js');

/** The pre-built bundle where there is one, else one made from the workflow files (some seconds). */
export async function workflowBundle(logger: Logger): Promise<WorkflowBundle> {
  if (existsSync(PREBUILT)) return { codePath: PREBUILT };
  return bundleWorkflowCode({ ...workflowModules(join(__dirname, '..', 'workflows')), logger });
}

/** What a bundle of our workflows is made of. */
export function workflowModules(
  folder: string,
): Pick<Parameters<typeof bundleWorkflowCode>[0], 'workflowsPath' | 'workflowInterceptorModules'> {
  return { workflowsPath: folder, workflowInterceptorModules: [join(folder, 'telemetry', 'interceptors')] };
}
