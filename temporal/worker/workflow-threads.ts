import threads from 'node:worker_threads';
import type { WorkerOptions as ThreadOptions } from 'node:worker_threads';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Logger, WorkerOptions } from '@temporalio/worker';

const FILES = '@temporalio/worker/lib/workflow';
const { Worker } = threads;

let creating = 0;

/**
 * Workers that `create` makes keep no stack for each promise of a workflow. The SDK records these stacks for its stack
 * query. Its hook compiles code whenever a promise begins or settles, which costs a page more than all its other work.
 * The SDK has no option for this, so its thread starts with the hook removed. An SDK without the hook starts
 * unchanged.
 */
export async function withoutPromiseStacks<T>(create: () => Promise<T>): Promise<T> {
  creating += 1;
  if (creating === 1) Object.assign(threads, { Worker: WorkflowThread });
  try {
    return await create();
  } finally {
    creating -= 1;
    if (creating === 0) Object.assign(threads, { Worker });
  }
}

/**
 * New objects of workflows, MB: less than V8's default. They are garbage soon, and V8 keeps memory that it has once taken.
 */
const YOUNG_MB = 12;

/** As `Worker`, except for the SDK's thread of workflows. */
class WorkflowThread extends Worker {
  constructor(file: string | URL, options: ThreadOptions = {}) {
    const [thread, shared] = [resolved('workflow-worker-thread'), resolved('vm-shared')];
    if (thread === undefined || shared === undefined || file !== thread) super(file, options);
    else {
      const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB, ...options.resourceLimits };
      super(sourceOf(thread, shared), { ...options, resourceLimits, eval: true });
    }
  }
}

function sourceOf(thread: string, shared: string): string {
  return `
    const { globalHandlers } = require(${JSON.stringify(shared)});
    if (typeof globalHandlers?.setPromiseHook === 'function') globalHandlers.setPromiseHook = () => undefined;
    require(${JSON.stringify(thread)});`;
}

function resolved(file: string): string | undefined {
  try {
    return require.resolve(`${FILES}/${file}`);
  } catch {
    return undefined;
  }
}

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
