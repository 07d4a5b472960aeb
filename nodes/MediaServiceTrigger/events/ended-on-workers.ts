import { textAt } from '../../../api/json';
import type { Door } from '../../MediaService/access/door';
import { shownFields } from '../../MediaService/await-end';
import { periodEvent } from '../poll/period-event';
import type { PollSettings, TriggerEvent } from '../poll/period-event';
import { shortId } from '../poll/cursor';

/**
 * The account's uploads or batches that ended on workers, whoever started them. A batch that is started again is
 * reported again, and one that did not complete says why. Reads Temporal's index, which lags by seconds.
 */
export function endedOnWorkers(
  door: Door,
  what: 'batches' | 'uploads',
  settings: PollSettings,
): TriggerEvent {
  return periodEvent(
    {
      async read({ from, to }, maxItems) {
        const period = { endedFrom: new Date(from).toISOString(), endedTo: new Date(to).toISOString() };
        const ended = await door.list(`/v1/${what}`, period, maxItems + 1);
        if (ended.length > maxItems) return 'tooMany';
        const found = ended.map((one) => {
          const [id = '', endedAt = ''] = ['id', 'endedAt'].map((name) => textAt(one, [name]));
          return { id: shortId(`${id} ${endedAt}`), at: Date.parse(endedAt), value: shownFields(one) };
        });
        return { found };
      },
    },
    settings,
    { worker: door.url },
  );
}
