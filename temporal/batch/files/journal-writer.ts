import { setTimeout as pause } from 'node:timers/promises';
import { openAppendFile } from '../../../files/append-file';
import type { AppendFile } from '../../../files/append-file';
import type { FileLocation } from '../../../files/file-location';
import { writeFileAt } from '../../../files/files';
import type { FileAccess } from '../../../files/output-path';
import { outputPath } from '../../../files/output-path';
import { journalFile } from './batch-files';
import type { JournalSegment } from './batch-files';

/** Object storage has no append, so each commit is an object. They are at least this far apart, ms. */
const S3_COMMIT_MS = 1_000;

/**
 * The journal of one attempt. Lines collect while a commit runs, and the next commit writes all of them: on a disk one
 * write and one sync, on S3 one object. After a failed commit, every write rejects with its error.
 */
export class JournalWriter {
  readonly #commits: Commits;
  #lines: string[] = [];
  #next: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(access: FileAccess, folder: FileLocation, segment: JournalSegment) {
    this.#commits = (folder.kind === 's3' ? objects : appended)(access, folder, segment);
  }

  /** Resolves when these lines survive a crash of the machine. */
  write(...lines: readonly object[]): Promise<void> {
    for (const line of lines) this.#lines.push(`${JSON.stringify(line)}\n`);
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    try {
      await (this.#next ?? this.#running);
    } finally {
      await this.#commits.close();
    }
  }

  #after(before: Promise<void>): Promise<void> {
    const commit = before.then(() => {
      const text = this.#lines.join('');
      this.#lines = [];
      this.#next = undefined;
      this.#running = commit;
      return this.#commits.commit(text);
    });
    // Whoever wrote a line gets the failure. So does `close`.
    commit.catch(() => undefined);
    return commit;
  }
}

interface Commits {
  readonly commit: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

function appended(access: FileAccess, folder: FileLocation, segment: JournalSegment): Commits {
  let opened: Promise<AppendFile> | undefined;
  const location = journalFile(folder, segment, 0);
  const path = location.kind === 'path' ? location.path : '';
  return {
    async commit(text) {
      if (opened === undefined) opened = openAppendFile(access, path);
      // While its disk is away, an open file may still take writes that nobody can find.
      else await outputPath(access.outputRoots, path);
      await (await opened).append(text);
    },
    // Whoever wrote the first line has got the failure.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

function objects(access: FileAccess, folder: FileLocation, segment: JournalSegment): Commits {
  let chunk = 0;
  let last = -Infinity;
  return {
    async commit(text) {
      const early = last + S3_COMMIT_MS - performance.now();
      if (early > 0) await pause(early);
      last = performance.now();
      await writeFileAt(access, journalFile(folder, segment, chunk), text);
      chunk += 1;
    },
    close: () => Promise.resolve(),
  };
}
