import { Context } from '@temporalio/activity';
import { describe, expect, it } from '@jest/globals';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
const PARTS = 4;
const POISON = 3;

describe('a part that takes its worker along', () => {
  it('travels alone after two lost tries, and so does what was with it; the file is whole', async () => {
    const { bed } = on;
    const groups: number[][] = [];
    await bed.startBareWorker({
      change: (ours) => ({
        async sendParts(group) {
          const { attempt } = Context.current().info;
          const parts = group.inputs.map(({ input }) => input.partNumber);
          groups.push(parts);
          // As of a worker that is gone: no heartbeat, no answer.
          if (parts.length > 1 && parts.includes(POISON) && attempt <= 2) await Context.current().cancelled;
          return ours.sendParts(group);
        },
      }),
    });
    const file = await bed.writeFile('poisoned.mp4', PARTS);
    const handle = await bed.start(file.path, { options: { heartbeatMs: 1_000 } });
    const result = await handle.result();
    const all = [1, 2, 3, 4];
    expect(groups.slice(0, 3)).toEqual([all, all, all]);
    expect(groups.slice(3).flat().sort()).toEqual(all);
    expect(groups.slice(3).every((parts) => parts.length === 1)).toBe(true);
    const session = bed.session(result.uploadId);
    expect(session.parts.map(({ puts }) => puts)).toEqual(all.map(() => 1));
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  });
});
