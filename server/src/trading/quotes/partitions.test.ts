/** Quotes in partitions: none is refused for want of one, old ones go whole, taken ones stay. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, it } from 'node:test'
import pg from 'pg'
import { newId } from '../../core/ids.ts'
import type { ExecutionId } from '../../core/ids.ts'
import { page } from '../../http/index.ts'
import { openDb } from '../../store/db.ts'
import { migrate } from '../../store/migrate.ts'
import { exportRows, importRows } from '../../store/row-archive.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { PricingWorld } from '../testing/pricing-world.fixture.ts'
import { dropOldQuotes, makeQuotePartitions, partitionLength } from './partitions.ts'
import { expireQuotes, listQuotes, quoteById } from './quotes.ts'
import type { Quote } from './quotes.schema.ts'
import { QuoteDesk } from './quotes.testing.ts'
import { keepTakenQuote } from './taken-quotes.ts'

const HOUR = 3_600_000
const KEPT = 4 * HOUR

let desk: QuoteDesk
let world: PricingWorld
let owner: pg.Client
before(async () => {
  desk = await QuoteDesk.open()
  world = desk.world
  owner = new pg.Client({ connectionString: world.url })
  await owner.connect()
})
after(async () => {
  await owner.end()
  await desk.close()
})

/** A day of its own for each test, at five minutes before the hour, and nothing is left. */
let day = 0
beforeEach(async () => {
  await owner.query('delete from quotes; delete from taken_quotes')
  for (const { name } of await partitions()) await owner.query(`drop table ${name}`)
  day += 24 * HOUR
  at(11 * HOUR + 55 * 60_000)
})

const MIDNIGHT = Date.parse('2027-02-01T00:00:00Z')

function at(time: number): void {
  world.clock.set(MIDNIGHT + day + time)
  desk.reset()
}

const partitions = async () =>
  (
    await owner.query<{ name: string; since: string; until: string }>(
      'select * from quote_partitions() order by since',
    )
  ).rows

/** Hours of the day. */
const places = async () =>
  (await partitions()).map(({ since, until }) =>
    [since, until].map((time) => (Number(time) - MIDNIGHT - day) / HOUR),
  )

const stateOf = async ({ id }: Quote) =>
  (await quoteById(world.app.db, world.workspace, id).catch(() => undefined))?.state

const listed = async (states: Parameters<typeof listQuotes>[2], cursor?: string) => {
  const query = listQuotes(world.workspace, world.clock.now(), states)
  return (await page(world.app.db, query, 2, cursor)).items.map((quote) => (quote as Quote).id)
}

/** As an execution does it: its guard moves the quote. */
const take = ({ id, workspace }: Quote) =>
  world.app.db.tx(async (tx) => {
    await tx.query(sql`
      update quotes
      set state = 'ACCEPTED'
      where id = ${id}`)
    await tx.query(keepTakenQuote({ workspace, id }, newId<ExecutionId>()))
  })

it('many quotes at once make the partition that is missing, and none is refused', async () => {
  assert.deepEqual(await places(), [])
  const quotes = await Promise.all(Array.from({ length: 12 }, () => desk.ask('north')))
  assert.equal(new Set(quotes.map(({ id }) => id)).size, 12)
  assert.deepEqual(await places(), [
    [11, 12],
    [12, 13],
  ])
})

it('over the border of partitions quotes are found, listed in order and ended', async () => {
  const [early, taken] = [await desk.ask('north'), await desk.ask('north')]
  at(12 * HOUR - 1)
  const last = await desk.ask('north')
  at(12 * HOUR)
  const first = await desk.ask('north')
  await take(taken)
  assert.deepEqual(await Promise.all([early, taken, last, first].map(stateOf)), [
    'ACTIVE',
    'ACCEPTED',
    'ACTIVE',
    'ACTIVE',
  ])
  assert.deepEqual(await listed(undefined), [first.id, last.id])
  const every = ['ACTIVE', 'EXPIRED', 'ACCEPTED'] as const
  assert.deepEqual(await listed(every), [first.id, last.id])
  assert.deepEqual(await listed(every, last.id), [taken.id, early.id])
  assert.deepEqual(await listed(['ACCEPTED']), [taken.id])
  at(12 * HOUR + 60_000)
  await expireQuotes(world.app)
  assert.deepEqual(await listed(['EXPIRED']), [first.id, last.id])
  assert.deepEqual(await listed(['EXPIRED', 'CANCELED'], last.id), [early.id])
})

it('old partitions are dropped when all in them is over; what was taken is kept', async () => {
  const [taken, other] = [await desk.ask('north'), await desk.ask('north')]
  await take(taken)
  const ends = 12 * HOUR + KEPT + 60_000
  at(ends - 1)
  await expireQuotes(world.app)
  assert.deepEqual(await dropOldQuotes(world.app, KEPT), { dropped: [], busy: false })
  at(ends)
  const dropped = await dropOldQuotes(world.app, KEPT)
  assert.equal(dropped.dropped.length, 1)
  assert.deepEqual([await stateOf(taken), await stateOf(other)], ['ACCEPTED', undefined])
  assert.deepEqual(await listed(['ACCEPTED', 'EXPIRED']), [taken.id])
})

it('a partition with a quote that is not marked yet waits', async () => {
  const open = await desk.ask('north')
  at(13 * HOUR + KEPT)
  assert.deepEqual((await dropOldQuotes(world.app, KEPT)).dropped, [])
  await expireQuotes(world.app)
  assert.equal((await dropOldQuotes(world.app, KEPT)).dropped.length, 1)
  assert.equal(await stateOf(open), undefined)
})

it('a partition that somebody reads is dropped later, and quotes are made meanwhile', async () => {
  await desk.ask('north')
  at(13 * HOUR + KEPT)
  await expireQuotes(world.app)
  await owner.query('begin; select count(*) from quotes')
  const [{ busy, dropped }] = await Promise.all([
    dropOldQuotes(world.app, KEPT),
    ...Array.from({ length: 5 }, () => desk.ask('north')),
  ])
  assert.deepEqual([busy, dropped], [true, []])
  await owner.query('commit')
  assert.equal((await dropOldQuotes(world.app, KEPT)).dropped.length, 1)
})

it('whoever is killed while it drops has dropped nothing, and the next one does', async () => {
  const [taken, other] = [await desk.ask('north'), await desk.ask('north')]
  await take(taken)
  at(13 * HOUR + KEPT)
  await expireQuotes(world.app)
  const killed = new pg.Client({ connectionString: world.url })
  killed.on('error', () => undefined)
  await killed.connect()
  await killed.query('begin')
  const { rows } = await killed.query<{ name: string }>(
    'select drop_quote_partition($1) as name, pg_backend_pid() as pid',
    [world.clock.now() - KEPT - 60_000],
  )
  const [{ name, pid }] = rows as [{ name: string; pid: number }]
  await owner.query('select pg_terminate_backend($1, 10000)', [pid])
  await killed.end().catch(() => undefined)
  assert.equal(await stateOf(other), 'EXPIRED')
  assert.deepEqual((await dropOldQuotes(world.app, KEPT)).dropped, [name])
  assert.deepEqual([await stateOf(taken), await stateOf(other)], ['ACCEPTED', undefined])
})

it('several processes make each partition once, around what is there', async () => {
  await desk.ask('north')
  at(14 * HOUR + 1)
  const others = [1, 2, 3].map(() => openDb({ url: world.url, role: 'kontor' }))
  const kept = 12 * HOUR
  assert.equal(partitionLength(kept), 3 * HOUR)
  const made = await Promise.all(
    others.map((db) => makeQuotePartitions({ db, clock: world.clock }, kept)),
  )
  await Promise.all(others.map((db) => db.close()))
  assert.equal(
    made.reduce((sum, count) => sum + count),
    3,
  )
  assert.deepEqual(await places(), [
    [11, 12],
    [12, 13],
    [14, 15],
    [15, 18],
    [18, 21],
  ])
  assert.equal(await makeQuotePartitions(world.app, kept), 0)
})

it('the length of a partition is a quarter of the time kept, from an hour to thirty days', () => {
  assert.deepEqual(
    [1, 5, 24, 24 * 365].map((hours) => partitionLength(hours * HOUR) / HOUR),
    [1, 2, 6, 720],
  )
})

it('the service owns no partition, and makes none that is shorter than an hour', async () => {
  await desk.ask('north')
  const [first] = await partitions()
  const { db } = world.app
  await assert.rejects(db.query({ strings: [`drop table ${first?.name}`], values: [] }), {
    code: '42501',
  })
  await assert.rejects(
    db.query(sql`select make_quote_partitions(0::bigint, 1::bigint, 1::bigint)`),
    /whole hours/,
  )
})

it('an archive of rows brings quotes back wherever their time is', async () => {
  const [taken, other] = [await desk.ask('north'), await desk.ask('north')]
  await take(taken)
  const copy = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'kontor-quotes-'))
  try {
    const client = new pg.Client({ connectionString: copy.url })
    await client.connect()
    await client.query('drop schema public cascade; create schema public')
    await client.end()
    await exportRows(world.url, join(folder, 'rows.gz'))
    await importRows(copy.url, join(folder, 'rows.gz'))
    await migrate(copy.url)
    const rows = await copy.db.query<{ id: string; state: string }>(sql`
      select id, state
      from all_quotes
      order by id`)
    assert.deepEqual(rows, [
      { id: taken.id, state: 'ACCEPTED' },
      { id: other.id, state: 'ACTIVE' },
    ])
  } finally {
    await copy.drop()
    await rm(folder, { recursive: true })
  }
})
