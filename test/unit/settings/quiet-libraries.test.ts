import { expect, test } from '@jest/globals';
import { quietLibraries } from '../../../settings/quiet-libraries';

const VARIABLE = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

test.each([
  ['is silenced where nothing is said of it', {}, 'true'],
  ['stays where somebody wants it', { [VARIABLE]: 'false' }, 'false'],
])('the warning of the AWS library about Node %s', (_label, env: Record<string, string>, value) => {
  quietLibraries(env);
  expect(env).toEqual({ [VARIABLE]: value });
});

test('deprecations inside libraries are not shown to users of a command', () => {
  quietLibraries({});
  expect(process.noDeprecation).toBe(true);
});
