import { credentialOf } from './support/credential';
import { TestCredentialsHelper } from './support/credentials-helper';
import { executeContextOf } from './support/execute-context';
import { standIn } from './support/node-types';
import { nodeOf } from './support/run-workflow';
import { useService } from './support/service-setting';

const on = useService();

/** Sends as n8n's HTTP Request node does with a chosen credential type. */
const request = async (credentialsHelper: TestCredentialsHelper): Promise<unknown> => {
  const node = {
    ...nodeOf('HTTP', 'n8n-nodes-base.httpRequest', {}),
    credentials: { mediaServiceApi: { id: 'c', name: 'c' } },
  };
  const context = executeContextOf({ node, find: () => standIn(), credentialsHelper });
  const options = {
    method: 'POST',
    url: `${on.simulator.baseUrl}/api/media/search?size=3`,
    body: { isActive: true },
    json: true,
  };
  const send = context.helpers.httpRequestWithAuthentication;
  const answer: unknown = await Reflect.apply(send, context, ['mediaServiceApi', options]);
  return answer;
};

test("n8n's HTTP Request node logs in with the credential, keeps the token, and renews it on 401", async () => {
  const helper = new TestCredentialsHelper({ mediaServiceApi: credentialOf(on.simulator) });
  expect(await request(helper)).toMatchObject({ content: [{}, {}, {}] });
  expect(on.simulator.seen().logins).toBe(1);
  await request(helper);
  expect(on.simulator.seen().logins).toBe(1);
  on.simulator.expireTokens();
  expect(await request(helper)).toMatchObject({ content: [{}, {}, {}] });
  expect(on.simulator.seen().logins).toBe(2);
});
