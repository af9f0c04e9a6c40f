import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { limitDueTimes } from './due-times.ts'
import { sql } from './sql.ts'
import { hastenTasks, nextPollAt, putTasks } from './tasks.ts'
import { openDueWork } from './tasks.testing.ts'

const { db, clock, workspace, rows, put, run, door } = await openDueWork()

test('a task runs when it is due by the clock, and is gone when done', async () => {
  const seen: string[] = []
  run(async ({ subject_id }) => {
    seen.push(subject_id)
    return 'done'
  })
  const [now, later] = [newId(), newId()]
  await put(later, clock.now() + 60_000)
  await put(now)
  await until('the due one runs', () => seen.length === 1)
  assert.deepEqual(seen, [now])
  clock.advance(60_000)
  await until('the other one runs', async () => (await rows()).length === 0)
  assert.deepEqual(seen, [now, later])
})

test('a task is hastened, never delayed and never made', async () => {
  const [one, other] = [newId(), newId()]
  await put(one, 5000)
  await put(other, 4500)
  const hasten = (due_at: number) =>
    hastenTasks(
      db,
      [one, other, newId()].map((subject_id) => ({ workspace, kind: 'work', subject_id, due_at })),
    )
  const dueAt = async () => (await rows()).map((row) => row.due_at)
  await hasten(4800)
  assert.deepEqual(await dueAt(), [4500, 4800])
  await hasten(9000)
  assert.deepEqual(await dueAt(), [4500, 4800])
  await hastenTasks(db, [])
})

test('a put makes a task due earlier, never later; many at once do not deadlock', async () => {
  const subject = newId()
  await put(subject, 5000)
  await put(subject, 9000)
  await put(subject, 4000)
  assert.deepEqual(
    (await rows()).map((row) => row.due_at),
    [4000],
  )
  const drafts = Array.from({ length: 50 }, () => ({
    workspace,
    kind: 'work',
    subject_id: newId(),
    due_at: 1,
  }))
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      db.tx((tx) => {
        const change = index % 3 === 0 ? hastenTasks : putTasks
        return change(tx, index % 2 === 0 ? drafts : drafts.toReversed())
      }),
    ),
  )
  assert.equal((await rows()).length, 51)
  await putTasks(db, [
    { workspace, kind: 'work', subject_id: subject, due_at: 3000 },
    { workspace, kind: 'work', subject_id: subject, due_at: 2000 },
  ])
  assert.deepEqual((await rows()).at(-1)?.due_at, 2000)
})

test('what a wrong clock has put off is due within its wait; the rest stays', async () => {
  const [poll, job, soon, held] = [newId(), newId(), newId(), newId()]
  const now = clock.now()
  const tomorrow = now + 86_400_000
  await putTasks(db, [
    { workspace, kind: 'poll', subject_id: poll, due_at: tomorrow },
    { workspace, kind: 'poll', subject_id: soon, due_at: now + 60_000 },
    { workspace, kind: 'poll', subject_id: held, due_at: tomorrow + 1 },
    { workspace, kind: 'job', subject_id: job, due_at: tomorrow },
    { workspace, kind: 'other', subject_id: newId(), due_at: tomorrow },
  ])
  await db.query(sql`
    update tasks
    set leased_until = now() + interval '1 hour'
    where subject_id = ${held}`)
  assert.equal(await limitDueTimes(db, now, { poll: 60_000, job: 3_600_000 }), 2)
  assert.deepEqual(
    (await rows()).map((row) => row.due_at - now),
    [60_000, 60_000, 3_600_000, 86_400_000, 86_400_001],
  )
  assert.equal(await limitDueTimes(db, now, { poll: 60_000, job: 3_600_000 }), 0)
})

test('nothing is claimed while the clock is not to be believed', async () => {
  let agrees = false
  let runs = 0
  const { runner } = run(
    async () => {
      runs += 1
      return 'done'
    },
    { mayClaim: () => agrees },
  )
  await put(newId())
  runner.wake()
  await until('it looked', async () => (await rows()).length === 1)
  assert.equal(runs, 0)
  agrees = true
  await until('it is done', async () => (await rows()).length === 0)
  assert.equal(runs, 1)
})

test('turns come once in each interval, and those of many subjects are spread over it', () => {
  const subjects = Array.from({ length: 200 }, () => ({ subject_id: newId() }))
  const turns = subjects.map((subject) => nextPollAt(subject, 1_000_000, 10_000))
  for (const [index, turn] of turns.entries()) {
    assert.ok(turn >= 1_002_500 && turn <= 1_010_000)
    const subject = subjects[index] ?? { subject_id: '' }
    const own = nextPollAt(subject, turn, 10_000)
    // The work of a turn takes a while; after long work there is a pause.
    assert.deepEqual(
      [0, 3, 7_500, 7_501, 12_501].map((took) => nextPollAt(subject, own + took, 10_000) - own),
      [10_000, 10_000, 10_000, 12_501, 20_000],
    )
  }
  const tenths = new Set(turns.map((turn) => Math.floor((turn - 1_000_001) / 1_000)))
  assert.ok(tenths.size >= 8)
})

test('again_at comes back at that time', async () => {
  let runs = 0
  run(async () => {
    runs += 1
    return runs === 1 ? { again_at: clock.now() + 500 } : 'done'
  })
  await put(newId())
  await until('first run', async () => (await rows())[0]?.leased === false && runs === 1)
  assert.deepEqual(await rows(), [
    { due_at: clock.now() + 500, attempts: 0, leased: false, last_error: null },
  ])
  clock.advance(500)
  await until('second run', async () => (await rows()).length === 0)
  assert.equal(runs, 2)
})

for (const result of ['done', 'again'] as const) {
  test(`a put while the handler runs is not lost when it ends with ${result}`, async () => {
    const { wait, open, waiting } = door()
    let runs = 0
    run(async () => {
      runs += 1
      if (runs > 1) return 'done'
      await wait()
      return result === 'done' ? 'done' : { again_at: clock.now() + 1_000_000 }
    })
    const subject = newId()
    await put(subject)
    await until('it runs', () => waiting.length === 1)
    const soon = clock.now() + 5000
    await put(subject, soon)
    open()
    await until('the first run is over', async () => (await rows())[0]?.leased === false)
    assert.equal((await rows())[0]?.due_at, soon)
    clock.advance(5000)
    await until('the second run', async () => (await rows()).length === 0)
    assert.equal(runs, 2)
  })
}

test('a put that commits while the end of the handler waits for it is not lost', async () => {
  const { wait, open, waiting } = door()
  let runs = 0
  run(async () => {
    runs += 1
    if (runs === 1) await wait()
    return 'done'
  })
  const subject = newId()
  await put(subject)
  await until('it runs', () => waiting.length === 1)
  await db.tx(async (tx) => {
    await putTasks(tx, [{ workspace, kind: 'work', subject_id: subject, due_at: clock.now() }])
    open()
    await until(
      'the end waits',
      async () =>
        (
          await db.query(sql`
            select 1
            from pg_locks
            join pg_stat_activity using (pid)
            where not granted and datname = current_database()`)
        ).length === 1,
    )
  })
  await until(
    'it ran again, without waiting for the lease to end',
    async () => (await rows()).length === 0,
  )
  assert.equal(runs, 2)
})

test('a failure is reported and tried again with growing pauses', async () => {
  let runs = 0
  const { errors } = run(async () => {
    runs += 1
    if (runs < 4) throw new Error(`failure ${runs}`)
    return 'done'
  })
  await put(newId())
  for (const [index, delay] of [250, 500, 1000].entries()) {
    await until('it failed', async () => (await rows())[0]?.last_error === `failure ${index + 1}`)
    assert.deepEqual(await rows(), [
      {
        due_at: clock.now() + delay,
        attempts: index + 1,
        leased: false,
        last_error: `failure ${index + 1}`,
      },
    ])
    clock.advance(delay)
  }
  await until('it succeeds', async () => (await rows()).length === 0)
  assert.deepEqual(errors, ['failure 1', 'failure 2', 'failure 3'])
})

test('a failure that says what cannot be stored is recorded all the same', async () => {
  const { errors } = run(async () => {
    if (errors.length === 0) throw new Error('said \0 by a venue')
    return 'done'
  })
  await put(newId())
  await until('it failed', async () => (await rows())[0]?.last_error === 'said \uFFFD by a venue')
  clock.advance(250)
  await until('it succeeds', async () => (await rows()).length === 0)
})

test('a new task beside a backlog is among the first, and the backlog is worked off', async () => {
  const backlog = Array.from({ length: 60 }, () => newId())
  await putTasks(
    db,
    backlog.map((subject_id, index) => ({
      workspace,
      kind: 'work',
      subject_id,
      due_at: clock.now() - 1_000 + index,
    })),
  )
  const fresh = newId()
  await put(fresh)
  const order: string[] = []
  run(
    async ({ subject_id }) => {
      order.push(subject_id)
      return 'done'
    },
    { concurrency: 2 },
  )
  await until('all done', async () => (await rows()).length === 0)
  assert.ok(order.indexOf(fresh) < 10, `done as number ${order.indexOf(fresh) + 1}`)
  assert.equal(order[0], backlog[0], 'the oldest is not left for later')
  assert.deepEqual(order.toSorted(), [...backlog, fresh].toSorted())
})
