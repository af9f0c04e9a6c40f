/** How venues are opened with their secrets, listed, declared, and summed. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { sql } from '../store/sql.ts'
import { balancesByAsset } from './balances.ts'
import { SERVICE_MOVES, SERVICE_STATES, VENUE_MOVES, VENUE_STATES } from './venues.schema.ts'
import type { VenueRecord } from './venues.schema.ts'
import { openTestVenues, SECRET, total } from './venues.testing.ts'
import type { TestVenues } from './venues.testing.ts'

describe('venues', () => {
  let place: TestVenues
  before(async () => {
    place = await openTestVenues()
  })
  after(() => place.close())

  it('open only with their secrets, once, and name what is missing, never its text', async () => {
    const { fake, id, venues, workspace, writeKeys } = place
    await assert.rejects(
      venues.connect(workspace, id),
      /api_key is missing: the environment has no VENUES_TEST_KEY/,
    )
    process.env['VENUES_TEST_KEY'] = 'key'
    await assert.rejects(venues.connect(workspace, id), /keys.json cannot be read/)
    await writeKeys(`{"other": "${SECRET}"}`)
    await assert.rejects(
      venues.connect(workspace, id),
      (error: ApiError) =>
        error.kind === 'VenueUnreachable' &&
        /no text api_secret/.test(error.message) &&
        !error.message.includes(SECRET),
    )
    await writeKeys(JSON.stringify({ api_secret: SECRET }))
    const [one, two] = await Promise.all([
      venues.connect(workspace, id),
      venues.connect(workspace, id),
    ])
    assert.equal(one.adapter, two.adapter)
    assert.deepEqual(fake.opened, [{ exchange: 'kraken', api_key: 'key', api_secret: SECRET }])
    await assert.rejects(
      venues.connect(newId(), id),
      (error: ApiError) => error.kind === 'NewResourceNotFound',
    )
    await assert.rejects(
      venues.connect(workspace, newId()),
      (error: ApiError) => error.kind === 'NewResourceNotFound',
    )
  })

  it('are opened anew once a secret has been exchanged where it lies', async (t) => {
    const { fake, id, venues, workspace, writeKeys } = place
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const adapterLater = async () => {
      t.mock.timers.tick(10_000)
      return (await venues.connect(workspace, id)).adapter
    }
    const { adapter } = await venues.connect(workspace, id)
    for (const api_secret of ['another', SECRET]) {
      const before = await adapterLater()
      await writeKeys('{}')
      assert.equal(await adapterLater(), before, 'it goes on while the secret is away')
      await writeKeys(JSON.stringify({ api_secret }))
      await t.waitFor(async () => assert.notEqual(await adapterLater(), before))
      assert.equal(fake.opened.at(-1)?.['api_secret'], api_secret)
    }
    assert.notEqual(await adapterLater(), adapter)
  })

  it('are listed without anything secret', async () => {
    const { api } = place
    const listed = await api.call<VenueRecord[]>('GET', '/venues')
    assert.equal(listed.status, 200, listed.text)
    assert.deepEqual(
      [
        listed.data[0]?.label,
        listed.data[0]?.state,
        listed.data[0]?.settlement,
        listed.data[0]?.services.length,
      ],
      ['Exchange', 'CONNECTING', 'PREFUNDED', 3],
    )
    assert(!/keys\.json|VENUES_TEST_KEY|secret/.test(listed.text))
  })

  it('keep the IBANs they pay from as banks report them, and refuse what is none', async () => {
    const { db, declared, id, put, workspace } = place
    const stored = async (payout_ibans?: string[]) => {
      await put({ ...declared, ...(payout_ibans === undefined ? {} : { payout_ibans }) })
      const [row] = await db.query<{ payout_ibans: string[] }>(sql`
        select payout_ibans
        from venues
        where workspace = ${workspace}
          and id = ${id}`)
      return row?.payout_ibans
    }
    assert.deepEqual(await stored(['lu28 0019 4006 4475 0000', 'LU280019400644750000']), [
      'LU280019400644750000',
    ])
    assert.deepEqual(await stored(), [])
    await assert.rejects(
      put({ ...declared, payout_ibans: ['LU280019400644750001'] }),
      (error: ApiError) =>
        error.details.map(({ code, path }) => `${code} ${path}`).join() ===
        'INVALID_ADDRESS venues[0].payout_ibans',
    )
    await put()
  })

  it('are listened to by those who want to hear, each adapter once', async () => {
    const { fake, id, put, declared, provideSecrets, venues, workspace } = place
    await provideSecrets()
    await put(declared)
    await venues.connect(workspace, id)
    assert.deepEqual(fake.hearers, [])
    const heard: string[] = []
    const [stopOne, stopOther] = ['one', 'other'].map((name) =>
      venues.listen((venue, { about }, every_ms) =>
        heard.push(`${name}: ${about} at ${venue.label}, each ${every_ms} ms`),
      ),
    )
    const say = (place: number, about: 'TRANSFERS' | 'ALL') => fake.hearers.at(place)?.({ about })
    await until('it is listened to', () => fake.hearers.length > 0)
    assert.equal(fake.hearers.length, 1)
    say(0, 'TRANSFERS')
    stopOne?.()
    // Opened once more, it is listened to from then on.
    await put({ ...declared, options: { exchange: 'bitstamp' } })
    await venues.connect(workspace, id)
    await until('it is listened to again', () => fake.hearers.length === 2)
    say(1, 'ALL')
    stopOther?.()
    say(1, 'ALL')
    assert.deepEqual(heard, [
      'one: TRANSFERS at Exchange, each 7000 ms',
      'other: TRANSFERS at Exchange, each 7000 ms',
      'other: ALL at Exchange, each 7000 ms',
    ])
    await put()
  })

  it('sum over their wallets; a sum with an unknown part is unknown', () => {
    assert.deepEqual(
      balancesByAsset([
        total('ETH', '1', '1.5'),
        total('BTC', '0', '1'),
        total('ETH', '0', '2', 'ARB'),
        total('BTC', '1', null),
      ]),
      {
        BTC: { free: null, used: '0', total: null, protocol: 'BTC' },
        ETH: { free: '3.5', used: '0', total: '3.5', protocol: null },
      },
    )
  })

  it('have tables of moves that name every state', () => {
    assert.deepEqual(Object.keys(VENUE_MOVES).toSorted(), [...VENUE_STATES].toSorted())
    assert.deepEqual(Object.keys(SERVICE_MOVES).toSorted(), [...SERVICE_STATES].toSorted())
  })
})
