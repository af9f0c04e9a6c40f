import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { isAlive, type Identity } from '../../server/src/core/file-lock.mjs'
import { leaveNothing, partsOf, superUrlOf, until } from './running.ts'
import { END_LIMIT_MS, openStarts, PATIENT_MS, statusOf } from './start.fixture.ts'

const { dataDir, startReady, endInOrder, inDatabase, writeOne, nothingLost } = await openStarts()

function kill9(who: Identity): void {
  process.kill(who.pid, 'SIGKILL')
}

test('kill -9 of service, sandbox, postmaster, backend: each comes back by itself', async () => {
  const started = await startReady(PATIENT_MS)
  const line = await started.ready
  for (const name of ['service', 'sandbox', 'postmaster', 'backend'] as const) {
    const before = partsOf(dataDir)
    await writeOne()
    kill9(before[name])
    await until(`${name} is gone`, END_LIMIT_MS, () => !isAlive(before[name]))
    await until(`all runs again after kill -9 of ${name}`, END_LIMIT_MS, async () => {
      const now = partsOf(dataDir)
      return (
        now[name].pid !== before[name].pid &&
        isAlive(now[name]) &&
        (await statusOf(line)) === 200 &&
        (await inDatabase('select 1 as n')) === 1
      )
    })
    await nothingLost()
  }
  await endInOrder(started)
})

test('PostgreSQL whose port is taken moves to another, and the service follows', async () => {
  const started = await startReady(PATIENT_MS)
  const before = partsOf(dataDir)
  await writeOne()
  const { port } = new URL(superUrlOf(dataDir))
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
    () => new URL(superUrlOf(dataDir)).port !== port,
  )
  await until(
    'the service has followed',
    END_LIMIT_MS,
    async () =>
      partsOf(dataDir).service.pid !== before.service.pid &&
      (await statusOf(await started.ready).catch(() => 0)) === 200,
  )
  await nothingLost()
  await endInOrder(started)
  taker.close()
})

test('kill -9 of npm: the rest ends in order, and a start at once waits for it', async () => {
  const killed = await startReady(PATIENT_MS)
  const before = partsOf(dataDir)
  kill9(killed.npm)
  const next = await startReady(PATIENT_MS)
  assert.deepEqual(
    [before.supervisor, before.service, before.sandbox, before.postmaster].filter(isAlive),
    [],
  )
  await nothingLost()
  await endInOrder(next)
})

test('kill -9 of the supervisor: its children end, the next start adopts PostgreSQL', async () => {
  await startReady(PATIENT_MS)
  const before = partsOf(dataDir)
  await writeOne()
  kill9(before.supervisor)
  const next = await startReady(PATIENT_MS)
  const now = partsOf(dataDir)
  assert.deepEqual(
    [isAlive(before.service), isAlive(before.sandbox), now.postmaster],
    [false, false, before.postmaster],
  )
  await nothingLost()
  await endInOrder(next)
})

test('kill -9 of every process at once: the next start recovers', async () => {
  await startReady(PATIENT_MS)
  await writeOne()
  assert.equal(await leaveNothing(dataDir), false)
  const next = await startReady(PATIENT_MS)
  await nothingLost()
  await endInOrder(next)
})
