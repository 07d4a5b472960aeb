/**
 * `npm run demo`: uploads a file of 300 MB in parts through a real Temporal server to the simulator's storage, and
 * survives the death of its worker. Uses only loopback. Leaves nothing but Temporal's database in the cache folder.
 */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from './folders.mjs';
import { ensureInstalled } from './install.mjs';
import { ensure } from './set-up.mjs';

const FILM_BYTES = 300_000_000;
const TITLE = 'Harbour at dawn';
/** Storage holds this part in the middle, so that the worker dies while it sends the part. */
const FATAL_PART = 5;
const DATABASE = join(cacheFolder, 'demo', 'temporal.db');

let startedAt = Date.now();

function say(text) {
  const seconds = `${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s`;
  console.log(`${seconds}  ${text}`);
}

function headline(text) {
  console.log(`\n${text}`);
}

async function main() {
  await ensureInstalled();
  const temporalCli = process.env.TEMPORAL_ADDRESS ? undefined : await ensure('temporal-cli');
  const { ensureBuilt } = await import('./build.mjs');
  await ensureBuilt();
  startedAt = Date.now();
  const { Stage } = await import('./demo/demo-stage.mjs');
  const stage = new Stage();
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    // Handles every signal, because a wrapper such as npx sends one Ctrl-C twice, and the second must not interrupt
    // the clean-up.
    process.on(signal, () => {
      interrupted = true;
      stage.clear().finally(() => process.exit(130));
    });
  }
  try {
    await play(stage, temporalCli);
  } catch (error) {
    if (!interrupted) throw error;
  } finally {
    await stage.clear();
  }
}

async function play(stage, temporalCli) {
  headline('The stage');
  const scene = await setScene(stage, temporalCli);
  const worker = await startWorker(stage, scene);
  say(`a worker polls ${worker.ready.queues.length} task queues (process ${worker.child.pid})`);

  headline('The upload');
  await uploadThroughDeath(stage, scene, worker);
  await proveIdentical(scene);

  headline('What the service knows now');
  say(`media-service search "${TITLE}"`);
  console.log(await stage.run(['search', TITLE], { ...scene, stdio: ['ignore', 'pipe', 'ignore'] }));

  headline('What Temporal knows');
  if (temporalCli === undefined) say(`look at the upload in the UI of ${scene.env.TEMPORAL_ADDRESS}`);
  else say('npm run temporal -- --last-demo, then http://127.0.0.1:8233/namespaces/default/workflows');
  headline(`Done in ${Math.round((Date.now() - startedAt) / 1000)} s. Nothing is left running.`);
}

async function setScene(stage, temporalCli) {
  const { writeFilm } = await import('./demo/demo-film.mjs');
  const cwd = await stage.folder();
  const env = withoutSettings(process.env);
  if (temporalCli !== undefined) env.TEMPORAL_ADDRESS = await startTemporal(stage, temporalCli, { env, cwd });
  say(`Temporal listens on ${env.TEMPORAL_ADDRESS}`);
  const fault = `hold:1:part=${FATAL_PART}`;
  const { ready } = await stage.startCommand(['simulator', '--fault', fault], { env, cwd });
  say(`a stand-in for the Media Service listens on ${ready.baseUrl}, its storage on ${ready.storageUrl}`);
  const film = join(cwd, 'harbour.mp4');
  const sha256 = await writeFilm(film, FILM_BYTES);
  say(`harbour.mp4 has ${FILM_BYTES / 1e6} MB: an mp4 header, then random bytes made on the spot`);
  return {
    cwd,
    env: { ...env, ...ready.environment },
    control: `${ready.baseUrl}/__simulator`,
    sha256,
  };
}

/** The demo uses the simulator's account, so it must ignore a real one in the environment. */
function withoutSettings(env) {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !name.startsWith('MEDIA_SERVICE_') && (env.TEMPORAL_ADDRESS || !name.startsWith('TEMPORAL_')),
    ),
  );
}

async function startTemporal(stage, cli, { env, cwd }) {
  const { freePort, serving } = await import('./demo/demo-stage.mjs');
  await mkdir(dirname(DATABASE), { recursive: true });
  for (const suffix of ['', '-shm', '-wal', '-journal']) await rm(DATABASE + suffix, { force: true });
  const port = await freePort();
  const args = ['server', 'start-dev', '--headless', '--ip=127.0.0.1', `--port=${port}`];
  const server = stage.start(cli, [...args, `--db-filename=${DATABASE}`, '--log-level=error'], {
    env,
    cwd,
    stdio: 'ignore',
  });
  await serving(port, server);
  return `127.0.0.1:${port}`;
}

const startWorker = (stage, scene) => stage.startCommand(['worker', '--log-level', 'error'], scene);

async function uploadThroughDeath(stage, scene, worker) {
  const args = ['upload', 'harbour.mp4', '--wait', '--title', TITLE, '--part-size', '20MB'];
  say(`media-service ${args.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`);
  const upload = stage.run(args, {
    ...scene,
    env: { ...scene.env, MEDIA_SERVICE_TUNING: '{"heartbeatMs":8000}' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const held = ask(scene, 'wait?event=held&timeoutMs=120000');
  // Waits for either. If the upload ends without the held part, its own error says why.
  const event = await Promise.race([held, upload.then(() => null)]);
  if (event === null) throw new Error(`The upload ended without part ${FATAL_PART} being held.`);
  worker.child.kill('SIGKILL');
  await worker.child.ended;
  narrate(`kill -9 ${worker.child.pid}: the worker dies in the middle of part ${event.part}`);
  const heir = await startWorker(stage, scene);
  narrate(`another worker takes over (process ${heir.child.pid})`);
  await upload;
}

/** The command draws the progress bar, so our line goes below it. */
function narrate(text) {
  if (process.stdout.isTTY) process.stdout.write('\n');
  say(text);
}

async function proveIdentical(scene) {
  const { sessions, completesAccepted } = await ask(scene, '');
  if (sessions.length !== 1 || completesAccepted !== 1)
    throw new Error(
      `There are ${sessions.length} sessions, with complete accepted ${completesAccepted} times.`,
    );
  const [session] = sessions;
  const again = session.parts.filter(({ puts }) => puts > 1).map(({ partNumber }) => partNumber);
  say(`the service saw one session, now ${session.status}, and \`complete\` once`);
  // The held part never reached storage before the kill.
  const sentAgain = [...new Set([FATAL_PART, ...again])].sort((one, other) => one - other);
  const all = session.parts.length;
  say(`${all - sentAgain.length} of ${all} parts were stored once and stayed`);
  say(`sent again after the kill: part ${sentAgain.join(', ')}`);
  const object = await ask(scene, `object?key=${encodeURIComponent(session.keyName)}`);
  if (object.sha256 !== scene.sha256) throw new Error('The bytes in storage are not those of the file.');
  say(`file and object in storage are identical: SHA-256 ${object.sha256.slice(0, 16)}…`);
}

async function ask({ control }, path) {
  const answer = await fetch(path === '' ? control : `${control}/${path}`);
  if (!answer.ok) throw new Error(`The simulator answers ${answer.status}.`);
  return answer.json();
}

main().catch((error) => {
  process.stderr.write(`demo: ${error.message}\n`);
  process.exitCode = 1;
});
