import { textAt } from '../../../../../api/field-at';
import type { JsonObject } from '../../../../../api/json';
import type { Page } from '../../../../../api/pages/page';
import { readSteadily } from '../../../../../api/pages/read-steadily';
import type { WindowSource } from '../../../../../nodes/MediaServiceTrigger/window/poll-window';

export interface SentRecord {
  readonly id: string;
  /** Epoch ms. */
  readonly sentAt: number;
  /** When the service shows it. */
  readonly visibleAt: number;
}

export interface Weather {
  /** The request of this number fails; counted from 1 in each poll. */
  readonly failsAt?: number;
  /** A poll cannot read more records than these in its time. */
  readonly slowAbove?: number;
  /** ms that pass with each page. */
  readonly pageMs: number;
  /** With each page the service forgets a record that came already. */
  readonly forgets?: boolean;
}

/** A service of the test's own time, whose pages move while they are read. */
export class StoredService {
  records: SentRecord[] = [];
  weather: Weather = { pageMs: 0 };
  requests = 0;
  /** Ids of records that came. */
  readonly came = new Set<string>();
  private poll = new AbortController();

  constructor(
    private readonly time: { now: number },
    private readonly ways: {
      readonly pageSize: number;
      /** It tells its clock. */
      readonly dates: boolean;
      /** It announces totals. */
      readonly totals: boolean;
      /** The newest comes first. */
      readonly descending: boolean;
    },
  ) {}

  begin(weather: Weather): AbortSignal {
    this.weather = weather;
    this.requests = 0;
    this.poll = new AbortController();
    return this.poll.signal;
  }

  source(): WindowSource<string> {
    return {
      read: async (window, most) => {
        const serviceNow = Math.floor(this.time.now / 1000) * 1000;
        const read = await readSteadily({
          pages: () => this.pages(window.from, window.to),
          identity: (record) => textAt(record, ['id']) ?? '',
          most,
        });
        if (read === 'tooMany') return read;
        const found = [...read.records].map(([id, { sentAt }]) => ({ id, at: Number(sentAt), value: id }));
        return { found, complete: read.complete, ...(this.ways.dates ? { serviceNow } : {}) };
      },
    };
  }

  /** Cut from what is visible at that moment. */
  private async *pages(from: number, to: number): AsyncGenerator<Page> {
    for (let page = 0; ; page += 1) {
      this.requests += 1;
      if (this.requests === this.weather.failsAt) throw new Error('The service is down.');
      const matches = this.records
        .filter(({ sentAt, visibleAt }) => visibleAt <= this.time.now && sentAt >= from && sentAt < to)
        .sort((a, b) => (this.ways.descending ? b.sentAt - a.sentAt : a.sentAt - b.sentAt));
      if (matches.length > (this.weather.slowAbove ?? Number.POSITIVE_INFINITY)) {
        this.poll.abort();
        throw new Error('The poll ended.');
      }
      const items = matches
        .slice(page * this.ways.pageSize, (page + 1) * this.ways.pageSize)
        .map(({ id, sentAt }): JsonObject => ({ id, sentAt }));
      yield { items, ...(this.ways.totals ? { totalElements: matches.length } : {}) };
      this.time.now += this.weather.pageMs;
      const forgotten =
        this.weather.forgets === true && items.find((item) => this.came.has(textAt(item, ['id']) ?? ''));
      if (forgotten) this.records = this.records.filter(({ id }) => id !== forgotten['id']);
      if (items.length < this.ways.pageSize) return;
    }
  }
}
