import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transformFile } from '@swc/core';
import type { startForwardProxy } from './forward-proxy';
import { createTempDir } from './temp-dir';

export interface ProxyProcess {
  /** Without user and password. */
  readonly url: string;
  /** Everything that the proxy has seen so far, as `ForwardProxy.seen`. */
  seen(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Answers each message with what the proxy has seen. */
const MAIN = `
exports.startForwardProxy(JSON.parse(process.argv[2])).then((proxy) => {
  process.on('message', () => process.send(proxy.seen));
  process.send(proxy.url);
});`;

/** A forward proxy in a process of its own, as in a company's network. */
export async function startProxyProcess(
  options: Omit<NonNullable<Parameters<typeof startForwardProxy>[0]>, 'tls'>,
): Promise<ProxyProcess> {
  const folder = await createTempDir('proxy');
  const file = join(folder.path, 'proxy.cjs');
  const { code } = await transformFile(join(__dirname, 'forward-proxy.ts'), {
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  await writeFile(file, code + MAIN);
  const child = fork(file, [JSON.stringify(options)]);
  const ended = once(child, 'exit');
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    async seen() {
      const answer = once(child, 'message');
      child.send('seen');
      const [lines] = (await answer) as [string[]];
      return lines;
    },
    async close() {
      child.kill();
      await ended;
      await folder.remove();
    },
  };
}
