import { accountId } from '../../../api/account';
import { canonicalJson, valueAt } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';
import type { MediaFilter } from '../../../api/media/media-filter';
import { eachMediaPage } from '../../../api/media/media-search';
import { MAX_PAGE_SIZE } from '../../../api/pages/each-page';
import type { Page } from '../../../api/pages/each-page';
import { readStablePages } from '../../../api/pages/read-stable-pages';
import { readMoment } from '../../../api/when';
import type { Service } from '../../../api/service/service';
import { shortId } from '../poll/cursor';
import type { TriggerEvent } from './trigger-event';
import type { TimePeriod } from '../poll/period-to-read';
import type { PeriodSource } from '../poll/poll-period';
import { periodEvent } from '../poll/period-event';
import type { PollSettings } from '../poll/period-event';
import { mediaIdReader } from './media-id';

interface DatedMedia {
  readonly filter: MediaFilter;
  readonly idField?: string;
  /** Property with the creation date of the media, by which the service can sort. */
  readonly dateProperty: string;
  /** The media item in the form for the output. */
  readonly present: (media: JsonObject) => JsonObject;
}

/** Media that match the filter, found by their date. Reads from the newest on, no further back than needed. */
export function datedMedia(service: Service, wanted: DatedMedia, settings: PollSettings): TriggerEvent {
  const { filter, idField, dateProperty } = wanted;
  const asks = { filter: canonicalJson(filter), id: idField ?? null, dateProperty };
  return periodEvent(mediaSource(service, wanted), settings, {
    account: accountId(service.account),
    ...asks,
  });
}

function mediaSource(
  service: Service,
  { filter, idField, dateProperty, present }: DatedMedia,
): PeriodSource<JsonObject> {
  const idOf = mediaIdReader(idField);
  const dateOf = dateReader(dateProperty);
  return {
    async read(period, maxItems, signal) {
      const clock = withClock(service);
      const sort = [{ property: dateProperty, direction: 'DESC' as const }];
      const newestFirst = (): AsyncIterable<Page> =>
        eachMediaPage(clock.service, filter, { size: MAX_PAGE_SIZE, sort, signal });
      const pages = (): AsyncGenerator<Page> => pagesOf(newestFirst(), period, { dateOf, dateProperty });
      const read = await readStablePages({ pages, identity: idOf, maxItems });
      if (read === 'tooMany') return read;
      const serviceNow = clock.serviceNow();
      const found = [...read.records].map(([id, media]) => ({
        id: shortId(id),
        at: dateOf(media),
        value: present(media),
      }));
      return { found, complete: read.complete, ...(serviceNow === undefined ? {} : { serviceNow }) };
    },
  };
}

/**
 * The media of the period, one page of the service at a time, without a total. Ends when the media are older than the
 * period.
 */
async function* pagesOf(
  newestFirst: AsyncIterable<Page>,
  { from, to }: TimePeriod,
  by: { readonly dateOf: (media: JsonObject) => number; readonly dateProperty: string },
): AsyncGenerator<Page> {
  for await (const { items } of newestFirst) {
    const dated = items.map((media) => ({ media, date: by.dateOf(media) }));
    // If the service ignores the requested order, one old media at the top would hide the new ones.
    if (dated.some(({ date }, index) => date > (dated[index - 1]?.date ?? date))) {
      throw notSorted(by.dateProperty);
    }
    yield { items: dated.filter(({ date }) => date >= from && date < to).map(({ media }) => media) };
    if (dated.some(({ date }) => date < from)) return;
  }
}

function notSorted(property: string): MediaServiceError {
  return new MediaServiceError(
    'UnreadableAnswer',
    `The service did not return the media newest first by "${property}"`,
    {
      hint: 'The service may not sort by it, or may need another "Sort Separator" in the credential. Otherwise, choose another "Date Property", or leave it empty.',
    },
  );
}

function dateReader(property: string): (media: JsonObject) => number {
  return (media) => {
    const date = readMoment(valueAt(media, property));
    if (date !== undefined) return date;
    throw new MediaServiceError('UnreadableAnswer', `The media have no date under "${property}"`, {
      hint: `Name another field in the option "Date Property", or leave it empty. The fields are: ${Object.keys(media).join(', ').slice(0, 300)}.`,
    });
  };
}

/** The service, and its clock at the first answer: epoch ms in whole seconds, or undefined if no answer had a date. */
function withClock(service: Service): { readonly service: Service; serviceNow(): number | undefined } {
  let serviceNow: number | undefined;
  return {
    service: {
      ...service,
      async call(call) {
        const answer = await service.call(call);
        serviceNow ??= readMoment(answer.headers['date']);
        return answer;
      },
    },
    serviceNow: () => serviceNow,
  };
}
