/** What an entry and its payments were worth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format } from '../../core/decimal.ts'
import { BARE, IBAN, lookup, notificationXml, order, withFiles } from './bank-files.testing.ts'
import { readBankMessage } from './messages.ts'

type Whole = { sign: string; amount: string; details: string; extra?: string }

const entry = ({ sign, amount, details, extra = '' }: Whole) =>
  [
    `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts>BOOK</Sts>`,
    `<BookgDt><Dt>2026-11-21</Dt></BookgDt><AcctSvcrRef>B</AcctSvcrRef>${extra}`,
    `<NtryDtls>${details}</NtryDtls></Ntry>`,
  ].join('')

/** Its amount as versions up to .02 write it, and as later ones do. */
const old = (amount: string, currency = 'EUR', extra = '') =>
  `<TxDtls><AmtDtls><TxAmt><Amt Ccy="${currency}">${amount}</Amt></TxAmt></AmtDtls>` +
  `${extra}</TxDtls>`
const payment = (amount: string, sign: string) =>
  `<TxDtls><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd></TxDtls>`
const oldCharge = (amount: string) => `<Chrgs><Amt Ccy="EUR">${amount}</Amt></Chrgs>`
const charge = (amount: string, sign = 'DBIT') =>
  `<Rcrd><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd></Rcrd>`

const CASES: [name: string, whole: Whole, parts: string[]][] = [
  [
    'a batch that shows all of its payments',
    { sign: 'CRDT', amount: '3.00', details: old('1.00') + old('2.00') },
    ['CRDT 1', 'CRDT 2'],
  ],
  [
    'a batch that shows one of its payments',
    { sign: 'DBIT', amount: '4', details: `<Btch><NbOfTxs>4</NbOfTxs></Btch>${old('1.00')}` },
    ['DBIT 4'],
  ],
  [
    'a batch that shows some of its payments',
    { sign: 'DBIT', amount: '4.00', details: old('1.00') + old('1.00') },
    ['DBIT 4'],
  ],
  [
    'a batch that shows none of its payments',
    { sign: 'CRDT', amount: '4.00', details: '<Btch><NbOfTxs>4</NbOfTxs></Btch>' },
    ['CRDT 4'],
  ],
  [
    'payments with another sign than their entry, whose sign counts',
    { sign: 'DBIT', amount: '3', details: payment('1', 'CRDT') + payment('2', 'CRDT') },
    ['DBIT 1', 'DBIT 2'],
  ],
  [
    'a batch of credits and debits, booked as what is left',
    { sign: 'CRDT', amount: '3', details: payment('5', 'CRDT') + payment('2', 'DBIT') },
    ['CRDT 5', 'DBIT 2'],
  ],
  [
    'a batch of credits, less what the bank took',
    {
      sign: 'CRDT',
      amount: '2.50',
      details: old('1.00', 'EUR', oldCharge('0.20')) + old('2.00', 'EUR', oldCharge('0.30')),
    },
    ['CRDT 1', 'CRDT 2', 'DBIT 0.5 charge'],
  ],
  [
    'a batch of debits, and what the bank took on top, some of which it gave back',
    {
      sign: 'DBIT',
      amount: '3.40',
      details: payment('1', 'DBIT') + payment('2', 'DBIT'),
      extra: `<Chrgs>${charge('0.50')}${charge('0.10', 'CRDT')}</Chrgs>`,
    },
    ['DBIT 1', 'DBIT 2', 'DBIT 0.4 charge'],
  ],
  [
    'a batch of payments in another currency',
    { sign: 'CRDT', amount: '5.00', details: old('3', 'USD') + old('2', 'USD') },
    ['CRDT 5'],
  ],
  [
    'a payment in another currency',
    { sign: 'CRDT', amount: '2120.00', details: old('3200.00', 'USD', oldCharge('20.00')) },
    ['CRDT 2120'],
  ],
  [
    'a payment that came in, less its charges: what arrived counts',
    { sign: 'CRDT', amount: '97.00', details: old('100.00', 'EUR', oldCharge('3.00')) },
    ['CRDT 97'],
  ],
  [
    'a returned debit with its charges',
    {
      sign: 'DBIT',
      amount: '53.00',
      details: old('50.00', 'EUR', oldCharge('3.00') + oldCharge('0.00')),
    },
    ['DBIT 50', 'DBIT 3 charge'],
  ],
]

for (const [name, whole, expected] of CASES)
  test(name, () => {
    const xml = notificationXml(entry(whole))
    const { entries, unread } = readBankMessage(xml, { number: IBAN, currency: 'EUR' })
    assert.deepEqual(
      entries
        .flatMap(({ parts }) => parts)
        .map((part) => `${part.direction} ${format(part.quantity)}${part.charge ? ' charge' : ''}`),
      expected,
    )
    assert.deepEqual(unread, [])
  })

test('the charge in the entry of our payment is its fee, and the amount is what was sent', () =>
  withFiles(async ({ put }, bank) => {
    await bank.transfers?.send(order())
    const named = `<Refs><EndToEndId>${BARE}</EndToEndId></Refs>${oldCharge('3.00')}`
    const details = old('1234.50', 'EUR', named)
    put('1.xml', notificationXml(entry({ sign: 'DBIT', amount: '1237.50', details })))
    const { movements } = (await bank.transfers?.outgoing?.(null)) ?? assert.fail()
    assert.deepEqual(
      movements.map(({ kind, foreign_id, external_id, quantity }) => [
        kind,
        foreign_id,
        external_id,
        format(quantity),
      ]),
      [
        ['TRANSFER', 'B', order().external_id, '1234.5'],
        ['CHARGE', 'B/charge', order().external_id, '3'],
      ],
    )
    const found = await bank.transfers?.find(lookup())
    assert.ok(found?.lookup === 'found')
    assert.equal(found.report.state, 'SUCCESS')
  }))

test('another amount than was sent is no success', () =>
  withFiles(async ({ put }, bank) => {
    await bank.transfers?.send(order())
    const details = old('40.00', 'EUR', `<Refs><EndToEndId>${BARE}</EndToEndId></Refs>`)
    put('1.xml', notificationXml(entry({ sign: 'DBIT', amount: '40.00', details })))
    const found = await bank.transfers?.find(lookup())
    assert.ok(found?.lookup === 'found')
    const { state, reason } = found.report
    assert.deepEqual(
      { state, reason },
      { state: 'UNKNOWN', reason: 'the bank booked 40 instead of 1234.5' },
    )
  }))

test('a payment that the bank booked as a batch of one is found by the id of the batch', () =>
  withFiles(async ({ put }, bank) => {
    await bank.transfers?.send(order())
    const details = `<Btch><PmtInfId>${BARE}</PmtInfId><NbOfTxs>1</NbOfTxs></Btch>`
    put('1.xml', notificationXml(entry({ sign: 'DBIT', amount: '1234.50', details })))
    const found = await bank.transfers?.find(lookup())
    assert.ok(found?.lookup === 'found')
    assert.equal(found.report.state, 'SUCCESS')
  }))
