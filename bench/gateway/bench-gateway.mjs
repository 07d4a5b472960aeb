// `npm run bench:gateway [-- --rate 500 --seconds 10 --waits 1000]`: sends starts to a gateway at a steady rate, whatever
// it answers, and then opens waits. A gateway must accept each start or refuse it with 429 and Retry-After.
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { watchCpu } from '../batch/cpu.mjs';
import { residentMb } from '../batch/memory.mjs';
import { setScene } from '../batch/scene.mjs';
import { ensureBuilt } from '../../tools/build.mjs';
import { freePort, Stage } from '../../tools/demo/demo-stage.mjs';
import { ensureInstalled } from '../../tools/install.mjs';
import { ensure } from '../../tools/set-up.mjs';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '10' },
    waits: { type: 'string', default: '1000' },
  },
});
const [rate, seconds, waits] = [values.rate, values.seconds, values.waits].map(Number);
const TICK_MS = 20;
/** Waits that are opened at the same time, and when all are open, the pause before memory is read. */
const [OPENING, SETTLE_MS] = [100, 2_000];

await ensureInstalled();
const temporalCli = await ensure('temporal-cli');
await ensureBuilt();
const stage = new Stage();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void stage.clear().then(() => process.exit(130)));
const agent = new Agent({ connections: 2_000 });
try {
  const { env, cwd } = await setScene(stage, { temporalCli, simulatorOptions: {} });
  const http = String(await freePort());
  const { child, ready } = await stage.startCommand(['gateway', '--http', http], { env, cwd });
  console.log(
    `${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}), Node ${process.versions.node}, load ${os.loadavg()[0].toFixed(1)}\n`,
  );
  const ids = await starts(child, ready.http);
  await openWaits(child, ready.http, ids);
} finally {
  await agent.destroy();
  await stage.clear();
}

async function starts(gateway, url) {
  const cpu = await watchCpu([gateway]);
  const began = performance.now();
  const answers = [];
  while (performance.now() - began < seconds * 1_000) {
    const due = Math.floor(((performance.now() - began) / 1_000) * rate);
    while (answers.length <= due) answers.push(start(url, answers.length));
    await sleep(TICK_MS);
  }
  const all = await Promise.all(answers);
  const used = await cpu();
  const count = (wanted) => all.filter(wanted).length;
  const accepted = all.filter(({ status }) => status === 201);
  const refused = count(({ status, retryAfter }) => status === 429 && retryAfter !== undefined);
  const times = accepted.map(({ ms }) => ms).sort((a, b) => a - b);
  console.log(
    '| starts/s sent | accepted/s | 429 with Retry-After/s | other answers | median ms | p99 ms | CPU ms/start |',
  );
  console.log('|---|---|---|---|---|---|---|');
  const perSecond = [all.length, accepted.length, refused].map((figure) => Math.round(figure / seconds));
  const other = all.length - accepted.length - refused;
  const [median, slow] = [times[times.length >> 1], times[Math.floor(times.length * 0.99)]].map(Math.round);
  console.log(
    `| ${perSecond.join(' | ')} | ${other} | ${median} | ${slow} | ${((1_000 * used) / all.length).toFixed(2)} |\n`,
  );
  return accepted.map(({ id }) => id);
}

async function start(url, number) {
  const began = performance.now();
  const body = {
    source: `http://127.0.0.1:9/${number}.mp4`,
    ingestKey: `start-${number}`,
    media: { title: 'Film' },
  };
  const answer = await request(`${url}/v1/uploads`, {
    ...{ method: 'POST', dispatcher: agent, body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json' },
  });
  const { id } = await answer.body.json();
  return {
    id,
    status: answer.statusCode,
    retryAfter: answer.headers['retry-after'],
    ms: performance.now() - began,
  };
}

/** Each wait is for another upload, of which none ends: no worker runs. */
async function openWaits(gateway, url, ids) {
  const before = await residentMb(gateway.pid);
  const ended = new AbortController();
  const wait = (id) =>
    request(`${url}/v1/uploads/${encodeURIComponent(id)}?wait=60`, {
      dispatcher: agent,
      signal: ended.signal,
    });
  const open = [];
  for (let from = 0; from < waits; from += OPENING) {
    for (const id of ids.slice(from, Math.min(waits, from + OPENING))) open.push(wait(id));
    await sleep(TICK_MS * 10);
  }
  const first = await Promise.race([...open, sleep(SETTLE_MS)]);
  if (first !== undefined) throw new Error(`A wait was answered with ${first.statusCode}.`);
  const after = await residentMb(gateway.pid);
  console.log('| open waits | MB before | MB with them | MB more |');
  console.log('|---|---|---|---|');
  console.log(`| ${open.length} | ${[before, after, after - before].map(Math.round).join(' | ')} |`);
  ended.abort();
  await Promise.allSettled(open);
}
