/** How a withdrawal is recognised in a list of which one cannot be read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { TransferLookup, TransferReport } from '../contract.ts'
import { readCandidates, recognise } from './recognition.ts'

const LOOKUP: TransferLookup = {
  external_id: '0192f5a1-7c00-7abc-8def-0123456789ab',
  asset: 'BTC',
  protocol: 'BTC',
  quantity: decimal('0.5'),
  speed_level: 'DEFAULT',
  fee: 0n,
  source_wallet: null,
  destination_address: 'there',
  tag: null,
  transfer: { from: {}, to: {} },
  recipient_name: null,
  foreign_id: null,
  submitted_at: 1_000,
  claimed: [],
}
const reportOf = (foreign_id: string): TransferReport => ({
  foreign_id,
  state: 'SUCCESS',
  sub_state: 'done',
  reason: null,
  transaction_hash: null,
  confirmations: null,
  fee: null,
  fee_asset: null,
})

type Listed = { id: string; amount?: string }

const find = (listed: readonly Listed[], change: Partial<TransferLookup> = {}) =>
  recognise(
    { ...LOOKUP, ...change },
    readCandidates(listed, ({ id, amount }) => {
      if (amount === undefined) throw new ApiError('VenueUnreachable', `${id} has no amount`)
      return { foreign_id: id, at: 2_000, alike: amount === '0.5', report: () => reportOf(id) }
    }),
    { name: 'the exchange', since: 0, asked_at: 100_000, absentAfter: 10 },
  )

const UNREAD = { lookup: 'unknown', reason: 'the exchange lists a withdrawal that cannot be read' }

test('one that the exchange has named is found beside a record that cannot be read', () => {
  assert.deepEqual(find([{ id: 'odd' }, { id: 'ours', amount: '0.5' }], { foreign_id: 'ours' }), {
    lookup: 'found',
    report: reportOf('ours'),
  })
  assert.deepEqual(find([{ id: 'ours' }], { foreign_id: 'ours' }), {
    lookup: 'unknown',
    reason: 'the exchange does not list ours',
  })
})

test('one without a name may be the record that cannot be read: neither found nor absent', () => {
  assert.deepEqual(find([]), { lookup: 'absent' })
  assert.deepEqual(find([{ id: 'odd' }]), UNREAD)
  assert.deepEqual(find([{ id: 'odd' }, { id: 'alike', amount: '0.5' }]), UNREAD)
})

test('one that is listed twice, as on two pages, is one', () => {
  const alike = { id: 'alike', amount: '0.5' }
  assert.deepEqual(find([alike, alike]), { lookup: 'found', report: reportOf('alike') })
  assert.deepEqual(find([alike, { ...alike, id: 'another' }]), {
    lookup: 'unknown',
    reason: 'the exchange lists 2 withdrawals that look like this one',
  })
})
