import type { Context } from '@temporalio/activity';
import type { GroupHeartbeat } from '../../contract/groups';
import { heartbeatIntervalMs } from '../context/in-activity';
import type { Transfer } from './group-step';

/**
 * Delay until a heartbeat keeps a new outcome, so that it survives the loss of this worker. Groups that end sooner
 * send no heartbeat.
 */
const NEWS_MS = 1_000;

interface HeartbeatSource {
  readonly context: Pick<Context, 'heartbeat' | 'info'>;
  readonly transfer: Transfer | undefined;
  details(): GroupHeartbeat;
}

/**
 * The heartbeats of one try of a group. New outcomes are sent within a second. Otherwise a heartbeat is sent as often
 * as its timeout requires, while anything moves.
 */
export class GroupHeartbeats {
  private hasNews = false;
  private silentMs = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly source: HeartbeatSource) {
    const intervalMs = heartbeatIntervalMs(source.context);
    const tickMs = Math.min(NEWS_MS, intervalMs);
    this.timer = setInterval(() => {
      this.silentMs += tickMs;
      const isDue = this.silentMs >= intervalMs && (source.transfer?.moved() ?? true);
      if (this.hasNews || isDue) this.send();
    }, tickMs);
  }

  /** Notes that the next heartbeat carries something that must not be lost. */
  note(): void {
    this.hasNews = true;
  }

  send(): void {
    this.hasNews = false;
    this.silentMs = 0;
    this.source.context.heartbeat(this.source.details());
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
