/** What is new in a list since a person has looked: theirs alone, and never what they did. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createWorkspace } from '../../access/index.ts'
import { manualClock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { UserId, WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import { testServer } from '../../http/testing.ts'
import { openBooks, publishEvents } from '../../ledger/index.ts'
import type { EventDraft } from '../../ledger/index.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import { sql } from '../../store/sql.ts'
import { NEWS_LISTS, NEWS_PLACES } from './lists.ts'
import { newsEndpoints } from './news.http.ts'
import { MAXIMUM_NEWS } from './news.schema.ts'
import type { News } from './news.schema.ts'
import { newsOf } from './news.ts'

const START = 1_800_000_000_000

describe('news of a list', () => {
  const clock = manualClock(START)
  const people = new Map<string, Principal>()
  let reads: Awaited<ReturnType<typeof openPlannedReads>>
  let server: ReturnType<typeof testServer>
  let ours: WorkspaceId
  before(async () => {
    reads = await openPlannedReads(new Set(['lanes', 'news_marks']))
    const { db } = reads.database
    const workspace = (name: string): Promise<WorkspaceId> =>
      db.tx(async (tx) => {
        const { id } = await createWorkspace(tx, clock, { name })
        await openBooks({ workspace: id, by: 'test' }, { tx, clock })
        return id
      })
    ours = await workspace('ours')
    const theirs = await workspace('theirs')
    const permissions = new Set(Object.values(NEWS_PLACES).map(({ permission }) => permission))
    const person = (
      name: string,
      of: WorkspaceId,
      may: ReadonlySet<string> = permissions,
    ): void => {
      const user_id = newId<UserId>()
      people.set(name, { workspace: of, user_id, session_id: newId(), permissions: may })
    }
    person('ann', ours)
    person('ben', ours)
    person('guest', ours, new Set(['customers.read']))
    person('stranger', theirs)
    server = testServer({
      db,
      clock,
      endpoints: newsEndpoints({ db, clock }),
      authenticate: (header) => {
        const principal = people.get(header?.slice('Bearer '.length) ?? '')
        if (principal === undefined) throw new ApiError('MissingToken')
        return principal
      },
    })
  })
  after(async () => {
    await (await server).close()
    await reads.close()
  })

  const news = async (name: string, list = 'deposit') =>
    (await (await server).call<News>('GET', `/news/${list}`, { token: name })).data
  const seen = async (name: string, up_to: number, list = 'deposit') =>
    (await (await server).call<News>('PUT', `/news/${list}`, { token: name, body: { up_to } })).data
  const publish = (events: EventDraft[], by?: string): Promise<void> =>
    reads.database.db.tx((tx) =>
      publishEvents(
        { workspace: ours, ...(by === undefined ? {} : { by }) },
        { tx, clock },
        events,
      ),
    )
  const deposit = (
    type: EventDraft['type'] = 'deposit.received',
    data: object = {},
  ): EventDraft => ({
    type,
    resource_id: newId(),
    data: { ...data },
  })
  const seeAll = async (name: string, list = 'deposit') =>
    seen(name, (await news(name, list)).up_to, list)

  it('are none for who has never looked, and begin when they have', async () => {
    await publish([deposit()])
    assert.partialDeepStrictEqual(await news('ann'), { seen_at: null, count: 0, record_ids: [] })
    clock.advance(60_000)
    assert.partialDeepStrictEqual(await seeAll('ann'), { seen_at: clock.now(), count: 0 })
    const [first, second] = [deposit(), deposit('deposit.detected')]
    await publish([first, second, deposit('withdrawal.created')])
    await publish([{ ...first, type: 'deposit.assigned' }])
    assert.partialDeepStrictEqual(await news('ann'), {
      seen_at: clock.now(),
      count: 2,
      complete: true,
      record_ids: [first.resource_id, second.resource_id],
    })
  })

  it('are of one person, one list and one workspace', async () => {
    await seeAll('ben')
    assert.equal((await news('ann')).count, 2)
    await seeAll('ann', 'withdrawal')
    assert.equal((await news('ann')).count, 2)
    await seeAll('stranger')
    await publish([deposit()])
    assert.equal((await news('stranger')).count, 0)
    assert.deepEqual([(await news('ann')).count, (await news('ben')).count], [3, 1])
  })

  it('are not what the person did', async () => {
    await seeAll('ann')
    await seeAll('ben')
    await publish([deposit()], people.get('ann')?.user_id)
    assert.deepEqual([(await news('ann')).count, (await news('ben')).count], [0, 1])
  })

  it('are not that it went as the person had ordered, but that it did not', async () => {
    await seeAll('ann', 'payment')
    await seeAll('ben', 'payment')
    const [sent, refused] = [deposit('payment.created'), deposit('payment.created')]
    await publish([sent, refused], people.get('ann')?.user_id)
    await publish([{ ...sent, type: 'payment.sent' }])
    assert.deepEqual((await news('ann', 'payment')).record_ids, [])
    await publish([{ ...refused, type: 'payment.refused' }])
    assert.deepEqual((await news('ann', 'payment')).record_ids, [refused.resource_id])
    assert.equal((await news('ben', 'payment')).count, 2)
    await seeAll('ann', 'payment')
    await publish([{ ...sent, type: 'payment.sent' }])
    assert.equal((await news('ann', 'payment')).count, 1, 'what was ordered long before')
  })

  it('go when they are seen, and a mark moves neither back nor ahead', async () => {
    await publish([deposit()])
    const { up_to } = await news('ann')
    const later = deposit()
    await publish([later])
    assert.deepEqual((await seen('ann', up_to)).record_ids, [later.resource_id])
    await seen('ann', 0)
    assert.deepEqual((await news('ann')).record_ids, [later.resource_id])
    assert.equal((await seen('ann', Number.MAX_SAFE_INTEGER)).count, 0)
    await publish([later])
    assert.equal((await news('ann')).count, 1)
  })

  it('of assignments are the parts that were assigned', async () => {
    await seeAll('ann', 'assignment')
    const assignment_id = newId()
    await publish([
      deposit('deposit.assignment_requested', { assignment_id }),
      deposit('withdrawal.assigned', { assignment_id }),
      deposit('deposit.received'),
    ])
    assert.deepEqual((await news('ann', 'assignment')).record_ids, [assignment_id])
  })

  it('need the permission of the list', async () => {
    for (const list of NEWS_LISTS) {
      assert.equal((await news('ann', list)).list, list)
      for (const method of ['GET', 'PUT'] as const) {
        const body = method === 'PUT' ? { body: { up_to: 1 } } : {}
        const { status } = await (
          await server
        ).call(method, `/news/${list}`, { token: 'guest', ...body })
        assert.equal(status, 403, `${method} ${list}`)
      }
    }
  })

  it('cost the same however much has happened', async () => {
    const ann = people.get('ann')
    assert.ok(ann !== undefined)
    await seeAll('ann')
    const fill = (count: number) =>
      reads.owner.query(
        `insert into events (workspace, sequence, id, type, resource_id, occurred_at, data)
         select $1, l.event_sequence + n, gen_random_uuid(), 'deposit.received',
           gen_random_uuid(), 0, '{}'
         from lanes l, generate_series(1, $2::int) n
         where l.workspace = $1`,
        [ours, count],
      )
    const move = (count: number) =>
      reads.database.db.query(sql`
        update lanes
        set event_sequence = event_sequence + ${count}
        where workspace = ${ours}`)
    const taken = async (): Promise<number> => {
      await reads.owner.query('analyze events')
      return reads.rowsRead('news', (reader) => newsOf(reader, ann, 'deposit'))
    }
    await fill(1_500)
    await move(1_500)
    const few = await taken()
    await fill(20_000)
    await move(20_000)
    const many = await taken()
    // Fourteen times as much has happened; the statistics may cost a row or two.
    assert.ok(many < few * 1.5, `${few} rows before, ${many} now`)
    assert.partialDeepStrictEqual(await news('ann'), { count: MAXIMUM_NEWS, complete: false })
  })
})
