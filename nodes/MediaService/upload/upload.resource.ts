import type { Resource } from '../operation';
import { cancel } from './cancel.operation';
import { get } from './get.operation';
import { getMany } from './getMany.operation';
import { pause } from './pause.operation';
import { resume } from './resume.operation';
import { upload } from './upload.operation';
import { wait } from './wait.operation';

export const uploadResource: Resource = {
  option: { name: 'Upload', value: 'upload' },
  operations: [upload, cancel, get, getMany, pause, resume, wait],
};
