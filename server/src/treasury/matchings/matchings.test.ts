import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { refusalOf } from '../../http/testing.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { IBAN } from '../testing/venue.fixture.ts'
import type { Matching } from './matchings.schema.ts'

const MATCHINGS = '/accounts/matchings'
const DETAILS = { destination_address: IBAN, reference: 'KD-1' }

describe('matchings', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  let bob: Customer
  let matching: Matching
  before(async () => {
    place = await openMovements()
    bob = await place.customer('Bob')
  })
  after(() => place.close())

  const match = (resource_id: string, type: string, details: object) =>
    place.call<Matching>('POST', MATCHINGS, {
      resource_id,
      type,
      details: { asset: 'EUR', is_withdrawal_matching: false, ...details },
    })

  it('are made and listed by their account', async () => {
    const made = await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', DETAILS)
    assert.equal(made.status, 200, made.text)
    matching = made.data
    assert.deepEqual(
      (await place.call<object[]>('GET', `${MATCHINGS}?account_id=${bob.account_id}`)).data,
      [matching],
    )
  })

  it('are refused when they are a duplicate or lack what their type needs', async () => {
    for (const [resource_id, type, details, expected] of [
      [
        bob.account_id,
        'DESTINATION_WITH_REFERENCE',
        { reference: 'kd-1', destination_address: 'de89 3704 0044 0532 0130 00' },
        '400 3001 DUPLICATE details',
      ],
      [
        bob.account_id,
        'DESTINATION_WITH_REFERENCE',
        { destination_address: IBAN },
        '400 3001 REQUIRED details.reference',
      ],
      [
        bob.account_id,
        'SOURCE_WITHOUT_REFERENCE',
        { destination_address: IBAN, source_address: '' },
        '400 3001 REQUIRED details.source_address',
      ],
      [place.house.FEE, 'DESTINATION_WITHOUT_REFERENCE', DETAILS, '400 3001 RANGE resource_id'],
      [newId(), 'DESTINATION_WITHOUT_REFERENCE', DETAILS, '404 4004 NOT_FOUND resource_id'],
      [
        bob.account_id,
        'DESTINATION_WITHOUT_REFERENCE',
        { ...DETAILS, asset: 'XYZ' },
        '400 3001 UNKNOWN_ASSET details.asset',
      ],
    ] as [string, string, object, string][])
      assert.equal(refusalOf(await match(resource_id, type, details)), expected)
  })

  it('of withdrawals stand beside those of deposits', async () => {
    const made = await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
      ...DETAILS,
      is_withdrawal_matching: true,
    })
    assert.equal(made.status, 200, made.text)
  })

  it('change by their version', async () => {
    const changed = await place.call<Matching>('PUT', MATCHINGS, {
      ...matching,
      details: {
        asset: 'EUR',
        is_withdrawal_matching: false,
        destination_address: IBAN,
        source_address: null,
        reference: 'KD-2',
      },
    })
    assert.partialDeepStrictEqual(changed.data, { version: 2, details: { reference: 'KD-2' } })
    assert.equal(
      refusalOf(await place.call('PUT', MATCHINGS, matching)),
      '400 3001 STALE_VERSION version',
    )
  })

  it('are deleted once, not by a stranger, and can then be made again', async () => {
    const url = `${MATCHINGS}/${matching.id}`
    assert.equal(
      refusalOf(await place.call('DELETE', url, undefined, { token: 'stranger' })),
      '404 4004 NOT_FOUND matching_id',
    )
    assert.equal((await place.call<{ state: string }>('DELETE', url)).data.state, 'DELETED')
    assert.equal(refusalOf(await place.call('DELETE', url)), '404 4004 NOT_FOUND matching_id')
    const again = await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
      ...DETAILS,
      reference: 'KD-2',
    })
    assert.equal(again.status, 200, again.text)
  })
})
