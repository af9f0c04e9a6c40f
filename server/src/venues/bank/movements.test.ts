/** Movements of the account, which a bank reports in its own order and more than once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import {
  BARE,
  entryXml,
  IBAN,
  ID,
  lookup,
  notificationXml,
  PAYEE,
  statementXml,
  withFiles,
} from './bank-files.testing.ts'
import type { EntryOptions } from './bank-files.testing.ts'

/** A credit whose payer chose our reference as its id, and a return of our payment. */
function putCreditAndReturn(put: (name: string, xml: string) => void): void {
  put(
    '0001.xml',
    notificationXml(
      entryXml({
        ref: 'A',
        sign: 'CRDT',
        amount: '25000.00',
        at: '2026-11-21T10:00:00.123Z',
        end: BARE,
      }) + entryXml({ ref: 'B', sign: 'DBIT', amount: '1', at: '2026-11-21' }),
    ),
  )
  put(
    '0003.xml',
    notificationXml(
      entryXml({
        ref: 'C',
        sign: 'CRDT',
        amount: '1',
        at: '2026-11-21',
        end: BARE,
        extra: '<RtrInf><Rsn><Cd>AC01</Cd></Rsn></RtrInf>',
        status: 'BOOK',
      }),
    ),
  )
}

test('what comes in: no account where the bank writes that there is none', () =>
  withFiles(async ({ put }, bank) => {
    const xml = notificationXml(entryXml({ ref: 'N', sign: 'CRDT', amount: '5', at: '2026-11-21' }))
    const unnamed = '<Othr><Id>NOTPROVIDED</Id></Othr>'
    put('0001.xml', xml.replace(`<IBAN>${PAYEE}</IBAN>`, unnamed))
    const { movements = [] } = (await bank.transfers?.incoming(null)) ?? {}
    assert.deepEqual(
      movements.map(({ foreign_id, source_address }) => [foreign_id, source_address]),
      [['N', null]],
    )
  }))

test('what comes in: returns name our reference, payers cannot', () =>
  withFiles(async ({ put }, bank) => {
    putCreditAndReturn(put)
    const { movements = [] } = (await bank.transfers?.incoming(null)) ?? {}
    assert.deepEqual(
      movements.map((movement) => [
        movement.foreign_id,
        movement.related_external_id,
        movement.carried_external_id,
      ]),
      [
        ['A', null, ID],
        ['C', ID, ID],
      ],
    )
    assert.deepEqual(movements[0], {
      foreign_id: 'A',
      state: 'FINAL',
      wallet: IBAN,
      asset: 'EUR',
      protocol: 'SEPA',
      quantity: decimal('25000'),
      transaction_hash: null,
      output_index: null,
      source_address: PAYEE,
      destination_address: IBAN,
      tag: null,
      reference_text: 'CUST-1 second line',
      counterparty: { name: 'Alice', iban: PAYEE, bic: 'OTHRATWW' },
      confirmations: null,
      required_confirmations: null,
      related_external_id: null,
      carried_external_id: ID,
      value_date: null,
      occurred_at: Date.parse('2026-11-21T10:00:00.123Z'),
    })
  }))

test('what comes in is read once by cursor, also out of order', () =>
  withFiles(async ({ put }, bank) => {
    const transfers = bank.transfers
    assert.ok(transfers)
    putCreditAndReturn(put)
    const first = await transfers.incoming(null)
    assert.equal(first.movements.length, 2)
    put(
      '0002.xml',
      notificationXml(
        entryXml({
          ref: 'D',
          sign: 'CRDT',
          amount: '1',
          at: '2026-11-21',
          status: '<Cd>PDNG</Cd>',
        }),
      ),
    )
    const second = await transfers.incoming(first.cursor)
    assert.deepEqual(
      second.movements.map(({ foreign_id, state }) => ({ foreign_id, state })),
      [{ foreign_id: 'D', state: 'PENDING' }],
    )
    for (let n = 4; n < 200; n += 1)
      put(
        `${String(n).padStart(4, '0')}.xml`,
        notificationXml(entryXml({ ref: `N${n}`, sign: 'CRDT', amount: '1', at: '2026-11-21' })),
      )
    const { movements, cursor } = await transfers.incoming(second.cursor)
    assert.equal(movements.length, 196)
    assert.ok((cursor ?? '').length < 1000)
    assert.deepEqual(await transfers.incoming(cursor), { movements: [], set_aside: [], cursor })
  }))

test('an entry counts once: notified and stated in any order, as a sum or in parts', () =>
  withFiles(async ({ put }, bank) => {
    const { transfers } = bank
    assert.ok(transfers)
    const at = '2026-11-20T11:00:00Z'
    const batch = (details: string) =>
      [
        '<Ntry><Amt Ccy="EUR">3.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>',
        `<BookgDt><DtTm>${at}</DtTm></BookgDt>`,
        `<AcctSvcrRef>BATCH</AcctSvcrRef>${details}</Ntry>`,
      ].join('')
    const parts =
      '<NtryDtls><TxDtls><Amt Ccy="EUR">1.00</Amt></TxDtls>' +
      '<TxDtls><Amt Ccy="EUR">2.00</Amt></TxDtls></NtryDtls>'
    const booked = entryXml({ ref: 'A', sign: 'CRDT', amount: '10', at })
    put('01.xml', statementXml('100.00', '2026-11-20T10:00:00Z'))
    put('02.xml', notificationXml(booked + batch(parts)))
    put(
      '03.xml',
      notificationXml(
        entryXml({ ref: 'A', sign: 'CRDT', amount: '10', at, status: '<Cd>PDNG</Cd>' }),
      ),
    )
    const first = await transfers.incoming(null)
    assert.deepEqual(
      first.movements.map((movement) => ({
        foreign_id: movement.foreign_id,
        state: movement.state,
        quantity: format(movement.quantity),
      })),
      [
        { foreign_id: 'A', state: 'FINAL', quantity: '10' },
        { foreign_id: 'BATCH/1', state: 'FINAL', quantity: '1' },
        { foreign_id: 'BATCH/2', state: 'FINAL', quantity: '2' },
      ],
    )
    assert.deepEqual(
      (await bank.balances()).map((balance) => format(balance.total ?? 0n)),
      ['113'],
    )
    put('04.xml', statementXml('113.00', '2026-11-20T12:00:00Z', booked + batch('')))
    assert.deepEqual(
      (await transfers.incoming(first.cursor)).movements.map((movement) => movement.foreign_id),
      ['A', 'BATCH/1', 'BATCH/2'],
    )
    assert.deepEqual(
      (await bank.balances()).map((balance) => format(balance.total ?? 0n)),
      ['113'],
    )
  }))

test("a reversal takes its credit back: by reference, banks' id or its only payer", () =>
  withFiles(async ({ put }, bank) => {
    const { transfers } = bank
    assert.ok(transfers)
    const entry = (
      ref: string,
      sign: 'CRDT' | 'DBIT',
      amount: string,
      more: Partial<EntryOptions> = {},
    ) => entryXml({ ref, sign, amount, at: '2026-11-21T10:00:00Z', ...more })
    const back = { reversal: true }
    put('01.xml', statementXml('100.00', '2026-11-21T09:00:00Z'))
    put(
      '02.xml',
      notificationXml(
        ['A', 'B', 'C', 'D']
          .map((ref) =>
            entry(ref, 'CRDT', '5', {
              transaction: `T${ref}`,
              end: ref === 'C' ? 'PAYER-C' : 'SAME',
            }),
          )
          .join(''),
      ),
    )
    const first = await transfers.incoming(null)
    assert.deepEqual(
      first.movements.map((movement) => movement.state),
      ['FINAL', 'FINAL', 'FINAL', 'FINAL'],
    )
    put(
      '03.xml',
      notificationXml(
        entry('A', 'DBIT', '5', back) +
          entry('R1', 'DBIT', '5', { ...back, transaction: 'TB' }) +
          entry('R2', 'DBIT', '5', { ...back, end: 'PAYER-C' }) +
          entry('R3', 'DBIT', '4', { ...back, transaction: 'TD' }),
      ),
    )
    assert.deepEqual(
      (await transfers.incoming(first.cursor)).movements
        .map((movement) => [movement.foreign_id, movement.state])
        .toSorted(),
      [
        ['A', 'REVERSED'],
        ['B', 'REVERSED'],
        ['C', 'REVERSED'],
      ],
    )
    assert.deepEqual(
      (await transfers.outgoing?.(null))?.movements.map((movement) => ({
        foreign_id: movement.foreign_id,
        external_id: movement.external_id,
        quantity: format(movement.quantity),
      })),
      [{ foreign_id: 'R3', external_id: null, quantity: '4' }],
    )
    assert.deepEqual(
      (await bank.balances()).map((balance) => format(balance.total ?? 0n)),
      ['101'],
    )
  }))

test('the value date of an entry goes with all of its movements, and the first one stays', () =>
  withFiles(async ({ put }, bank) => {
    const { transfers } = bank
    assert.ok(transfers)
    const credit = { ref: 'V1', sign: 'CRDT', amount: '5', at: '2026-11-20' } as const
    const debit = {
      ref: 'V2',
      sign: 'DBIT',
      amount: '1234.5',
      at: '2026-11-20',
      end: BARE,
    } as const
    const valued = async () => {
      const found = await transfers.find(lookup())
      assert.equal(found.lookup, 'found')
      return [
        ...(await transfers.incoming(null)).movements.map((movement) => movement.value_date),
        ...((await transfers.outgoing?.(null))?.movements ?? []).map(
          ({ value_date }) => value_date,
        ),
        found.lookup === 'found' && found.report.value_date,
      ]
    }
    put('0001.xml', notificationXml(entryXml(credit) + entryXml({ ...debit, value: '2026-11-19' })))
    assert.deepEqual(await valued(), [null, '2026-11-19', '2026-11-19'])
    const entries = [
      entryXml({ ...credit, value: '2026-11-23' }),
      entryXml({ ...debit, value: '2026-11-21' }),
    ].join('')
    put('0002.xml', statementXml('0', '2026-11-20', entries))
    assert.deepEqual(await valued(), ['2026-11-23', '2026-11-19', '2026-11-19'])
  }))
