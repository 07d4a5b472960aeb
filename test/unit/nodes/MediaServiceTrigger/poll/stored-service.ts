import { textAt } from '../../../../../api/json';
import type { JsonObject } from '../../../../../api/json';
import type { Page } from '../../../../../api/pages/search-answer-shapes';
import { readStablePages } from '../../../../../api/pages/read-stable-pages';
import type { PeriodSource } from '../../../../../nodes/MediaServiceTrigger/poll/poll-period';

export interface SentRecord {
  readonly id: string;
  /** Epoch ms. */
  readonly sentAt: number;
  /** When the service shows it, epoch ms. */
  readonly visibleAt: number;
}

export interface Weather {
  /** Number of the request that fails, counted from 1 in each poll. */
  readonly failsAt?: number;
  /** Maximum number of records that a poll can read in its time. */
  readonly slowAbove?: number;
  /** ms that pass with each page. */
  readonly pageMs: number;
  /** With each page the service forgets a record that already came. */
  readonly forgets?: boolean;
}

/** A service with the test's own clock, whose pages shift while they are read. */
export class StoredService {
  records: SentRecord[] = [];
  weather: Weather = { pageMs: 0 };
  requests = 0;
  /** IDs of records that came. */
  readonly came = new Set<string>();
  private poll = new AbortController();

  constructor(
    private readonly time: { now: number },
    private readonly ways: {
      readonly pageSize: number;
      /** Whether its answers have a date. */
      readonly dates: boolean;
      /** Whether it announces totals. */
      readonly totals: boolean;
      /** Whether the newest comes first. */
      readonly descending: boolean;
    },
  ) {}

  begin(weather: Weather): AbortSignal {
    this.weather = weather;
    this.requests = 0;
    this.poll = new AbortController();
    return this.poll.signal;
  }

  source(): PeriodSource<string> {
    return {
      read: async (period, maxItems) => {
        const serviceNow = Math.floor(this.time.now / 1000) * 1000;
        const read = await readStablePages({
          pages: () => this.pages(period.from, period.to),
          identity: (record) => textAt(record, ['id']) ?? '',
          maxItems,
        });
        if (read === 'tooMany') return read;
        const found = [...read.records].map(([id, { sentAt }]) => ({ id, at: Number(sentAt), value: id }));
        return { found, complete: read.complete, ...(this.ways.dates ? { serviceNow } : {}) };
      },
    };
  }

  /** Pages of what is visible at that time. */
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
