import { controlOperations } from '../control';
import type { Resource } from '../operation';
import { WORKFLOW_ID, workflowIdOf } from './fields/workflow-id';
import { get } from './get.operation';
import { upload } from './upload.operation';
import { wait } from './wait.operation';

const { cancel, getMany, pause, resume } = controlOperations({
  one: 'upload',
  many: 'uploads',
  pauses: 'Let running parts end and begin no new ones',
  cancelNote:
    'Sending ends. An upload session that was started stays in the service, which has no call to remove it: ask its operator.',
  id: WORKFLOW_ID,
  // A function, so that n8n's start is literal.
  idOf: (context, itemIndex) => workflowIdOf(context, itemIndex),
});

export const uploadResource: Resource = {
  option: { name: 'Upload', value: 'upload' },
  operations: [upload, cancel, get, getMany, pause, resume, wait],
};
