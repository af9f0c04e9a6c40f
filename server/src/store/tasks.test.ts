import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { manualClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { sql } from './sql.ts'
import { claimTasks, listenForTasks, nextPollAt, putTasks, runTasks } from './tasks.ts'
import type { TaskHandler, TaskRunner } from './tasks.ts'
import { testDatabase } from './testing.ts'

const { db, drop, url } = await testDatabase()
const clock = manualClock(1_000_000)
const workspace = newId<WorkspaceId>()
const runners: TaskRunner[] = []
const doors: { open(): void }[] = []
/** Also after a test that failed half-way: no handler is left behind a closed door. */
async function stopAll(): Promise<void> {
  const stopped = runners.splice(0).map((runner) => runner.stop())
  for (const door of doors.splice(0)) door.open()
  await Promise.all(stopped)
}
after(async () => {
  await stopAll()
  await drop()
})
beforeEach(async () => {
  await stopAll()
  await db.query(sql`delete from tasks`)
})

type Row = { due_at: number; attempts: number; leased: boolean; last_error: string | null }
const rows = () =>
  db.query<Row>(
    sql`select due_at, attempts, leased_until is not null as leased, last_error from tasks order by due_at`,
  )

const put = (subject_id: string, due_at = clock.now()) =>
  putTasks(db, [{ workspace, kind: 'work', subject_id, due_at }])

function run(
  handler: TaskHandler,
  more: { lease_ms?: number; concurrency?: number } = {},
): { runner: TaskRunner; errors: string[] } {
  const errors: string[] = []
  const runner = runTasks(db, clock, {
    handlers: { work: handler },
    poll_ms: 10,
    onError: (_task, error) => {
      errors.push((error as Error).message)
    },
    ...more,
  })
  runners.push(runner)
  return { runner, errors }
}

/** A handler that waits at a door until it is let through. */
function door() {
  const waiting: (() => void)[] = []
  const made = {
    waiting,
    wait: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve)
      }),
    open() {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
  doors.push(made)
  return made
}

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

test('a put makes a waiting task due earlier, never later; many at once in any order do not deadlock', async () => {
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
      db.tx((tx) => putTasks(tx, index % 2 === 0 ? drafts : drafts.toReversed())),
    ),
  )
  assert.equal((await rows()).length, 51)
  await putTasks(db, [
    { workspace, kind: 'work', subject_id: subject, due_at: 3000 },
    { workspace, kind: 'work', subject_id: subject, due_at: 2000 },
  ])
  assert.deepEqual((await rows()).at(-1)?.due_at, 2000)
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
          await db.query(
            sql`select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`,
          )
        ).length === 1,
    )
  })
  await until(
    'it ran again, without waiting for the lease to end',
    async () => (await rows()).length === 0,
  )
  assert.equal(runs, 2)
})

test('a failure is told and tried again with growing pauses', async () => {
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

test('what becomes due beside a backlog is done among the first, and the backlog is worked off', async () => {
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

test('who listens is told the kinds that were put; what was put quietly is found by the poll', async () => {
  const told: (readonly string[] | undefined)[] = []
  const listening = listenForTasks(db, (kinds) => {
    told.push(kinds)
  })
  try {
    await until('it listens', () => told.length === 1)
    await putTasks(
      db,
      [{ workspace, kind: 'work', subject_id: newId(), due_at: clock.now() }],
      'quietly',
    )
    await putTasks(
      db,
      ['work', 'other', 'work'].map((kind) => ({
        workspace,
        kind,
        subject_id: newId(),
        due_at: clock.now(),
      })),
    )
    await until('it is told', () => told.length > 1)
    assert.deepEqual(told[1]?.toSorted(), ['other', 'work'])
    run(async () => 'done')
    await until('all of its kind are done', async () => (await rows()).length === 1)
  } finally {
    await listening.stop()
  }
})

test('two runners share the work and never run one task twice at a time', async () => {
  const running = new Set<string>()
  let runs = 0
  const handler: TaskHandler = async ({ subject_id }) => {
    assert.ok(!running.has(subject_id), 'once at a time')
    running.add(subject_id)
    await pause(1)
    running.delete(subject_id)
    runs += 1
    return 'done'
  }
  const both = [run(handler, { concurrency: 4 }), run(handler, { concurrency: 4 })]
  const subjects = Array.from({ length: 100 }, () => newId())
  await putTasks(
    db,
    subjects.map((subject_id) => ({ workspace, kind: 'work', subject_id, due_at: clock.now() })),
  )
  await until('all done', async () => (await rows()).length === 0)
  assert.equal(runs, 100)
  assert.deepEqual(
    both.flatMap((each) => each.errors),
    [],
  )
})

test('the task of a dead process is taken over when its lease ends; a live one keeps its lease', async () => {
  const subject = newId()
  await put(subject)
  const dead = await claimTasks(db, clock, ['work'], 1, 100)
  assert.equal(dead.length, 1)
  const { wait, open, waiting } = door()
  run(
    async () => {
      await wait()
      return 'done'
    },
    { lease_ms: 12_000 },
  )
  assert.equal(waiting.length, 0)
  await until('taken over', () => waiting.length === 1)
  const leased = async () =>
    (
      await db.query<{ leased_until: Date }>(sql`select leased_until from tasks`)
    )[0]?.leased_until.getTime() ?? 0
  const first = await leased()
  await until('the lease is renewed', async () => (await leased()) > first)
  assert.deepEqual(await claimTasks(db, clock, ['work'], 1, 100), [])
  open()
  await until('done', async () => (await rows()).length === 0)
})

test('who lost the lease changes nothing any more', async () => {
  for (const end of ['done', 'again', 'fail'] as const) {
    const { wait, open, waiting } = door()
    const { runner, errors } = run(
      async () => {
        await wait()
        if (end === 'fail') throw new Error('too late')
        return end === 'done' ? 'done' : { again_at: 7 }
      },
      { concurrency: 1 },
    )
    await put(newId())
    await until('it runs', () => waiting.length === 1)
    // As if this process had been asleep: its lease has ended and another one took over.
    await db.query(sql`update tasks set leased_until = now() - interval '1 second'`)
    const [other] = await claimTasks(db, clock, ['work'], 1, 60_000)
    assert.ok(other !== undefined)
    const before = await db.query(sql`select * from tasks`)
    open()
    await runner.stop()
    assert.deepEqual(await db.query(sql`select * from tasks`), before, end)
    assert.equal(errors.length, end === 'fail' ? 1 : 0)
    await db.query(sql`delete from tasks`)
  }
})

test('who was asleep longer than its lease goes on with what it does, and does not begin it again', async () => {
  const { wait, open, waiting } = door()
  const [asleep, next] = [newId(), newId()]
  const seen: string[] = []
  const { errors } = run(
    async ({ subject_id }) => {
      seen.push(subject_id)
      if (subject_id === asleep) await wait()
      return 'done'
    },
    { lease_ms: 600_000 },
  )
  await put(asleep)
  await until('it runs', () => waiting.length === 1)
  await db.query(sql`update tasks set leased_until = now() - interval '1 second'`)
  await put(next)
  await until('the next one is done', async () => (await rows()).length === 1)
  assert.deepEqual(seen, [asleep, next])
  open()
  await until('it is done', async () => (await rows()).length === 0)
  assert.deepEqual([seen, errors], [[asleep, next], []])
})

test('stop waits for what runs and claims nothing more', async () => {
  const { wait, open, waiting } = door()
  const { runner } = run(async () => {
    await wait()
    return 'done'
  })
  await put(newId())
  await until('it runs', () => waiting.length === 1)
  const stopped = runner.stop()
  await put(newId())
  open()
  await stopped
  assert.deepEqual(
    (await rows()).map((row) => row.leased),
    [false],
  )
})

test('the hint that a task was put comes at once, and again after its connection was cut', async () => {
  const heard: (() => void)[] = []
  const next = () =>
    new Promise<void>((resolve) => {
      heard.push(resolve)
    })
  const first = next()
  const listening = listenForTasks(db, () => {
    for (const each of heard.splice(0)) each()
  })
  await first
  const put = () => putTasks(db, [{ workspace, kind: 'hinted', subject_id: newId(), due_at: 0 }])
  const told = next()
  await put()
  await told
  const back = next()
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()`,
  )
  await owner.end()
  await back
  const again = next()
  await put()
  await again
  await listening.stop()
})
