/** That a venue falls silent and answers again is told once each, also by processes that follow. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { NO_WORKSPACE } from '../../core/ids.ts'
import { lastEventSequences } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { SILENCE_TASK, silenceTask } from './silence.ts'

type Place = Awaited<ReturnType<typeof openMovements>>
const MINUTE = 60_000

describe('venues that fall silent', () => {
  let place: Place
  let process: ReturnType<typeof silenceTask>
  /** What was told before a test. */
  let mark: number
  before(async () => {
    place = await openMovements()
  })
  after(() => place.close())
  beforeEach(async () => {
    process = silenceTask(place)
    await answer()
    await watch(2 * MINUTE)
    mark = await head()
  })
  const head = async () =>
    (await lastEventSequences(place.db, [place.workspace])).get(place.workspace) ?? 0

  const look = () =>
    process({ workspace: NO_WORKSPACE, kind: SILENCE_TASK, subject_id: NO_WORKSPACE, attempts: 1 })
  /** All venues answer, or all but the bank. */
  const answer = async (all: 'all' | 'but the bank' = 'all'): Promise<void> => {
    await place.db.query(sql`
      update venues
      set last_seen_at = ${place.clock.now()}, connected_at = ${place.clock.now()}
      where ${all === 'all' ? sql`true` : sql`id <> ${place.bank.id}`}`)
    await place.db.query(sql`
      update venue_snapshots
      set balances_at = ${place.clock.now()}
      where ${all === 'all' ? sql`true` : sql`venue_id <> ${place.bank.id}`}`)
  }
  /** A look every ten seconds, while these answer. */
  const watch = async (time: number, who: Parameters<typeof answer>[0] = 'all'): Promise<void> => {
    for (const end = place.clock.now() + time; place.clock.now() < end;) {
      await answer(who)
      await look()
      place.clock.advance(10_000)
    }
  }
  const setBank = (state: string, fault: string | null = null) =>
    place.db.query(sql`
      update venues
      set state = ${state}, fault = ${fault}
      where id = ${place.bank.id}`)
  const told = async (): Promise<string[]> => {
    const events = await place.db.query<{ type: string; resource_id: string }>(sql`
      select type, resource_id
      from events
      where workspace = ${place.workspace}
        and type in ('venue.fell_silent', 'venue.answered_again')
        and sequence > ${mark}
      order by sequence`)
    assert.ok(events.every(({ resource_id }) => resource_id === place.bank.id))
    return events.map(({ type }) => type)
  }

  it('are told once, and again when they come back and fall silent anew', async () => {
    await watch(50_000, 'but the bank')
    assert.deepEqual(await told(), [])
    await watch(5 * MINUTE, 'but the bank')
    assert.deepEqual(await told(), ['venue.fell_silent'])
    await watch(5 * MINUTE)
    assert.deepEqual(await told(), ['venue.fell_silent', 'venue.answered_again'])
    await watch(2 * MINUTE, 'but the bank')
    assert.deepEqual((await told()).slice(2), ['venue.fell_silent'])
  })

  it('are told at once where their state says it, with since when', async () => {
    await setBank('UNREACHABLE', 'no statement yet')
    await look()
    await look()
    assert.deepEqual(await told(), ['venue.fell_silent'])
    await setBank('CONNECTED')
    await look()
    assert.deepEqual(await told(), ['venue.fell_silent', 'venue.answered_again'])
    const rows = await place.db.query<{ data: { since: number } }>(sql`
      select data
      from events
      where type in ('venue.fell_silent', 'venue.answered_again')
        and sequence > ${mark}`)
    assert.equal(new Set(rows.map(({ data }) => data.since)).size, 1)
  })

  it('are not told again by a process that starts, nor by two at once', async () => {
    await setBank('UNREACHABLE')
    const other = silenceTask(place)
    const task = { workspace: NO_WORKSPACE, kind: SILENCE_TASK, subject_id: NO_WORKSPACE }
    await Promise.all([look(), other({ ...task, attempts: 1 }), look()])
    process = other
    await watch(3 * MINUTE, 'but the bank')
    assert.deepEqual(await told(), ['venue.fell_silent'])
    await setBank('CONNECTED')
  })

  it('are nobody before somebody has asked them for a minute', async () => {
    place.clock.advance(60 * MINUTE)
    await look()
    await watch(30_000, 'but the bank')
    assert.deepEqual(await told(), [], 'the process was away for an hour')
    process = silenceTask(place)
    await watch(30_000, 'but the bank')
    assert.deepEqual(await told(), [], 'the process has just begun')
    await watch(MINUTE, 'but the bank')
    assert.deepEqual(await told(), ['venue.fell_silent'])
  })

  it('are no matter once they are disabled', async () => {
    await setBank('UNREACHABLE')
    await look()
    await setBank('DISABLED')
    await look()
    assert.deepEqual(await told(), ['venue.fell_silent'])
    await setBank('UNREACHABLE')
    await look()
    assert.deepEqual(await told(), ['venue.fell_silent', 'venue.fell_silent'])
    await setBank('CONNECTED')
  })
})
