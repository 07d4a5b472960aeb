import type { Resource } from '../operation';
import { cancel } from './cancel.operation';
import { get } from './get.operation';
import { getMany } from './getMany.operation';
import { pause } from './pause.operation';
import { resume } from './resume.operation';
import { retryFailed } from './retryFailed.operation';
import { start } from './start.operation';
import { wait } from './wait.operation';

export const batchResource: Resource = {
  option: { name: 'Batch', value: 'batch' },
  operations: [start, cancel, get, getMany, pause, resume, retryFailed, wait],
};
