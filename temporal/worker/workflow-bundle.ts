import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Logger, WorkerOptions } from '@temporalio/worker';

export type WorkflowBundle = NonNullable<WorkerOptions['workflowBundle']>;

/** Next to the compiled worker. The build makes it. */
const PREBUILT = join(__dirname, '..', 'workflow-bundle.js');

/** The pre-built bundle if it exists, otherwise one made from the workflow files (takes some seconds). */
export async function workflowBundle(logger: Logger): Promise<WorkflowBundle> {
  if (existsSync(PREBUILT)) return { codePath: PREBUILT };
  return bundleWorkflowCode({ ...workflowModules(join(__dirname, '..', 'workflow')), logger });
}

/** The modules in a bundle of our workflows. */
export function workflowModules(
  folder: string,
): Pick<Parameters<typeof bundleWorkflowCode>[0], 'workflowsPath' | 'workflowInterceptorModules'> {
  return {
    workflowsPath: folder,
    workflowInterceptorModules: [join(folder, '..', 'telemetry', 'workflow')],
  };
}
