/** What a bank says of a file with several payments, and how it books the file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format } from '../../core/decimal.ts'
import { BARE, entryXml, notificationXml, withFiles } from './bank-files.testing.ts'
import {
  AT,
  batchXml,
  detailXml,
  DONE,
  FIRST,
  OTHER_BARE,
  SECOND,
  sendBoth,
  sharing,
  statesOf,
} from './shared-files.testing.ts'

/** About the file, its block, and payments by their ids; a `?` stands for one without. */
type Said = {
  group?: string
  block?: string
  code?: string
  payments?: [string, string][]
  /** The MsgId, where it is not that of the file. */
  message_id?: string
}

function reportXml(file_id: string, said: Said): string {
  const { group, block, code, payments = [], message_id = file_id } = said
  const why = code === undefined ? '' : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`
  const transactions = payments.map(([id, status]) => {
    const named = id === '?' ? '' : `<OrgnlEndToEndId>${id}</OrgnlEndToEndId>`
    return `<TxInfAndSts>${named}<TxSts>${status}</TxSts></TxInfAndSts>`
  })
  return [
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr/>',
    `<OrgnlGrpInfAndSts><OrgnlMsgId>${message_id}</OrgnlMsgId>`,
    group === undefined ? '' : `<GrpSts>${group}</GrpSts>${why}`,
    `</OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>${file_id}</OrgnlPmtInfId>`,
    block === undefined ? '' : `<PmtInfSts>${block}</PmtInfSts>`,
    ...transactions,
    '</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>',
  ].join('')
}

const MIXED: [string, string][] = [
  [BARE, 'RCVC'],
  [OTHER_BARE, 'RVNM'],
]

const REPORTS: [name: string, states: [string, string], ...said: Said[]][] = [
  ['the file is there', ['PENDING ACTC', 'PENDING ACTC'], { group: 'ACTC' }],
  ['the whole file is rejected', ['REJECTED RJCT', 'REJECTED RJCT'], { group: 'RJCT' }],
  ['its block is rejected', ['REJECTED RJCT', 'REJECTED RJCT'], { group: 'ACTC', block: 'RJCT' }],
  [
    'its block is rejected, which a gateway has put into a message of its own',
    ['REJECTED RJCT', 'REJECTED RJCT'],
    { block: 'RJCT', message_id: 'GATEWAY-1' },
  ],
  [
    'the file is executed, and later one of its payments is rejected',
    ['PENDING ACSC', 'REJECTED RJCT'],
    { group: 'ACSC' },
    { payments: [[OTHER_BARE, 'RJCT']] },
  ],
  [
    'the file is rejected after a word about one of its payments',
    [
      'UNKNOWN RJCT the bank refused the whole file after it had gone on with this payment',
      'REJECTED RJCT',
    ],
    { payments: [[BARE, 'ACTC']] },
    { group: 'RJCT' },
  ],
  [
    'one of its payments is rejected, and only that one is listed',
    ['PENDING PART', 'REJECTED RJCT'],
    { group: 'PART', payments: [[OTHER_BARE, 'RJCT']] },
  ],
  [
    'one is rejected, and the block is PART',
    ['PENDING PART', 'REJECTED RJCT'],
    { block: 'PART', payments: [[OTHER_BARE, 'RJCT']] },
  ],
  [
    'one is executed and one rejected',
    ['SUCCESS ACSC', 'REJECTED RJCT'],
    {
      payments: [
        [BARE, 'ACSC'],
        [OTHER_BARE, 'RJCT'],
      ],
    },
  ],
  [
    'the file is refused as a repetition',
    [
      'UNKNOWN RJCT DU01 the bank reports this payment as a duplicate',
      'UNKNOWN RJCT DU01 the bank reports this payment as a duplicate',
    ],
    { group: 'RJCT', code: 'DU01' },
  ],
  [
    'a status names no payment',
    ['PENDING PART', 'PENDING PART'],
    { group: 'PART', payments: [['?', 'RJCT']] },
  ],
  [
    'a payee does not match: both wait',
    ['PENDING_REVIEW RVCM', 'PENDING_REVIEW RVNM'],
    { group: 'RVCM', payments: MIXED },
  ],
  [
    'a payee does not match, and the file is canceled',
    ['CANCELED CANC', 'CANCELED CANC'],
    { group: 'RVCM', payments: MIXED },
    { group: 'CANC' },
  ],
  [
    'a payee does not match, and the file is released',
    ['PENDING ACCP', 'PENDING ACCP'],
    { group: 'RVCM', payments: MIXED },
    { group: 'ACCP' },
  ],
]

for (const [name, states, ...said] of REPORTS)
  test(`a status report: ${name}`, () =>
    withFiles(
      async (files, bank) => {
        const file_id = await sendBoth(files, bank)
        for (const [index, report] of said.entries())
          files.put(`${index}.xml`, reportXml(file_id, report))
        assert.deepEqual(await statesOf(bank), states)
        const { set_aside = [] } = (await bank.transfers?.outgoing?.(null)) ?? {}
        const nameless = said.some(({ payments }) => payments?.some(([id]) => id === '?'))
        assert.equal(set_aside.length, nameless ? 1 : 0)
      },
      { sharing },
    ))

const BOOKINGS: [name: string, states: string[], ...messages: ((file_id: string) => string)[]][] = [
  [
    'one by one',
    DONE,
    () => notificationXml(entryXml({ ref: 'A', sign: 'DBIT', amount: '10.10', at: AT, end: BARE })),
    () =>
      notificationXml(
        entryXml({ ref: 'B', sign: 'DBIT', amount: '20.20', at: AT, end: OTHER_BARE }),
      ),
  ],
  ['as one entry that shows no payment', DONE, (id) => batchXml(id, '30.30')],
  [
    'as one entry that shows one of them',
    DONE,
    (id) => batchXml(id, '30.30', detailXml(BARE, '10.10')),
  ],
  [
    'as one entry that shows one of them and does not say that there are more',
    DONE,
    () => batchXml('', '30.30', detailXml(BARE, '10.10')).replace(/<Btch>.*<\/Btch>/, ''),
  ],
  [
    'as one entry that shows both',
    DONE,
    (id) => batchXml(id, '30.30', detailXml(BARE, '10.10') + detailXml(OTHER_BARE, '20.20')),
  ],
  [
    'as one entry, whose only detail names the file alone',
    DONE,
    (id) =>
      batchXml(
        '',
        '30.30',
        detailXml('NOTPROVIDED', '30.30', `<PmtInfId>${id}</PmtInfId>`),
      ).replace(/<Btch>.*<\/Btch>/, ''),
  ],
  [
    'as one entry of those that were not rejected',
    ['SUCCESS BOOK', 'REJECTED RJCT'],
    (id) => reportXml(id, { group: 'PART', payments: [[OTHER_BARE, 'RJCT']] }),
    (id) => batchXml(id, '10.10'),
  ],
  [
    'as one entry of all of them, though one was rejected',
    ['SUCCESS BOOK', 'UNKNOWN RJCT the bank reports the payment as both rejected and booked'],
    (id) => reportXml(id, { group: 'PART', payments: [[OTHER_BARE, 'RJCT']] }),
    (id) => batchXml(id, '30.30'),
  ],
]

for (const [name, states, ...messages] of BOOKINGS)
  test(`booked ${name}`, () =>
    withFiles(
      async (files, bank) => {
        const file_id = await sendBoth(files, bank)
        for (const [index, write] of messages.entries()) files.put(`${index}.xml`, write(file_id))
        assert.deepEqual(await statesOf(bank), states)
        const { movements = [], set_aside } = (await bank.transfers?.outgoing?.(null)) ?? {}
        assert.deepEqual(set_aside, [])
        const moved = movements.map(({ external_id, quantity }) => [external_id, format(quantity)])
        const both = [
          [FIRST.external_id, '10.1'],
          [SECOND.external_id, '20.2'],
        ]
        assert.deepEqual(moved, states[1]?.startsWith('REJECTED') ? both.slice(0, 1) : both)
      },
      { sharing },
    ))

test('an entry of another amount is not booked, until a rejection explains it', () =>
  withFiles(
    async (files, bank) => {
      const { transfers } = bank
      const file_id = await sendBoth(files, bank)
      files.put('1.xml', batchXml(file_id, '10.10'))
      const why = 'the bank booked 10.1 for a file whose payments are 30.3 together'
      assert.deepEqual(await statesOf(bank), [`UNKNOWN BOOK ${why}`, `UNKNOWN BOOK ${why}`])
      const first = await transfers?.outgoing?.(null)
      const [record] = first?.set_aside ?? []
      assert.deepEqual([first?.movements, record?.reason], [[], why])
      assert.ok(record)
      assert.deepEqual(await transfers?.reread?.(record), { still: why })

      files.put('2.xml', reportXml(file_id, { payments: [[OTHER_BARE, 'RJCT']] }))
      assert.deepEqual(await statesOf(bank), ['SUCCESS BOOK', 'REJECTED RJCT'])
      const next = await transfers?.outgoing?.(first?.cursor ?? null)
      const named = next?.movements.map(({ foreign_id, external_id }) => [foreign_id, external_id])
      assert.deepEqual([named, next?.set_aside], [[['B1', FIRST.external_id]], []])
      const again = await transfers?.reread?.(record)
      assert.ok(again !== undefined && 'outgoing' in again)
      assert.deepEqual(
        again.outgoing.map(({ external_id }) => external_id),
        [FIRST.external_id],
      )
    },
    { sharing },
  ))

test('a file that is rejected, and was booked with another amount, waits for a person', () =>
  withFiles(
    async (files, bank) => {
      const file_id = await sendBoth(files, bank)
      files.put('1.xml', batchXml(file_id, '10.10'))
      files.put('2.xml', reportXml(file_id, { group: 'RJCT' }))
      const state =
        'UNKNOWN RJCT the bank booked 10.1 for a file whose payments are 30.3 together, ' +
        'and reports the file as rejected'
      assert.deepEqual(await statesOf(bank), [state, state])
    },
    { sharing },
  ))

test('an entry of another amount that is only announced says nothing', () =>
  withFiles(
    async (files, bank) => {
      const file_id = await sendBoth(files, bank)
      files.put('1.xml', batchXml(file_id, '10.10').replace('>BOOK<', '>PDNG<'))
      assert.deepEqual(await statesOf(bank), ['PENDING WAITING', 'PENDING WAITING'])
      const read = await bank.transfers?.outgoing?.(null)
      assert.deepEqual([read?.movements, read?.set_aside], [[], []])
    },
    { sharing },
  ))

test('one payment with a price in its entry says nothing of the others in its file', () =>
  withFiles(
    async (files, bank) => {
      await sendBoth(files, bank)
      const entry = batchXml('', '15.00', detailXml(BARE, '10.10'))
      files.put('1.xml', entry.replace(/<Btch>.*<\/Btch>/, ''))
      assert.deepEqual(await statesOf(bank), [
        'UNKNOWN BOOK the bank booked 15 instead of 10.1',
        'PENDING WAITING',
      ])
    },
    { sharing },
  ))
