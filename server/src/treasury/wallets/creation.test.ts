import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import type { Answer, TestServer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import type { WalletOrder, WalletReport } from '../../venues/index.ts'
import { venuesTasks } from '../../venues/index.ts'
import { createWalletTask } from './creation.ts'
import { routesEndpoints } from '../routes/routes.http.ts'
import { walletsEndpoints } from './wallets.http.ts'
import { walletByVenueLocator } from './rows.ts'
import type { VenueLocator } from './rows.ts'
import type { Wallet } from './wallets.schema.ts'
import {
  BTC_ADDRESS,
  openWorkplace,
  OTHER_BTC_ADDRESS,
  XRP_ADDRESS,
} from '../testing/venue.fixture.ts'
import type { Workplace } from '../testing/venue.fixture.ts'
import type { FakeVenue } from '../testing/fake-venue.testing.ts'

const PERMISSIONS = new Set([
  'treasury.wallets.read',
  'treasury.wallets.write',
  'treasury.routes.read',
  'treasury.routes.write',
])

/**
 * What the venue does with the next request. `late`: it makes the wallet, the answer is lost.
 * `lost`: the request never arrives.
 */
type Mode = 'accept' | 'working' | 'refuse' | 'late' | 'lost'

function creationModel() {
  const model = {
    mode: 'accept' as Mode,
    down: false,
    asked: [] as WalletOrder[],
    made: new Map<string, WalletReport>(),
    next: { address: BTC_ADDRESS, tag: null as string | null },
    async create(order: WalletOrder) {
      model.asked.push(order)
      if (model.mode === 'refuse')
        return { outcome: 'refused' as const, reason: 'not for you', native: 'NO' }
      if (model.mode === 'lost') return { outcome: 'unknown' as const, reason: 'time-out' }
      const report: WalletReport =
        model.mode === 'working'
          ? { state: 'CREATING' }
          : { state: 'ACTIVE', wallet: order.vault_id ?? `w${model.asked.length}`, ...model.next }
      model.made.set(order.external_id, report)
      return model.mode === 'late'
        ? { outcome: 'unknown' as const, reason: 'time-out' }
        : { outcome: 'accepted' as const, report }
    },
    async find(order: WalletOrder) {
      if (model.down) return { lookup: 'unknown' as const, reason: 'down' }
      const report = model.made.get(order.external_id)
      return report === undefined
        ? { lookup: 'absent' as const }
        : { lookup: 'found' as const, report }
    },
  }
  return model
}

describe('wallets that the venue makes', () => {
  let place: Workplace
  let api: TestServer
  let managed: FakeVenue
  const vault = creationModel()
  const custodian = creationModel()
  const user_id = newId()
  before(async () => {
    place = await openWorkplace()
    const { db, clock, workspace } = place
    place.vault.wallets = vault
    managed = await place.addVenue('managed', 'MANAGED_WALLET')
    managed.wallets = custodian
    api = await testServer({
      db,
      clock,
      endpoints: [...walletsEndpoints(place.app), ...routesEndpoints(place.app)],
      authenticate: () => ({ workspace, user_id, session_id: user_id, permissions: PERMISSIONS }),
    })
    const snapshot = venuesTasks({ ...place.app, log: { error() {} } } as unknown as Parameters<
      typeof venuesTasks
    >[0])['snapshot_venue']
    for (const venue of [place.vault, managed])
      await snapshot?.({ workspace, kind: 'snapshot_venue', subject_id: venue.id, attempts: 1 })
  })
  beforeEach(() => {
    for (const model of [vault, custodian]) {
      model.mode = 'accept'
      model.down = false
      model.next = { address: BTC_ADDRESS, tag: null }
    }
  })
  after(async () => {
    await api.close()
    await place.close()
  })

  const order = (venue: FakeVenue, configuration: object, more: object = {}) => ({
    type: 'VENUE',
    asset: 'BTC',
    address: '',
    label: 'New',
    venue_id: venue.id,
    service_id: venue.service_id,
    account_id: venue.accounts.VENUE,
    access_type: 'INTERNAL',
    configuration: { create_external_wallet: true, ...configuration },
    ...more,
  })
  const ask = async (body: object): Promise<Wallet> => {
    const answer = await api.call<Wallet>('POST', '/treasury/wallets', { body })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const work = (wallet: Wallet) =>
    createWalletTask(place.app)({
      workspace: place.workspace,
      kind: 'create_wallet',
      subject_id: wallet.id,
      attempts: 1,
    })
  const locate = async (
    { id }: FakeVenue,
    locator: Partial<VenueLocator> & Pick<VenueLocator, 'wallet' | 'asset' | 'protocol'>,
  ) => {
    const { db, workspace } = place
    const complete = { address: null, tag: null, ...locator }
    return (await walletByVenueLocator(db, { workspace, id }, complete))?.id
  }
  const read = async (wallet: Wallet) =>
    (await api.call<Wallet[]>('GET', `/treasury/wallets/${wallet.id}`)).data[0] as Wallet
  const refusal = (answer: Answer<unknown>) => [
    answer.status,
    answer.error_details?.[0]?.code,
    answer.error_details?.[0]?.path,
  ]
  const events = async (wallet: Wallet) =>
    (
      await place.db.query<{ type: string }>(
        sql`
          select type
          from events
          where workspace = ${place.workspace}
            and resource_id = ${wallet.id}
          order by sequence`,
      )
    ).map((row) => row.type)
  const asks = (model: typeof vault, wallet: Wallet) =>
    model.asked.filter((walletOrder) => walletOrder.external_id === wallet.id)
  let addresses = 0
  /** The venue makes another address each time; these need not be valid here. */
  const fresh = (model: typeof vault) => {
    addresses += 1
    model.next = { address: `bc1new${addresses}`, tag: null }
  }

  it('are CREATING until the venue answers, then ACTIVE with address and vault', async () => {
    const wallet = await ask(order(place.vault, { protocol: 'BTC', vault_id: '', vault_name: '' }))
    assert.deepEqual(
      [wallet.state, wallet.address, wallet.foreign_id, wallet.protocol, wallet.reason],
      ['CREATING', '', null, 'BTC', null],
    )
    assert.match(wallet.configuration.vault_name ?? '', /^Kontor BTC [0-9a-f]{12}$/)
    assert.equal(
      (
        await place.db.query(
          sql`
            select 1
            from tasks
            where kind = 'create_wallet'
              and subject_id = ${wallet.id}`,
        )
      ).length,
      1,
    )
    assert.equal(await work(wallet), 'done')
    const made = await read(wallet)
    assert.deepEqual(
      [made.state, made.address, made.foreign_id, made.configuration],
      ['ACTIVE', BTC_ADDRESS, 'w1', { ...wallet.configuration, vault_id: 'w1' }],
    )
    assert.deepEqual(asks(vault, wallet), [
      {
        external_id: wallet.id,
        asset: 'BTC',
        protocol: 'BTC',
        label: 'New',
        vault_id: null,
        vault_name: wallet.configuration.vault_name,
        customer_id: null,
      },
    ])
    assert.deepEqual(await events(wallet), ['wallet.created', 'wallet.activated'])
    assert.equal(await work(wallet), 'done')
    assert.equal(asks(vault, wallet).length, 1)
  })

  it('take part in no route and tell no balance while CREATING or FAILED', async () => {
    custodian.mode = 'working'
    const wallet = await ask(order(managed, { customer_id: 'c1' }))
    await work(wallet)
    const known = await ask({
      type: 'CUSTOMER',
      asset: 'BTC',
      address: OTHER_BTC_ADDRESS,
      label: 'cold',
      account_id: place.customer.id,
      customer_id: place.customer_id,
      access_type: 'EXTERNAL',
    })
    const route = (from: Wallet, to: Wallet) =>
      api.call('POST', '/treasury/wallets/routes', {
        body: { from_wallet_id: from.id, to_wallet_id: to.id, protocol: 'BTC', label: 'r' },
      })
    assert.deepEqual(refusal(await route(wallet, known)), [
      400,
      'STATE_NOT_ALLOWED',
      'from_wallet_id',
    ])
    assert.deepEqual(refusal(await route(known, wallet)), [
      400,
      'STATE_NOT_ALLOWED',
      'to_wallet_id',
    ])
    assert.deepEqual(
      refusal(await api.call('GET', `/treasury/wallets/routes/fields/${wallet.id}/BTC`)),
      [400, 'STATE_NOT_ALLOWED', 'from_wallet_id'],
    )
    assert.deepEqual(refusal(await api.call('GET', `/treasury/wallets/${wallet.id}/balance`)), [
      400,
      'STATE_NOT_ALLOWED',
      'wallet_id',
    ])
    assert.equal(await locate(managed, { wallet: null, asset: 'BTC', protocol: 'BTC' }), undefined)
    custodian.made.set(wallet.id, {
      state: 'FAILED',
      reason: 'CUSTOMER_NOT_FOUND: there is no customer c1',
    })
    assert.equal(await work(wallet), 'done')
    assert.deepEqual(await read(wallet).then((row) => [row.state, row.reason, row.address]), [
      'FAILED',
      'CUSTOMER_NOT_FOUND: there is no customer c1',
      '',
    ])
    assert.deepEqual(refusal(await route(known, wallet)), [
      400,
      'STATE_NOT_ALLOWED',
      'to_wallet_id',
    ])
    assert.deepEqual(await events(wallet), ['wallet.created', 'wallet.failed'])
  })

  it('are polled while the venue makes them, and made for a customer of the venue', async () => {
    assert.deepEqual(
      refusal(await api.call('POST', '/treasury/wallets', { body: order(managed, {}) })),
      [400, 'REQUIRED', 'configuration.customer_id'],
    )
    assert.deepEqual(
      refusal(
        await api.call('POST', '/treasury/wallets', {
          body: order(managed, { customer_id: 'c1', vault_id: '0' }),
        }),
      ),
      [400, 'UNKNOWN_FIELD', 'configuration.vault_id'],
    )
    assert.deepEqual(
      refusal(
        await api.call('POST', '/treasury/wallets', {
          body: order(managed, { create_external_wallet: false }, { address: BTC_ADDRESS }),
        }),
      ),
      [400, 'REQUIRED', 'configuration.wallet_id'],
    )
    custodian.mode = 'working'
    const wallet = await ask(
      order(
        managed,
        { customer_id: 'c1' },
        { type: 'CUSTOMER', customer_id: place.customer_id, account_id: place.customer.id },
      ),
    )
    const again = await work(wallet)
    assert.ok(again !== 'done' && again.again_at > place.clock.now())
    assert.equal((await read(wallet)).state, 'CREATING')
    custodian.made.set(wallet.id, {
      state: 'ACTIVE',
      wallet: 'mw_7',
      address: 'bc1managed',
      tag: null,
    })
    assert.equal(await work(wallet), 'done')
    assert.deepEqual(
      await read(wallet).then((row) => [row.state, row.address, row.foreign_id, row.configuration]),
      [
        'ACTIVE',
        'bc1managed',
        'mw_7',
        { create_external_wallet: true, customer_id: 'c1', wallet_id: 'mw_7' },
      ],
    )
    assert.equal(asks(custodian, wallet).length, 1)
    assert.equal(
      await locate(managed, {
        wallet: 'mw_7',
        asset: 'BTC',
        protocol: 'BTC',
        address: 'bc1managed',
      }),
      wallet.id,
    )
  })

  it("are refused with the venue's reason", async () => {
    vault.mode = 'refuse'
    const wallet = await ask(order(place.vault, { vault_id: '9' }))
    assert.equal(await work(wallet), 'done')
    assert.deepEqual(await read(wallet).then((row) => [row.state, row.reason]), [
      'FAILED',
      'not for you',
    ])
    assert.deepEqual(
      refusal(
        await api.call('POST', '/treasury/wallets', {
          body: order(place.vault, { protocol: 'LIGHTNING' }),
        }),
      ),
      [400, 'UNSUPPORTED_BY_VENUE', 'configuration.protocol'],
    )
  })

  it('are requested once: an unknown outcome is looked up before another request', async () => {
    vault.mode = 'late'
    fresh(vault)
    const late = await ask(order(place.vault, {}))
    await work(late)
    assert.equal((await read(late)).state, 'CREATING')
    vault.down = true
    await work(late)
    assert.equal((await read(late)).state, 'CREATING')
    vault.down = false
    assert.equal(await work(late), 'done')
    assert.deepEqual([(await read(late)).state, asks(vault, late).length], ['ACTIVE', 1])

    vault.mode = 'lost'
    const lost = await ask(order(place.vault, {}))
    await work(lost)
    vault.mode = 'accept'
    fresh(vault)
    await work(lost)
    assert.deepEqual([(await read(lost)).state, asks(vault, lost).length], ['CREATING', 1])
    place.clock.advance(10_000)
    assert.equal(await work(lost), 'done')
    assert.deepEqual([(await read(lost)).state, asks(vault, lost).length], ['ACTIVE', 2])
  })

  it('never share an address; those with a tag are told apart by it', async () => {
    vault.next = { address: 'bc1one', tag: null }
    const first = await ask(order(place.vault, { vault_id: '0' }, { label: 'First' }))
    const second = await ask(order(place.vault, { vault_id: '0' }))
    await work(first)
    await work(second)
    assert.deepEqual([(await read(first)).state, (await read(second)).state], ['ACTIVE', 'FAILED'])
    assert.match((await read(second)).reason ?? '', /belongs to the wallet First/)
    const tagged: Wallet[] = []
    for (const tag of ['71', '72']) {
      vault.next = { address: XRP_ADDRESS, tag }
      const wallet = await ask(
        order(
          place.vault,
          { vault_id: '0' },
          {
            asset: 'XRP',
            type: 'CUSTOMER',
            customer_id: place.customer_id,
            account_id: place.customer.id,
          },
        ),
      )
      await work(wallet)
      tagged.push(await read(wallet))
    }
    assert.deepEqual(
      tagged.map((row) => [row.state, row.address, row.reference_text]),
      [
        ['ACTIVE', XRP_ADDRESS, '71'],
        ['ACTIVE', XRP_ADDRESS, '72'],
      ],
    )
    const found = (tag: string | null) =>
      locate(place.vault, {
        wallet: '0',
        asset: 'XRP',
        protocol: 'XRP',
        address: XRP_ADDRESS,
        tag,
      })
    assert.deepEqual(
      [await found('72'), await found('71'), await found(null), await found('73')],
      [tagged[1]?.id, tagged[0]?.id, undefined, undefined],
    )
  })

  it('change only in label, type, customer and account; none is made twice', async () => {
    fresh(vault)
    const wallet = await ask(order(place.vault, {}))
    await work(wallet)
    const made = await read(wallet)
    const change = {
      ...made,
      type: 'CUSTOMER',
      customer_id: place.customer_id,
      account_id: place.customer.id,
      label: 'Alice',
      asset: 'XRP',
      address: BTC_ADDRESS,
      venue_id: place.bank.id,
      access_type: 'EXTERNAL',
      configuration: { vault_id: '99' },
    }
    const answer = await api.call<Wallet>('PUT', `/treasury/wallets/${wallet.id}`, { body: change })
    assert.equal(answer.status, 200, answer.text)
    const { system_updated_at, system_updated_by, ...kept } = made
    assert.deepEqual(answer.data, {
      ...kept,
      type: 'CUSTOMER',
      customer_id: place.customer_id,
      account_id: place.customer.id,
      label: 'Alice',
      version: made.version + 1,
      system_updated_at: place.clock.now(),
      system_updated_by: user_id,
    })
    assert.ok(system_updated_at <= place.clock.now() && system_updated_by === 'treasury')
    assert.deepEqual(
      refusal(
        await api.call('PUT', `/treasury/wallets/${wallet.id}`, {
          body: { ...answer.data, customer_id: newId() },
        }),
      ),
      [404, 'NOT_FOUND', 'customer_id'],
    )
    const named = await ask({
      ...order(place.vault, {}),
      address: OTHER_BTC_ADDRESS,
      configuration: { vault_id: '3', protocol: 'BTC' },
    })
    assert.deepEqual(
      refusal(
        await api.call('PUT', `/treasury/wallets/${named.id}`, {
          body: { ...named, address: '', configuration: { create_external_wallet: true } },
        }),
      ),
      [400, 'CONFLICT', 'configuration.create_external_wallet'],
    )
  })
})
