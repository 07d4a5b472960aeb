import { Context } from '@temporalio/activity';
import { describe, expect, it } from '@jest/globals';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const PARTS = 4;
const POISON = 3;

describe('a part that crashes its worker', () => {
  it('is sent on its own after two lost tries, as are the parts of its group; the file is whole', async () => {
    const { fixture } = on;
    const groups: number[][] = [];
    await fixture.startBareWorker({
      change: (ours) => ({
        async sendParts(group) {
          const { attempt } = Context.current().info;
          const parts = group.inputs.map(({ input }) => input.partNumber);
          // A busy machine can lose a heartbeat of a single part. That repeats its group, and makes no other one.
          if (attempt === 1 || parts.length > 1) groups.push(parts);
          // Acts like a worker that is gone: no heartbeat, no answer.
          if (parts.length > 1 && parts.includes(POISON) && attempt <= 2) await Context.current().cancelled;
          return ours.sendParts(group);
        },
      }),
    });
    const file = await fixture.writeFile('poisoned.mp4', PARTS);
    const handle = await fixture.start(file.path, { options: { heartbeatMs: 1_000 } });
    const result = await handle.result();
    const all = [1, 2, 3, 4];
    expect(groups.slice(0, 3)).toEqual([all, all, all]);
    expect(groups.slice(3).flat().sort()).toEqual(all);
    expect(groups.slice(3).every((parts) => parts.length === 1)).toBe(true);
    const session = fixture.session(result.uploadId);
    expect(session.parts.map(({ puts }) => puts)).toEqual(all.map(() => 1));
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  });
});
