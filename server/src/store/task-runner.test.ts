import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { newId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { sql, statement } from './sql.ts'
import type { Query } from './sql.ts'
import { listenForTasks } from './task-runner.ts'
import { claimTasks, putTasks } from './tasks.ts'
import type { TaskHandler } from './tasks.ts'
import { openDueWork } from './tasks.testing.ts'

const { db, url, clock, workspace, rows, put, run, door } = await openDueWork()

const ALL_TASKS = sql`
  select *
  from tasks`
const END_LEASES = sql`
  update tasks
  set leased_until = now() - interval '1 second'`

test('a listener hears the kinds that were put; the poll finds what was put quietly', async () => {
  const notices: (readonly string[] | undefined)[] = []
  const listening = listenForTasks(db, (kinds) => {
    notices.push(kinds)
  })
  try {
    await until('it listens', () => notices.length === 1)
    await putTasks(
      db,
      [{ workspace, kind: 'work', subject_id: newId(), due_at: clock.now() }],
      'quietly',
    )
    const drafts = ['work', 'other', 'work'].map((kind) => ({
      workspace,
      kind,
      subject_id: newId(),
      due_at: clock.now(),
    }))
    const texts: string[] = []
    await db.tx(async (tx) => {
      const query = async <Row>(asked: Query) => {
        texts.push(statement(asked).text)
        return tx.query<Row>(asked)
      }
      await putTasks({ ...tx, query }, drafts)
    })
    assert.doesNotMatch(texts.join(), /notify/, 'the transaction itself tells nobody')
    await until('it hears of them', () => notices.length > 1)
    assert.deepEqual(notices[1], ['other', 'work'])
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
    both.flatMap(({ errors }) => errors),
    [],
  )
})

test('a runner that may not claim leaves the work to others, until it may', async () => {
  const done: string[] = []
  const handler =
    (name: string): TaskHandler =>
    async () => {
      done.push(name)
      return 'done'
    }
  let may = false
  run(handler('waiting'), { mayClaim: () => may })
  const other = run(handler('other'))
  await put(newId())
  await until('the other one did it', () => done.length === 1)
  await other.runner.stop()
  assert.deepEqual(done, ['other'])
  may = true
  await put(newId())
  await until('it claims now', () => done.length === 2)
  assert.deepEqual(done, ['other', 'waiting'])
})

test('a dead process loses its task at the end of its lease; a live one keeps it', async () => {
  const subject = newId()
  await put(subject)
  const dead = await claimTasks(db, clock, { kinds: ['work'], count: 1, lease_ms: 100 })
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
      await db.query<{ leased_until: Date }>(sql`
        select leased_until
        from tasks`)
    )[0]?.leased_until.getTime() ?? 0
  const first = await leased()
  await until('the lease is renewed', async () => (await leased()) > first)
  assert.deepEqual(await claimTasks(db, clock, { kinds: ['work'], count: 1, lease_ms: 100 }), [])
  open()
  await until('done', async () => (await rows()).length === 0)
})

test('a process that lost the lease changes nothing any more', async () => {
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
    await db.query(END_LEASES)
    const [other] = await claimTasks(db, clock, { kinds: ['work'], count: 1, lease_ms: 60_000 })
    assert.ok(other !== undefined)
    const before = await db.query(ALL_TASKS)
    open()
    await runner.stop()
    assert.deepEqual(await db.query(ALL_TASKS), before, end)
    assert.equal(errors.length, end === 'fail' ? 1 : 0)
    await db.query(sql`delete from tasks`)
  }
})

test('a process that slept longer than its lease goes on, and does not begin again', async () => {
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
  await db.query(END_LEASES)
  await put(next)
  await until('the next one is done', async () => (await rows()).length === 1)
  assert.deepEqual(seen, [asleep, next])
  open()
  await until('it is done', async () => (await rows()).length === 0)
  assert.deepEqual(seen, [asleep, next])
  assert.deepEqual(errors, [])
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

test('the hint that a task was put comes at once, also after its connection was cut', async () => {
  const waiting: (() => void)[] = []
  const next = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
    })
  const first = next()
  const listening = listenForTasks(db, () => {
    for (const resolve of waiting.splice(0)) resolve()
  })
  await first
  const put = () => putTasks(db, [{ workspace, kind: 'hinted', subject_id: newId(), due_at: 0 }])
  const hint = next()
  await put()
  await hint
  const back = next()
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where query like 'listen %' and datname = current_database()`)
  await owner.end()
  await back
  const again = next()
  await put()
  await again
  await listening.stop()
})
