import { expect, test } from '@jest/globals';
import { sharedFieldsOf } from '../../../../cli/uploads/upload-plan';

test("a metadata file that can't be read is refused with the reason", () => {
  const read = (name: string): unknown =>
    sharedFieldsOf(
      { verify: true, metadata: `@${name}` },
      { cwd: __dirname, settings: { host: 'h', options: {} } },
    );
  expect(() => read('none.json')).toThrow(/none\.json does not exist\.$/);
  expect(() => read('.')).toThrow(/EISDIR|folder/);
});
