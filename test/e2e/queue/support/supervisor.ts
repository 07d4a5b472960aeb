import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Reads what it guards, one per line. If its input ends without the word `release`, it ends and removes all of it. */
const SCRIPT = `
pids=
while IFS=' ' read -r kind value; do
  case "$kind" in
    process) pids="$pids $value" ;;
    folder) set -- "$@" "$value" ;;
    release) exit 0 ;;
  esac
done
kill -KILL $pids 2>/dev/null
rm -rf -- "$@" 2>/dev/null || { sleep 1; rm -rf -- "$@"; }`;

/** Ends processes and removes folders if these tests are killed, since gigabytes would stay behind. */
export interface Supervisor {
  guardProcess(pid: number): void;
  guardFolder(path: string): void;
  /** Call this after everything was removed regularly. */
  release(): Promise<void>;
}

/** Starts the supervisor in a process group of its own, so that a signal to the tests' group does not reach it. */
export async function startSupervisor(): Promise<Supervisor> {
  const child = spawn('sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  const ended = once(child, 'close');
  return {
    guardProcess: (pid) => void child.stdin.write(`process ${pid}\n`),
    guardFolder: (path) => void child.stdin.write(`folder ${path}\n`),
    async release() {
      child.stdin.end('release\n');
      await ended;
    },
  };
}
