/** One record that cannot be understood or booked waits for a person, and the others go on. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { Lane } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { departure, IBAN, movement, OPENED_AT } from '../testing/venue.fixture.ts'
import { pollTask } from './poll.ts'
import { credit, ITEMS, openSetAside, unread } from './set-aside.testing.ts'

const DAY = 86_400_000

describe('records that are set aside', () => {
  let desk: Awaited<ReturnType<typeof openSetAside>>
  beforeEach(async () => {
    desk = await openSetAside()
  })
  afterEach(() => desk.close())

  it('stores it with its reason, and goes on', async () => {
    desk.place.arrives(desk.bank, credit('before'), credit('after'))
    const { id } = await desk.setAside()
    assert.deepEqual(await desk.deposits(), ['after', 'before'])
    const { state, reason, raw, direction, kind, venue_id } = await desk.item(id)
    assert.deepEqual(
      { state, reason, raw, direction, kind, venue_id },
      {
        state: 'OPEN',
        reason: 'the amount cannot be read',
        raw: '{"file":"camt.xml","entry":"<Ntry>a</Ntry>"}',
        direction: 'IN',
        kind: 'TRANSFER',
        venue_id: desk.bank.id,
      },
    )
    assert.deepEqual([await desk.cursor(), await desk.events()], ['2', ['set_aside_item.opened']])
  })

  it('opens one item however often the record comes, as it is reported now', async () => {
    const { id } = await desk.setAside()
    desk.bank.unread = [unread('a'), unread('a')]
    await desk.read()
    desk.bank.unread = [unread('a', { reason: 'no date either', raw: '{"later":true}' })]
    await desk.read()
    const [only, ...others] = await desk.items('?state=OPEN')
    assert.deepEqual([only?.id, only?.reason, others], [id, 'no date either', []])
    assert.equal((await desk.item(id)).raw, '{"later":true}')
    assert.deepEqual(await desk.events(), ['set_aside_item.opened'])
  })

  it('is found again by its state, its venue and its time, also when it is closed', async () => {
    const { id } = await desk.setAside()
    await desk.act(id, 'dismiss', { note: 'booked by hand' })
    const { system_created_at: since } = await desk.item(id)
    const found = async (more: string) => {
      const items = await desk.items(`?state=DISMISSED&venue_id=${desk.bank.id}&${more}`)
      return items.map((item) => item.id)
    }
    assert.deepEqual(await found(`system_created_at_from=${since}`), [id])
    assert.deepEqual(await found(`system_created_at_from=${since + 1}`), [])
    assert.deepEqual(await found(`system_created_at_to=${since + 1}`), [id])
    assert.deepEqual(await found(`system_created_at_to=${since}`), [])
  })

  it('shows no other workspace anything of it', async () => {
    const { id } = await desk.setAside()
    const stranger = { token: 'stranger' }
    const seen = async (url: string) => desk.place.call('GET', url, undefined, stranger)
    assert.deepEqual([(await seen(ITEMS)).data, (await seen(`${ITEMS}/${id}`)).status], [[], 404])
    const { status } = await desk.place.call('POST', `${ITEMS}/${id}/retry`, undefined, stranger)
    assert.equal(status, 404)
  })

  it('stores what the database does not take escaped, and cuts what is very long', async () => {
    desk.bank.unread = [
      unread('nul', { raw: 'a\0b\ud800c' }),
      unread(`long\0${'x'.repeat(600)}`, { raw: 'y'.repeat(300_000), reason: 'odd\0' }),
    ]
    await desk.read()
    const [nul, long] = await Promise.all((await desk.items()).map(({ id }) => desk.item(id)))
    assert.equal(nul?.raw, String.raw`a\u0000b\ud800c`)
    assert.ok(long !== undefined)
    assert.match(long.raw, /^y{100000}\n\(cut: the first 100000 of 300000 characters\)$/)
    assert.match(long.foreign_id, /^long\\u0000x{20,}… [0-9a-f]{16}$/)
    assert.equal(long.reason, String.raw`odd\u0000`)
    const again = await desk.act(long.id, 'retry')
    assert.match(again.error_description ?? '', /300000 characters and is stored cut/)
  })

  describe('that a user has dismissed, and that the bank then shows under another id', () => {
    const dismissed = async (more: object, direction: 'IN' | 'OUT' = 'IN') => {
      const day = new Date(desk.place.clock.now()).toISOString().slice(0, 10)
      const like = { day, quantity: null, names: [], ...more }
      const { id } = await desk.setAside(unread('unread-1', { direction, like }))
      assert.equal((await desk.act(id, 'dismiss', { note: 'booked by hand' })).status, 200)
      return id
    }
    const waiting = async () =>
      (await desk.items('?state=OPEN')).map(({ foreign_id, reason }) => [
        foreign_id,
        reason.slice(0, 100),
      ])
    const double = (id: string) =>
      `it may be the money of set-aside item ${id}, which a user has dismissed`.slice(0, 100)

    it('waits, names the earlier item, and is booked when a person tries it again', async () => {
      const id = await dismissed({ quantity: decimal('10') })
      desk.place.arrives(desk.bank, credit('S1', '10'), credit('S2', '11'))
      await desk.read()
      await desk.read()
      assert.deepEqual([await desk.deposits(), await waiting()], [['S2'], [['S1', double(id)]]])
      const [item] = await desk.items('?state=OPEN')
      assert.equal((await desk.act(item?.id ?? '', 'retry')).data.state, 'RESOLVED')
      assert.deepEqual([await desk.deposits(), await waiting()], [['S1', 'S2'], []])
    })

    it('waits too when the bank dates it up to three days later', async () => {
      const day = new Date(OPENED_AT - 3 * DAY).toISOString().slice(0, 10)
      const id = await dismissed({ day, quantity: decimal('10') })
      const later = credit('S2', '10', { occurred_at: OPENED_AT + DAY })
      desk.place.arrives(desk.bank, credit('S1', '10'), later)
      await desk.read()
      assert.deepEqual([await desk.deposits(), await waiting()], [['S2'], [['S1', double(id)]]])
    })

    it('stays unbooked when the second one is dismissed too', async () => {
      await dismissed({ quantity: decimal('10') })
      desk.place.arrives(desk.bank, credit('S1', '10'))
      await desk.read()
      const [item] = await desk.items('?state=OPEN')
      await desk.act(item?.id ?? '', 'dismiss', { note: 'the same money' })
      await desk.read()
      assert.deepEqual([await desk.deposits(), await waiting()], [[], []])
    })

    it('waits by its reference where the amount could not be read, also when it left', async () => {
      const id = await dismissed({ names: ['L1'] }, 'OUT')
      const left = (foreign_id: string) => departure(foreign_id, 'EUR', '5', { wallet: IBAN })
      await desk.place.leaves(desk.bank, left('L1/1'), left('L2'))
      const externals = async () =>
        (await desk.externals()).map((withdrawal) => withdrawal.foreign_id).toSorted()
      assert.deepEqual([await externals(), await waiting()], [['L2'], [['L1/1', double(id)]]])
      const [item] = await desk.items('?state=OPEN')
      assert.equal((await desk.act(item?.id ?? '', 'retry')).data.state, 'RESOLVED')
      assert.deepEqual(await externals(), ['L1/1', 'L2'])
    })
  })

  it('sets a payment aside whose name a final deposit of another quantity has', async () => {
    desk.place.arrives(desk.bank, credit('a', '10'))
    await desk.read()
    for (const _again of [1, 2]) {
      desk.place.arrives(desk.bank, credit('a', '12'), credit('a', '10'), credit('a', '12'))
      await desk.read()
    }
    const [other, ...further] = await desk.items()
    assert.deepEqual([other?.foreign_id, other?.direction, further], ['a of 12', 'IN', []])
    assert.match(
      other?.reason ?? '',
      /reports a with 12 EUR, and deposit .* of this name is final with 10 EUR/,
    )
    const again = await desk.act(other?.id ?? '', 'retry')
    assert.deepEqual([again.data.state, again.data.reason], ['OPEN', other?.reason])
    assert.equal((await desk.act(other?.id ?? '', 'dismiss', { note: 'by hand' })).status, 200)
    desk.place.arrives(desk.bank, credit('a', '12'))
    await desk.read()
    assert.deepEqual(await desk.deposits(), ['a'])
    assert.deepEqual(await desk.events(), ['set_aside_item.opened', 'set_aside_item.dismissed'])
  })

  describe('resolved by itself', () => {
    it('is an item whose record the venue reports in a form that is understood', async () => {
      const { id } = await desk.setAside()
      desk.place.arrives(desk.bank, credit('a', '12'))
      await desk.read()
      const { state, closed_by } = await desk.item(id)
      assert.deepEqual([state, closed_by, await desk.deposits()], ['RESOLVED', 'treasury', ['a']])
      assert.deepEqual(await desk.events(), ['set_aside_item.opened', 'set_aside_item.resolved'])
    })

    it('is one of what left, too', async () => {
      const { id } = await desk.setAside(unread('a', { direction: 'OUT' }))
      await desk.place.leaves(desk.bank, departure('a', 'EUR', '5', { wallet: IBAN }))
      assert.equal((await desk.item(id)).state, 'RESOLVED')
      assert.equal((await desk.externals()).length, 1)
    })

    it('opens again when the venue changes the record and it is not understood', async () => {
      const record = unread('a')
      const { id } = await desk.setAside(record)
      desk.place.arrives(desk.bank, credit('a', '12'))
      await desk.read()
      desk.bank.unread = [record]
      await desk.read()
      assert.equal((await desk.item(id)).state, 'RESOLVED')
      const day = new Date(OPENED_AT).toISOString().slice(0, 10)
      const like = { day, quantity: decimal('7'), names: [] }
      desk.bank.unread = [{ ...record, raw: '{"changed":true}', like }]
      await desk.read()
      const { state, closed_at } = await desk.item(id)
      assert.deepEqual([state, closed_at, (await desk.items()).length], ['OPEN', null, 1])
      desk.bank.unread = []
      await desk.act(id, 'dismiss', { note: 'booked by hand' })
      desk.place.arrives(desk.bank, credit('S1', '7'))
      await desk.read()
      assert.deepEqual(await desk.deposits(), ['a'], 'what is like it now waits')
    })
  })

  it('loses nothing when the process ends before or after the commit of a reading', async () => {
    const { app, workspace } = desk.place
    const poll = (lane: Lane) =>
      pollTask({ ...app, lane })({
        workspace,
        kind: 'poll_venue',
        subject_id: desk.bank.id,
        attempts: 1,
      })
    const ends = new Error('the process ends here')
    desk.bank.unread = [unread('a'), unread('b', { direction: 'OUT' })]
    desk.place.arrives(desk.bank, credit('1'))
    const before = { ...app.lane, commit: () => Promise.reject(ends) }
    await assert.rejects(poll(before), ends)
    assert.deepEqual([await desk.items(), await desk.deposits()], [[], []])
    const after = {
      ...app.lane,
      commit: async (change: Parameters<Lane['commit']>[0]) => {
        await app.lane.commit(change)
        throw ends
      },
    }
    await assert.rejects(poll(after), ends)
    await desk.read()
    assert.deepEqual(
      [(await desk.items()).length, await desk.deposits(), await desk.cursor()],
      [2, ['1'], '1'],
    )
    assert.equal((await desk.events()).length, 2)
  })

  it('shows what keeps a venue from being opened', async () => {
    const { place } = desk
    const late = await place.addVenue('late', 'BANK')
    late.unread = [unread('a')]
    late.onBalances = () => {
      throw new ApiError('VenueUnreachable', 'the balance is not known')
    }
    await place.db.query(sql`
      insert into tasks (workspace, kind, subject_id, due_at)
      values (${place.workspace}, 'connect_venue', ${late.id}, 0)`)
    await place.later(1)
    await place.later(2_000)
    assert.deepEqual(
      (await desk.items()).map(({ venue_id, state }) => [venue_id, state]),
      [[late.id, 'OPEN']],
    )
    late.reread = async () => ({ incoming: [movement('a', 'EUR', '5')], outgoing: [] })
    const [only] = await desk.items()
    const { data } = await desk.act(only?.id ?? '', 'retry')
    assert.equal(data.reason, 'the opening balance of late is not booked yet')
  })

  it('leaves to a person what waited when the opening balance was read', async () => {
    const { place } = desk
    const late = await place.addVenue('late', 'BANK')
    late.unread = [unread('a')]
    await place.db.query(sql`
      insert into tasks (workspace, kind, subject_id, due_at)
      values (${place.workspace}, 'connect_venue', ${late.id}, 0)`)
    await place.later(10_000)
    late.unread = []
    place.arrives(late, movement('a', 'EUR', '5', { occurred_at: 1_700_000_000_000 }))
    await desk.read()
    const [only] = await desk.items()
    assert.deepEqual([only?.state, await desk.deposits()], ['OPEN', []])
    assert.match(
      only?.reason ?? '',
      /opening balance of EUR at late was read, which may contain it/,
    )
    late.reread = async () => ({ incoming: [movement('a', 'EUR', '5')], outgoing: [] })
    const { data } = await desk.act(only?.id ?? '', 'retry')
    assert.deepEqual([data.state, await desk.deposits()], ['OPEN', []])
  })
})
