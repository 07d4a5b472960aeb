import { controlOperations } from '../control';
import type { Resource } from '../operation';
import { identifiedBy, sessionItems, WORKFLOW_ID } from './session';
import { upload } from './upload.operation';

export const uploadResource: Resource = {
  option: { name: 'Upload', value: 'upload' },
  operations: [
    upload,
    ...controlOperations({
      one: 'upload',
      article: 'an',
      many: 'uploads',
      pauses: 'Let running parts end and begin no new ones',
      cancelNote:
        'Sending ends. An upload session that was started stays in the service, which has no call to remove it: ask its operator.',
      id: WORKFLOW_ID,
      idHint:
        'Take it from the output of Upload > Upload. An upload inside n8n has none: in Get and Wait choose "Identify Upload By: Upload ID".',
      parametersOf: identifiedBy,
      session: sessionItems,
    }),
  ],
};
