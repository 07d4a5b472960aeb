import { expect, test } from '@jest/globals';
import { refuseNewerSchema } from '../../../../temporal/workflow/shared';

test.each(['The batch was started', 'The upload was started', 'The report was scheduled'])(
  '%s with a schema that is too new: the error names both schemas and says what to update',
  (begun) => {
    expect(() => refuseNewerSchema(begun, 3, 3)).not.toThrow();
    expect(() => refuseNewerSchema(begun, 4, 3)).toThrow(
      `${begun} with input schema 4, this worker knows 3: update the workers.`,
    );
  },
);
