import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder } from './folders.mjs';
import { say } from './say.mjs';

const POLL_MS = 250;

/**
 * Runs `work` while no other process on this machine runs work with the same name. Takes over the lock of a dead
 * process.
 */
export async function withLock(name, work) {
  const folder = join(cacheFolder, 'locks', name);
  await mkdir(join(cacheFolder, 'locks'), { recursive: true });
  await acquire(folder, name);
  try {
    return await work();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function acquire(folder, name) {
  let waiting = false;
  while (!(await takeOwnership(folder))) {
    const owner = await ownerOf(folder);
    if (owner !== undefined && !isAlive(owner)) {
      await discard(folder);
      continue;
    }
    if (!waiting) say(`${name} is being worked on by process ${owner ?? 'unknown'}; waiting for it.`);
    waiting = true;
    await pause(POLL_MS);
  }
}

/** One rename creates the folder together with its owner, so a lock always has an owner. */
async function takeOwnership(folder) {
  const own = `${folder}.${process.pid}`;
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'pid'), String(process.pid));
  try {
    await rename(own, folder);
    return true;
  } catch {
    await rm(own, { recursive: true, force: true });
    return false;
  }
}

/** Moves the folder before it removes it. If two processes find the same dead owner, only one can move it. */
async function discard(folder) {
  const aside = `${folder}.dead.${process.pid}`;
  // Another process moved it first.
  await rename(folder, aside).catch(() => undefined);
  await rm(aside, { recursive: true, force: true });
}

async function ownerOf(folder) {
  const text = await readFile(join(folder, 'pid'), 'utf8').catch(() => '');
  return text === '' ? undefined : Number(text);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
