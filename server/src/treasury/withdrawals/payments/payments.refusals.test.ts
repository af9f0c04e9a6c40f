import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Customer } from '../../../customers/index.ts'
import { refusalOf } from '../../../http/testing.ts'
import { putHalt } from '../../../ledger/index.ts'
import { NEW_IBAN, openPayments } from './payments.testing.ts'
import type { PaymentsPlace } from './payments.testing.ts'

const MINUTE = 60_000

describe('payments', () => {
  let place: PaymentsPlace
  let bob: Customer
  before(async () => {
    place = await openPayments()
  })
  after(() => place.close())
  beforeEach(async () => {
    bob = await place.payer()
  })

  const toNewPayee = (more: object = {}) => place.toNewPayee(bob, more)

  it('that are wrong are refused at their field, and make nothing', async () => {
    const known = { label: 'X', address: NEW_IBAN, transfer: { to: { name: 'X' } } }
    const wrong: Record<string, [object, string]> = {
      address: [{ payee: { ...known, address: 'AT00' } }, '400 3001 INVALID_ADDRESS payee.address'],
      'no name': [
        { payee: { ...known, transfer: {} } },
        '400 3001 REQUIRED payee.transfer.to.name',
      ],
      'no label': [{ payee: { address: NEW_IBAN } }, '400 3001 REQUIRED payee.label'],
      'two payees': [
        { payee: { ...known, wallet_id: place.wallets.aliceEur.id } },
        '400 3001 CONFLICT payee.address',
      ],
      'two ways': [{ route_id: place.routes.bankToAlice.id }, '400 3001 CONFLICT payee'],
      'no payer': [{ account_id: undefined }, '400 3001 REQUIRED account_id'],
      decimals: [{ quantity: '1.001' }, '400 3001 SCALE quantity'],
      'more than there is': [{ quantity: '1000.01' }, '400 3001 INSUFFICIENT_BALANCE quantity'],
      past: [{ send_at: place.clock.now() - 60 * MINUTE }, '400 3001 RANGE send_at'],
      'no reference': [{ reference: undefined }, '400 3001 REQUIRED reference'],
      'two references': [
        { payee: { ...known, transfer: { to: { name: 'X', reference: 'Y' } } } },
        '400 3001 CONFLICT payee.transfer.to.reference',
      ],
      reference: [{ reference: 'x'.repeat(141) }, '400 3001 RANGE reference'],
      protocol: [{ protocol: 'SWIFT' }, '400 3001 UNSUPPORTED_BY_VENUE protocol'],
      'a stranger': [
        { payee: { wallet_id: place.wallets.aliceEur.id, transfer: { to: { name: 'Alice' } } } },
        '400 3001 WALLET_OF_ANOTHER_CUSTOMER treasury_route_id',
      ],
    }
    const before = await place.counted()
    for (const [name, [change, refusal]] of Object.entries(wrong)) {
      const body = toNewPayee(change)
      assert.equal(refusalOf(await place.order(body)), refusal, name)
      const preview = await place.call('POST', '/treasury/payments/preview', body)
      assert.equal(refusalOf(preview), refusal, name)
    }
    assert.deepEqual(await place.counted(), before)
  })

  it('are previewed without a trace', async () => {
    const before = await place.counted()
    const { data } = await place.call('POST', '/treasury/payments/preview', toNewPayee())
    assert.deepEqual(data, {
      payee: 'NEW',
      asset: 'EUR',
      address: NEW_IBAN,
      payee_name: 'Landlord Ltd',
      known_label: null,
      known_names: [],
      waits_for_allowlist: false,
      waits_for_halt: false,
    })
    assert.deepEqual(await place.counted(), before)
  })

  it('wait for the end of a halt, and say so before and after', async () => {
    const halt = (halted: boolean) =>
      place.db.tx((tx) =>
        putHalt(
          { workspace: place.workspace, by: 'risk' },
          { tx, clock: place.clock },
          { action: 'WITHDRAWALS', halted, reason: 'drill' },
        ),
      )
    await halt(true)
    const preview = (more: object) =>
      place.call('POST', '/treasury/payments/preview', toNewPayee(more))
    assert.partialDeepStrictEqual((await preview({})).data, { waits_for_halt: true })
    const later = { send_at: place.clock.now() + 60 * MINUTE }
    assert.partialDeepStrictEqual((await preview(later)).data, { waits_for_halt: false })
    const { id, version } = await place.ordered(toNewPayee())
    await place.later(MINUTE)
    assert.partialDeepStrictEqual(await place.readPayment(id), {
      state: 'WAITING',
      version,
      reason: 'it waits for the end of a halt of withdrawals',
    })
    await halt(false)
    await place.later(MINUTE)
    assert.partialDeepStrictEqual(await place.readPayment(id), { state: 'SENT', reason: null })
  })

  it('to somebody new need the permissions for wallets and routes', async () => {
    for (const lacking of ['treasury.wallets.write', 'treasury.routes.write']) {
      const permissions = new Set(place.principal.permissions)
      permissions.delete(lacking)
      place.others.set('Bearer clerk', { ...place.principal, permissions })
      const answer = await place.call('POST', '/treasury/payments', toNewPayee(), {
        token: 'clerk',
      })
      assert.equal(refusalOf(answer), '403 1003 PERMISSION_REQUIRED ')
      assert.match(answer.text, new RegExp(lacking.replaceAll('.', '\\.')))
    }
  })
})
