import { expect, test } from '@jest/globals';
import { uploadNames } from '../../../../../cli/commands/uploads/wait';

test('uploads are named after their files, or by ID if a name is shared or unknown', () => {
  expect(
    uploadNames([
      { workflowId: 'upload/a/1', label: 'clip.mp4' },
      { workflowId: 'upload/a/2', label: 'same.mp4' },
      { workflowId: 'upload/a/3', label: 'same.mp4' },
      { workflowId: 'upload/a/4' },
    ]),
  ).toEqual(['clip.mp4', 'upload/a/2', 'upload/a/3', 'upload/a/4']);
});
