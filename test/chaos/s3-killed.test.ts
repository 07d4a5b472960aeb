import { describe, it } from '@jest/globals';
import { openOwnS3 } from '../support/own-s3';
import type { OwnS3 } from '../support/own-s3';
import { until } from '../support/until';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { CANARIES, expectIntactAndReplayable } from './activity-table/invariant';

/** The client sees that many refused connections before the server is back. */
const TRIES_WHILE_AWAY = 4;
const PARTS = 3.2;

/**
 * Kills the server while the bytes of the first parts arrive, and starts it again after parts found no server. No file
 * is assembled meanwhile: a versitygw 1.8 that is killed then reports success for a file that it never assembles.
 */
async function killWhilePartsAreSent(s3: OwnS3, { simulator }: UploadFixture): Promise<void> {
  const count = (name: string): number => simulator.events().filter(({ event }) => event === name).length;
  await until('a part is held', () => count('held'));
  await s3.kill();
  const begun = count('part-begun');
  simulator.clearFaults();
  simulator.release();
  await until(
    'parts found no S3 server',
    () => count('part-begun') - begun,
    (tries) => tries >= TRIES_WHILE_AWAY,
  );
  await s3.restart();
}

describe('an S3 server that is killed while parts are sent', () => {
  // The seeded chaos shows it of a batch.
  it('loses, doubles, hides and leaks nothing of a file', async () => {
    const s3 = await openOwnS3();
    const fixture = await openUploadFixture({ simulator: { account: CANARIES, s3: s3.options } });
    try {
      await fixture.startLoggedProcess();
      fixture.simulator.fault('hold:always:bytes=1000');
      const { path } = await fixture.writeFile('film.mp4', PARTS);
      const media = { title: 'Film', fileType: 'MP4' } as const;
      const { workflowId, result } = await fixture.start(path, { media });
      await killWhilePartsAreSent(s3, fixture);
      const evidence = {
        workflowIds: [workflowId],
        files: new Map([['Film', path]]),
        reported: await result(),
      };
      await expectIntactAndReplayable(fixture, evidence, fixture.logs());
    } finally {
      await fixture.close();
      await s3.close();
    }
  });
});
