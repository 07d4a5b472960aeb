import { textAt } from '../../../../api/json';
import type { JsonObject } from '../../../../api/json';
import type { Page } from '../../../../api/pages/search-answer-shapes';
import { eachPage, readAgainIfFewer } from '../../../../api/pages/each-page';
import type { FoundItem, PeriodSource, TimePeriod } from '../../../../nodes/MediaServiceTrigger/poll-period';

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
      read: (period, maxItems) => {
        const serviceNow = Math.floor(this.time.now / 1000) * 1000;
        return readAgainIfFewer(async () => {
          const found = new Map<string, FoundItem<string>>();
          for await (const page of this.pages(period)) {
            for (const { id, at } of recordsOf(page)) found.set(id, { id, at, value: id });
            if (Math.max(found.size, page.totalElements ?? 0) > maxItems) return 'tooMany';
          }
          return { found: [...found.values()], ...(this.ways.dates ? { serviceNow } : {}) };
        });
      },
    };
  }

  private pages(period: TimePeriod): AsyncGenerator<Page> {
    return eachPage({
      operation: 'search',
      size: this.ways.pageSize,
      fetch: async (page = 0, size = this.ways.pageSize) => this.pageOf(period, page, size),
      recordsOf: (page) => recordsOf(page).map(({ id }) => id),
    });
  }

  /** A page of what is visible at that time. */
  private pageOf({ from, to }: TimePeriod, page: number, size: number): Page {
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
      .slice(page * size, (page + 1) * size)
      .map(({ id, sentAt }): JsonObject => ({ id, sentAt }));
    this.time.now += this.weather.pageMs;
    const forgotten = items.find((item) => this.came.has(textAt(item, ['id']) ?? ''));
    if (this.weather.forgets === true && forgotten)
      this.records = this.records.filter(({ id }) => id !== forgotten['id']);
    return { items, ...(this.ways.totals ? { totalElements: matches.length } : {}) };
  }
}

function recordsOf({ items }: Page): { id: string; at: number }[] {
  return items.map((item) => ({ id: textAt(item, ['id']) ?? '', at: Number(item['sentAt']) }));
}
