import { expect, test } from '@jest/globals';
import { controlWorkflow } from '../../../../temporal/client/control-workflow';

type Given = Parameters<typeof controlWorkflow>;

const workflowId = 'batch/acme/harbour';

/** A server whose workflow has this status. */
function serverWith(status: string): Given[0] {
  const describe = () => Promise.resolve({ status: { name: status } });
  const lister = { workflow: { getHandle: () => ({ describe }) } };
  return { address: 'temporal:7233', namespace: 'media', lister } as never;
}

test.each<[status: string, noun: Given[1]['noun']]>([
  ['COMPLETED', 'batch'],
  ['FAILED', 'upload'],
  ['CANCELLED', 'batch'],
])('a request for a workflow that is %s is refused in our words (%s)', async (status, noun) => {
  await expect(
    controlWorkflow(serverWith(status), { workflowId, noun }, () => Promise.reject(new Error('sent'))),
  ).rejects.toMatchObject({
    code: 'RequestRefused',
    message: `The ${noun} ${workflowId} has ended (${status}), so it can't be paused, resumed or cancelled.`,
    facts: {
      outcome: 'refused',
      hint: expect.stringContaining(`{${noun}End:batch/acme/harbour}`),
      details: { status },
    },
  });
});

test.each(['RUNNING', 'PAUSED'])('a request for a workflow that is %s is sent', async (status) => {
  let sent = 0;
  await controlWorkflow(serverWith(status), { workflowId, noun: 'batch' }, () => {
    sent += 1;
    return Promise.resolve();
  });
  expect(sent).toBe(1);
});
