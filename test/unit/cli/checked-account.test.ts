import { checkedAccount } from '../../../cli/context';
import { readSettings } from '../../../settings/settings';
import { thrownBy } from '../api/upload/failure-of';
import { ACCOUNT_ENV as ENV } from './example-account';

test.each(['MEDIA_SERVICE_BASE_URL', 'MEDIA_SERVICE_UPLOAD_URL'])('plain http in %s is refused', (name) => {
  const settings = readSettings({ ...ENV, [name]: 'http://a.example' });
  expect(thrownBy(() => checkedAccount(settings))).toMatchObject({
    code: 'Configuration',
    message: `${name} is plain http to a.example, so keys and tokens would be sent unencrypted`,
    facts: { field: name, hint: expect.stringContaining('{allowPlainHttp}') },
  });
});
