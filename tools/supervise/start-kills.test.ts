import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { isAlive, type Identity } from '../../server/src/core/file-lock.mjs'
import { leaveNothing, partsOf, superUrlOf, until } from './running.ts'
import { END_LIMIT_MS, openStarts, PATIENT_MS, statusOf } from './start.fixture.ts'

const starts = await openStarts()

function kill9(who: Identity): void {
  process.kill(who.pid, 'SIGKILL')
}

test('kill -9 of service, sandbox, postmaster, backend: each comes back by itself', async () => {
  const started = await starts.startReady(PATIENT_MS)
  const line = await started.ready
  for (const name of ['service', 'sandbox', 'postmaster', 'backend'] as const) {
    const before = partsOf(starts.dataDir)
    await starts.writeOne()
    kill9(before[name])
    await until(`${name} is gone`, END_LIMIT_MS, () => !isAlive(before[name]))
    await until(`all runs again after kill -9 of ${name}`, END_LIMIT_MS, async () => {
      const now = partsOf(starts.dataDir)
      return (
        now[name].pid !== before[name].pid &&
        isAlive(now[name]) &&
        (await statusOf(line)) === 200 &&
        (await starts.inDatabase('select 1 as n')) === 1
      )
    })
    await starts.nothingLost()
  }
  await starts.endInOrder(started)
})

test('PostgreSQL whose port is taken moves to another, and the service follows', async () => {
  const started = await starts.startReady(PATIENT_MS)
  const before = partsOf(starts.dataDir)
  await starts.writeOne()
  const { port } = new URL(superUrlOf(starts.dataDir))
  // Who starts it again waits until the port is another's.
  process.kill(before.supervisor.pid, 'SIGSTOP')
  kill9(before.postmaster)
  const taker = createServer()
  await until(
    'its port is taken',
    END_LIMIT_MS,
    () =>
      new Promise<boolean>((taken) => {
        taker
          .once('error', () => {
            taken(false)
          })
          .listen(Number(port), '127.0.0.1', () => {
            taken(true)
          })
      }),
  )
  process.kill(before.supervisor.pid, 'SIGCONT')
  await until(
    'it runs at another port',
    END_LIMIT_MS,
    () => new URL(superUrlOf(starts.dataDir)).port !== port,
  )
  await until(
    'the service has followed',
    END_LIMIT_MS,
    async () =>
      partsOf(starts.dataDir).service.pid !== before.service.pid &&
      (await statusOf(await started.ready).catch(() => 0)) === 200,
  )
  await starts.nothingLost()
  await starts.endInOrder(started)
  taker.close()
})

test('kill -9 of npm: the rest ends in order, and a start at once waits for it', async () => {
  const killed = await starts.startReady(PATIENT_MS)
  const before = partsOf(starts.dataDir)
  kill9(killed.npm)
  const next = await starts.startReady(PATIENT_MS)
  assert.deepEqual(
    [before.supervisor, before.service, before.sandbox, before.postmaster].filter(isAlive),
    [],
  )
  await starts.nothingLost()
  await starts.endInOrder(next)
})

test('kill -9 of the supervisor: its children end, the next start adopts PostgreSQL', async () => {
  await starts.startReady(PATIENT_MS)
  const before = partsOf(starts.dataDir)
  await starts.writeOne()
  kill9(before.supervisor)
  const next = await starts.startReady(PATIENT_MS)
  const now = partsOf(starts.dataDir)
  assert.deepEqual(
    [isAlive(before.service), isAlive(before.sandbox), now.postmaster],
    [false, false, before.postmaster],
  )
  await starts.nothingLost()
  await starts.endInOrder(next)
})

test('kill -9 of every process at once: the next start recovers', async () => {
  await starts.startReady(PATIENT_MS)
  await starts.writeOne()
  assert.equal(await leaveNothing(starts.dataDir), false)
  const next = await starts.startReady(PATIENT_MS)
  await starts.nothingLost()
  await starts.endInOrder(next)
})
