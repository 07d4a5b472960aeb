import { Context } from '@temporalio/activity';
import { describe, expect, it } from '@jest/globals';
import { controlQueue, transferQueue } from '../../temporal/contract';
import { inputsOf } from '../../temporal/contract/groups';
import type { Group } from '../../temporal/contract/groups';
import type { UploadGroups } from '../../temporal/contract/upload-groups';
import { accountOfBatch, completedTitles, startRows, writeRows } from '../support/batch-bed';
import { useUploadBed } from '../support/upload-bed';

const ROWS = 12;
const on = useUploadBed({ worker: false });

type Pins = Group<UploadGroups['pinSources']['input']>;
type Parts = Group<UploadGroups['sendParts']['input']>;

describe('a row of a batch that takes its worker along', () => {
  it.each(['pinSources', 'sendParts'] as const)(
    'in %s, travels alone after two lost tries; every row is uploaded once',
    async (step) => {
      const { bed } = on;
      const name = `poison-${step}`;
      const rows = await writeRows(bed, name, ROWS);
      const poison = rows[ROWS / 2]?.source ?? '';
      const groups: string[][] = [];
      /** As of a worker that is gone: no heartbeat, no answer. */
      async function loseWorker(sources: readonly (string | undefined)[]): Promise<void> {
        if (!sources.includes(poison)) return;
        groups.push(sources.map(String));
        if (sources.length > 1 && Context.current().info.attempt <= 2) await Context.current().cancelled;
      }
      const control = controlQueue(bed.queuePrefix, bed.accountId);
      const transfer = transferQueue(bed.queuePrefix, bed.accountId);
      const stop = await bed.startBareWorker({
        queues: { [control]: true, [transfer]: false },
        change: (ours) => ({
          async pinSources(group: Pins) {
            if (step === 'pinSources') await loseWorker(inputsOf(group).map(({ input }) => pathOf(input)));
            return ours.pinSources(group);
          },
          async sendParts(group: Parts) {
            if (step === 'sendParts')
              await loseWorker(inputsOf(group).map(({ input }) => pathOf(input.source)));
            return ours.sendParts(group);
          },
        }),
      });
      const batch = await startRows(bed, name, rows, { options: { upload: { heartbeatMs: 1_000 } } });
      expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS, failed: 0 });
      await stop();

      const [together] = groups;
      expect(together?.length).toBeGreaterThan(1);
      expect(groups).toEqual([together, together, together, [poison]]);
      expect([...completedTitles(bed)].filter(([title]) => title.includes(name))).toEqual(
        expect.arrayContaining(rows.map(({ id }) => [`Film ${id}`, 1])),
      );
      const lines = await accountOfBatch(bed, name);
      expect(lines.map(({ uploadId }) => bed.session(uploadId).parts.map(({ puts }) => puts))).toEqual(
        rows.map(() => [1]),
      );
    },
  );
});

function pathOf({ source }: UploadGroups['pinSources']['input']): string | undefined {
  return source.kind === 'path' ? source.path : undefined;
}
