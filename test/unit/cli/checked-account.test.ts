import { checkedAccount } from '../../../cli/context';
import { readSettings } from '../../../settings/settings';
import { ACCOUNT_ENV as ENV } from './example-account';

test.each([
  ['the base', { MEDIA_SERVICE_BASE_URL: 'http://a.example' }, 'MEDIA_SERVICE_BASE_URL'],
  ['the upload host', { MEDIA_SERVICE_UPLOAD_URL: 'http://a.example' }, 'MEDIA_SERVICE_UPLOAD_URL'],
])('plain http to %s is refused with the names of the variables', (_label, change, name) => {
  expect(() => checkedAccount(readSettings({ ...ENV, ...change }))).toThrow(
    expect.objectContaining({
      code: 'Configuration',
      message: `${name} is plain http to a.example, so keys and tokens would be sent unencrypted`,
      facts: expect.objectContaining({
        field: name,
        hint: expect.stringContaining('{allowPlainHttp}'),
      }),
    }),
  );
});
