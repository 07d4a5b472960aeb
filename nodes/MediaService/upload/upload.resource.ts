import { listUploads } from '../../../temporal/upload/client/list-uploads';
import { openUpload } from '../../../temporal/upload/client/open-upload';
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
  workflowOf: ({ context }, itemIndex) => workflowIdOf(context, itemIndex),
  // Functions, so that n8n's start loads neither.
  open: (connection, workflowId) => openUpload(connection, workflowId),
  list: (connection, asked) => listUploads(connection, asked),
});

export const uploadResource: Resource = {
  option: { name: 'Upload', value: 'upload' },
  operations: [upload, cancel, get, getMany, pause, resume, wait],
};
