import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Customer } from '../../customers/index.ts'
import { refusalOf } from '../../http/testing.ts'
import type { DepositAssignment } from '../assignments/assignments.schema.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import type { Matching } from '../matchings/matchings.schema.ts'
import { CUSTOMERS_ADDRESS, openMovements } from '../testing/movements.testing.ts'
import { BTC_ADDRESS, departure, IBAN, movement } from '../testing/venue.fixture.ts'
import type { Wallet } from './wallets.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

const PAYER = 'AT611904300234573201'
const SHOP = 'NL91ABNA0417164300'
const TREZOR = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'

describe('matchings that are made through a wallet', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(async () => {
    assert.deepEqual(await place.verify(), [])
    await place.close()
  })

  const read = async (id: string) =>
    (await place.call<Wallet[]>('GET', `/treasury/wallets/${id}`)).data[0] as Wallet
  const put = (wallet: Wallet, more: object) =>
    place.call<Wallet>('PUT', `/treasury/wallets/${wallet.id}`, { ...wallet, ...more })
  const matchings = async (account_id: string) =>
    (await place.call<Matching[]>('GET', `/accounts/matchings?account_id=${account_id}`)).data
  const outside = async (address: string, asset = 'EUR') => {
    const owner = await place.customer('Bob')
    return {
      owner,
      wallet: await place.wallet({
        type: 'CUSTOMER',
        asset,
        address,
        customer_id: owner.id,
        account_id: owner.account_id,
      }),
    }
  }
  const from = (source_address: string, asset = 'EUR') => ({
    type: 'SOURCE_WITHOUT_REFERENCE',
    details: { asset, is_withdrawal_matching: false, source_address },
  })
  const to = (destination_address: string) => ({
    type: 'DESTINATION_WITHOUT_REFERENCE',
    details: { asset: 'EUR', is_withdrawal_matching: true, destination_address },
  })

  describe('of a wallet of a customer', () => {
    let owner: Customer
    let wallet: Wallet
    let first: Matching[]
    const shown = [
      {
        type: 'SOURCE_WITHOUT_REFERENCE',
        details: {
          asset: 'EUR',
          is_withdrawal_matching: false,
          destination_address: null,
          source_address: PAYER,
          reference: null,
        },
      },
      {
        type: 'DESTINATION_WITHOUT_REFERENCE',
        details: {
          asset: 'EUR',
          is_withdrawal_matching: true,
          destination_address: SHOP,
          source_address: null,
          reference: null,
        },
      },
    ]

    it('are made with it, and shown with it', async () => {
      ;({ owner, wallet } = await outside(PAYER))
      assert.deepEqual(wallet.matching_configurations, [])
      const made = await put(wallet, { matching_configurations: [from(PAYER), to(SHOP)] })
      assert.equal(made.status, 200, made.text)
      assert.deepEqual(made.data.matching_configurations, shown)
      assert.deepEqual((await read(wallet.id)).matching_configurations, shown)
      assert.deepEqual(
        (await place.call<Wallet[]>('GET', `/treasury/wallets?id=${wallet.id}`)).data[0]
          ?.matching_configurations,
        shown,
      )
      first = await matchings(owner.account_id)
      assert.deepEqual(
        first.map(({ wallet_id, resource_id }) => ({ wallet_id, resource_id })),
        [
          { wallet_id: wallet.id, resource_id: owner.account_id },
          { wallet_id: wallet.id, resource_id: owner.account_id },
        ],
      )
    })

    it('match what arrives and what leaves', async () => {
      place.arrives(
        place.bank,
        movement('W1', 'EUR', '70', { wallet: IBAN, source_address: PAYER }),
      )
      place.bank.outgoing.push(
        departure('W2', 'EUR', '20', { wallet: IBAN, destination_address: SHOP }),
      )
      await place.later(10_000)
      const [deposit] = (await place.call<Deposit[]>('GET', '/treasury/deposits?foreign_id=W1'))
        .data
      const [assignment] = (
        await place.call<DepositAssignment[]>(
          'GET',
          `/treasury/deposits/${deposit?.id}/assignments`,
        )
      ).data
      assert.deepEqual(
        {
          state: deposit?.state,
          account_id: assignment?.account_id,
          matching_id: assignment?.matching_id,
        },
        {
          state: 'SUCCESSFUL',
          account_id: owner.account_id,
          matching_id: first.find((row) => !row.details.is_withdrawal_matching)?.id,
        },
      )
      const gone = (await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')).data.find(
        (row) => row.foreign_id === 'W2',
      )
      assert.deepEqual(await place.bookings(gone?.id ?? ''), [
        'WITHDRAWAL EUR D suspense 20, C bank 20',
        'WITHDRAWAL_ASSIGNMENT EUR D Bob 20, C suspense 20',
      ])
    })

    it('stay the same when they are sent back as they were read, or left out', async () => {
      assert.equal((await put(await read(wallet.id), { label: 'sent back' })).status, 200)
      const { matching_configurations: _left, ...without } = await read(wallet.id)
      assert.deepEqual(
        (
          await place.call<Wallet>('PUT', `/treasury/wallets/${wallet.id}`, {
            ...without,
            label: 'left out',
          })
        ).data.matching_configurations,
        shown,
      )
      assert.deepEqual(await matchings(owner.account_id), first)
    })

    it('are replaced and removed; what stays the same keeps its id', async () => {
      const replaced = await put(await read(wallet.id), {
        matching_configurations: [to(SHOP), from('GB82WEST12345698765432')],
      })
      assert.deepEqual(
        replaced.data.matching_configurations.map(
          (matchingConfiguration) =>
            matchingConfiguration.details.source_address ??
            matchingConfiguration.details.destination_address,
        ),
        [SHOP, 'GB82WEST12345698765432'],
      )
      assert.ok(
        (await matchings(owner.account_id)).some(
          (matching) => matching.id === first.find((row) => row.details.is_withdrawal_matching)?.id,
        ),
        'what stays the same stays itself',
      )
      assert.deepEqual(
        (await put(replaced.data, { matching_configurations: [] })).data.matching_configurations,
        [],
      )
      assert.deepEqual(await matchings(owner.account_id), [])
    })
  })

  it('are refused as matchings are, and then nothing is changed', async () => {
    const { owner, wallet } = await outside(SHOP)
    const other = await place.customer('Eve')
    await place.call('POST', '/accounts/matchings', {
      resource_id: other.account_id,
      ...from(SHOP),
    })
    const with_reference = { ...to(SHOP), type: 'DESTINATION_WITH_REFERENCE' }
    const cases: [object[], string][] = [
      [[from(PAYER), from(SHOP)], '400 3001 DUPLICATE matching_configurations[1].details'],
      [
        [from(PAYER), from(` ${PAYER.toLowerCase()}`)],
        '400 3001 DUPLICATE matching_configurations[1].details',
      ],
      [[with_reference], '400 3001 REQUIRED matching_configurations[0].details.reference'],
      [
        [{ ...to(SHOP), type: 'SOURCE_WITHOUT_REFERENCE' }],
        '400 3001 REQUIRED matching_configurations[0].details.source_address',
      ],
      [[from(PAYER, 'DOGE')], '400 3001 UNKNOWN_ASSET matching_configurations[0].details.asset'],
      [
        [{ ...from(PAYER), resource_id: owner.account_id }],
        '400 3001 UNKNOWN_FIELD matching_configurations[0].resource_id',
      ],
    ]
    for (const [matching_configurations, expected] of cases)
      assert.equal(
        refusalOf(await put(wallet, { label: 'never', matching_configurations })),
        expected,
      )
    assert.deepEqual(
      { wallet: await read(wallet.id), matchings: await matchings(owner.account_id) },
      { wallet, matchings: [] },
    )
    assert.equal(
      refusalOf(await put(place.wallets.bank, { matching_configurations: [from(PAYER)] })),
      '400 3001 RANGE account_id',
      "a venue is nobody's",
    )
    assert.equal(
      refusalOf(
        await place.call('POST', '/treasury/wallets', {
          type: 'CUSTOMER',
          asset: 'EUR',
          address: SHOP,
          label: 'new',
          customer_id: owner.id,
          account_id: owner.account_id,
          access_type: 'EXTERNAL',
          matching_configurations: [],
        }),
      ),
      '400 3001 UNKNOWN_FIELD matching_configurations',
    )
  })

  it('follow the wallet to another account, and leave it with a reassigned matching', async () => {
    const { owner, wallet } = await outside(TREZOR, 'BTC')
    const eve = await place.customer('Eve')
    const made = await put(wallet, {
      matching_configurations: [from(TREZOR, 'BTC'), from(CUSTOMERS_ADDRESS, 'BTC')],
    })
    assert.equal(made.status, 200, made.text)
    const moved = await put(made.data, {
      customer_id: eve.id,
      account_id: eve.account_id,
      matching_configurations: null,
    })
    assert.deepEqual(
      {
        matching_configurations: moved.data.matching_configurations,
        matchings: await matchings(owner.account_id),
      },
      { matching_configurations: made.data.matching_configurations, matchings: [] },
    )
    const [given, kept] = await matchings(eve.account_id)
    const changed = await place.call<Matching>('PUT', '/accounts/matchings', {
      ...given,
      resource_id: owner.account_id,
    })
    assert.deepEqual(
      { wallet_id: changed.data.wallet_id, status: changed.status },
      { wallet_id: null, status: 200 },
      changed.text,
    )
    assert.deepEqual(
      (await read(wallet.id)).matching_configurations.map(
        (matchingConfiguration) => matchingConfiguration.details,
      ),
      [kept?.details],
    )
    await place.call('DELETE', `/accounts/matchings/${kept?.id}`)
    assert.deepEqual((await read(wallet.id)).matching_configurations, [])
  })

  it('are not taken for a wallet that its venue made', async () => {
    place.vault.wallets = {
      create: async () => ({
        outcome: 'accepted',
        report: { state: 'ACTIVE', wallet: '9', address: BTC_ADDRESS, tag: null },
      }),
      find: async () => ({ lookup: 'absent' }),
    }
    const bob = await place.customer('Bob')
    const wallet = await place.wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address: '',
      venue_id: place.vault.id,
      service_id: place.vault.service_id,
      customer_id: bob.id,
      account_id: bob.account_id,
      configuration: { create_external_wallet: true, protocol: 'BTC' },
    })
    const changed = await put(wallet, { label: 'renamed', matching_configurations: [from(PAYER)] })
    assert.deepEqual(
      {
        status: changed.status,
        label: changed.data.label,
        matching_configurations: changed.data.matching_configurations,
        matchings: await matchings(bob.account_id),
      },
      { status: 200, label: 'renamed', matching_configurations: [], matchings: [] },
      changed.text,
    )
  })
})
