/** What is one entry and what are two, over all messages of a bank. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format } from '../../core/decimal.ts'
import type { Venue } from '../contract.ts'
import {
  entryXml,
  IBAN,
  notificationXml,
  PAYEE,
  statementXml,
  withFiles,
} from './bank-files.testing.ts'
import type { EntryOptions } from './bank-files.testing.ts'
import type { EntryKind } from './messages.ts'

const AT = '2026-11-20'
const NO_NAME = { ref: 'NONREF' }

const credit = (change: Partial<EntryOptions> = {}) =>
  entryXml({ ref: 'A', sign: 'CRDT', amount: '5.00', at: AT, ...change })
const statement = (entries: string, to = AT) => statementXml('100.00', to, entries)
const notice = (entries: string, id = '') => notificationXml(entries, IBAN, id)

/** Quantities by the beginning of their names, and how many records wait. */
async function readAll(bank: Venue) {
  const { transfers } = bank
  assert.ok(transfers?.outgoing)
  const [came, left] = [await transfers.incoming(null), await transfers.outgoing(null)]
  const movements = [...came.movements, ...left.movements]
  return {
    booked: movements
      .map(({ foreign_id, quantity }) => `${foreign_id.replace(/[~-].*/, '')} ${format(quantity)}`)
      .toSorted(),
    names: new Set(movements.map(({ foreign_id }) => foreign_id)).size,
    records: [...(came.set_aside ?? []), ...(left.set_aside ?? [])],
  }
}

test('without references two payments that look alike in one statement are two, for ever', () =>
  withFiles(async ({ put }, bank) => {
    const both = credit(NO_NAME) + credit(NO_NAME) + credit({ ref: 'NOTPROVIDED', amount: '6' })
    put('1.xml', statement(both))
    const first = await readAll(bank)
    assert.deepEqual(first.booked, ['entry 5', 'entry 5', 'entry 6'])
    assert.equal(first.names, 3)
    put('2.xml', statement(both + credit({ ref: 'B', amount: '7' })))
    put('3.xml', notice(credit(NO_NAME)))
    const { booked, records } = await readAll(bank)
    assert.deepEqual(booked, ['B 7', ...first.booked])
    assert.deepEqual(records, [])
  }))

test('without references the payer tells two payments apart, in whatever order they come', () =>
  withFiles(async ({ put }, bank) => {
    const bobs = credit(NO_NAME).replace('Alice', 'Bob').replace(PAYEE, 'FI2112345600000785')
    for (const [n, one] of [credit(NO_NAME), bobs].entries()) put(`${n}.xml`, notice(one, `M${n}`))
    const first = await readAll(bank)
    assert.deepEqual(first, { booked: ['entry 5', 'entry 5'], names: 2, records: [] })
    put('3.xml', statement(bobs + credit(NO_NAME)))
    assert.deepEqual(await readAll(bank), first)
  }))

test('without references a further notification waits until a statement shows two', () =>
  withFiles(async ({ put }, bank) => {
    put('1.xml', notice(credit(NO_NAME), 'M1'))
    put('2.xml', notice(credit(NO_NAME), 'M1'))
    assert.deepEqual((await readAll(bank)).records, [])
    put('3.xml', notice(credit(NO_NAME), 'M2'))
    const { booked, records } = await readAll(bank)
    assert.deepEqual(booked, ['entry 5'])
    const [record] = records
    assert.ok(record)
    assert.match(record.reason, /may be the payment that is booked as entry-/)
    put('4.xml', statement(credit(NO_NAME) + credit(NO_NAME)))
    const after = await readAll(bank)
    assert.deepEqual(after.booked, ['entry 5', 'entry 5'])
    assert.deepEqual(after.records, [])
    const reread = await bank.transfers?.reread?.(record)
    assert.ok(reread !== undefined && !('still' in reread))
  }))

test('one reference for several entries: sign and amount tell them apart', () =>
  withFiles(async ({ put }, bank) => {
    const run = [
      credit({ amount: '3.00' }),
      credit({ amount: '1.10' }),
      credit({ sign: 'DBIT', amount: '3.00', end: 'SOME', reversal: false, transaction: 'T9' }),
      credit({ amount: '3.00', reversal: true }),
    ]
    put('1.xml', notice(run[1] ?? ''))
    put('2.xml', statement(run.join('')))
    put('3.xml', notice(run[0] ?? ''))
    const { booked, names, records } = await readAll(bank)
    // The debit with the reference of the credit takes it back.
    assert.deepEqual(booked, ['A 1.1', 'A 3', 'A 3'])
    assert.equal(names, 3)
    assert.deepEqual(records, [])
  }))

test('what stands twice in one statement under one reference is booked once, and waits', () =>
  withFiles(async ({ put }, bank) => {
    put('1.xml', statement(credit() + credit() + credit({ transaction: 'T2', end: 'E2' })))
    const { booked, records } = await readAll(bank)
    assert.deepEqual(booked, ['A 5', 'A 5'])
    assert.deepEqual(
      records.map(({ direction, reason }) => ({ direction, reason })),
      [{ direction: 'IN', reason: 'the entry A stands twice in one message' }],
    )
  }))

const TWINS: [name: string, notified: Partial<EntryOptions>, stated: Partial<EntryOptions>][] = [
  ['with one EndToEndId', { ref: 'N', end: 'E' }, { ref: 'S', end: 'E', at: '2026-11-19' }],
  ['of one payer on one day', { ref: 'N' }, { ref: 'S' }],
  ['with one id between the banks', { ref: 'N', transaction: 'T' }, { ref: 'S', transaction: 'T' }],
  ['where only the statement has a reference', NO_NAME, { ref: 'S' }],
  ['where only the notification has one', { ref: 'N', at: '2026-11-18' }, NO_NAME],
]
for (const [name, notified, stated] of TWINS)
  test(`one payment under two names ${name} is booked once, and waits`, () =>
    withFiles(async ({ put }, bank) => {
      put('1.xml', notice(credit(notified)))
      put('2.xml', statement(credit(stated)))
      put('3.xml', statement(credit(stated)))
      const { booked, records } = await readAll(bank)
      assert.equal(booked.length, 1)
      const [record, ...further] = records
      assert.ok(record)
      assert.deepEqual(further, [])
      assert.match(record.reason, /may be the payment that is booked as/)
      assert.deepEqual(await bank.transfers?.reread?.(record), { still: record.reason })
    }))

test('two payments under two names are two where something tells them apart', () =>
  withFiles(async ({ put }, bank) => {
    const pairs: [Partial<EntryOptions>, Partial<EntryOptions>][] = [
      [{ end: 'E1' }, { end: 'E2' }],
      [{ transaction: 'T1' }, { transaction: 'T2' }],
      [{}, { at: '2026-11-19' }],
    ]
    for (const [n, [one, other]] of pairs.entries()) {
      const amount = `${n + 1}.00`
      put(`1${n}.xml`, notice(credit({ ref: `N${n}`, amount, ...one })))
      put(`2${n}.xml`, statement(credit({ ref: `S${n}`, amount, ...other })))
    }
    const { booked, records } = await readAll(bank)
    assert.deepEqual(booked, ['N0 1', 'N1 2', 'N2 3', 'S0 1', 'S1 2', 'S2 3'])
    assert.deepEqual(records, [])
  }))

test('a second notification of one payment waits; a statement that lists both books both', () =>
  withFiles(async ({ put }, bank) => {
    const one = credit({ ref: 'N1', transaction: 'T' })
    const other = credit({ ref: 'N2', transaction: 'T' })
    put('1.xml', notice(one, 'M1'))
    put('2.xml', notice(other, 'M2'))
    const before = await readAll(bank)
    assert.deepEqual(before.booked, ['N1 5'])
    const [record] = before.records
    assert.ok(record)
    put('3.xml', statement(one + other))
    const after = await readAll(bank)
    assert.deepEqual(after.booked, ['N1 5', 'N2 5'])
    assert.deepEqual(after.records, [])
    const reread = await bank.transfers?.reread?.(record)
    assert.ok(reread !== undefined && 'incoming' in reread)
    assert.deepEqual(
      reread.incoming.map(({ foreign_id }) => foreign_id),
      ['N2'],
    )
  }))

test('one reference in two notifications of different payments: the second one waits', () =>
  withFiles(async ({ put }, bank) => {
    put('1.xml', notice(credit({ transaction: 'T1' }), 'M1'))
    put('2.xml', notice(credit({ transaction: 'T2' }), 'M2'))
    const { booked, records } = await readAll(bank)
    assert.deepEqual(booked, ['A 5'])
    assert.equal(records.length, 1)
  }))

test('what was announced under another reference is booked once', () =>
  withFiles(async ({ put }, bank) => {
    put('1.xml', notice(credit({ ref: 'P', transaction: 'T', status: 'PDNG' })))
    put('2.xml', statement(credit({ ref: 'S', transaction: 'T' })))
    const { movements } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    assert.deepEqual(
      movements.map(({ foreign_id, state }) => [foreign_id, state]),
      [['P', 'FINAL']],
    )
  }))

const books = (...kinds: EntryKind[]) => ({ books: new Set(kinds) })

test('a profile by which only statements book: notifications are compared', () =>
  withFiles(async ({ put }, bank) => {
    put('1.xml', notice(credit({ ref: 'N', end: 'E' }) + credit({ ref: 'LOST', amount: '9' })))
    assert.deepEqual(await readAll(bank), { booked: [], names: 0, records: [] })
    put('2.xml', statement(credit({ ref: 'S', end: 'E' }), AT))
    const { booked, records } = await readAll(bank)
    assert.deepEqual(booked, ['S 5'])
    const [record, ...further] = records
    assert.ok(record)
    assert.deepEqual(further, [])
    assert.match(
      record.reason,
      /camt.054 shows this entry \(LOST\), and no camt.053 up to 2026-11-21/,
    )
    put('3.xml', statement(credit({ ref: 'S2', amount: '9' }), '2026-11-21'))
    assert.deepEqual((await readAll(bank)).booked, ['S 5', 'S2 9'])
    assert.deepEqual(await bank.transfers?.reread?.(record), { incoming: [], outgoing: [] })
  }, books('camt.053')))

test('a profile by which only notifications book: the statement tells the balance', () =>
  withFiles(async ({ put }, bank) => {
    put('1.xml', notice(credit({ ref: 'N' })))
    put('2.xml', statement(credit({ ref: 'S' }) + credit({ ref: 'LOST', amount: '9' }), AT))
    const { booked, records } = await readAll(bank)
    assert.deepEqual(booked, ['N 5'])
    assert.deepEqual(
      records.map(({ reason }) => reason),
      ['camt.053 shows this entry (LOST), and no camt.054 up to 2026-11-21 does: it is not booked'],
    )
    assert.deepEqual(
      (await bank.balances()).map(({ total }) => format(total ?? 0n)),
      ['100'],
    )
  }, books('camt.054')))

test('a statement of another account says nothing about what ours have shown', () =>
  withFiles(async ({ put }, bank) => {
    put('1.xml', notice(credit({ ref: 'N' })))
    const header = '<c:GrpHdr><c:CreDtTm>2026-11-25T12:00:00Z</c:CreDtTm></c:GrpHdr>'
    const next = statement('', '2026-11-24').replace('<c:Stmt>', `${header}<c:Stmt>`)
    put('2.xml', next.replaceAll(IBAN, PAYEE))
    assert.deepEqual((await readAll(bank)).records, [])
    put('3.xml', next)
    assert.equal((await readAll(bank)).records.length, 1)
  }, books('camt.053')))

const report = (entries: string) =>
  statement(entries).replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt').replaceAll('c:Stmt', 'c:Rpt')

test('a report within the day books only where the profile says so', async () => {
  const growing = [credit(NO_NAME), credit(NO_NAME) + credit(NO_NAME)]
  await withFiles(async ({ put }, bank) => {
    for (const [n, entries] of growing.entries()) put(`${n}.xml`, report(entries))
    assert.deepEqual(await readAll(bank), { booked: [], names: 0, records: [] })
    await assert.rejects(bank.balances(), {
      kind: 'VenueUnreachable',
      message: /it sends camt.052, which by its profile does not book/,
    })
  })
  await withFiles(async ({ put }, bank) => {
    for (const [n, entries] of growing.entries()) put(`${n}.xml`, report(entries))
    assert.deepEqual((await readAll(bank)).booked, ['entry 5', 'entry 5'])
    assert.equal((await bank.balances()).length, 1)
  }, books('camt.052'))
})

test('a reversal is one entry, whether or not a further message marks it', () =>
  withFiles(async ({ put }, bank) => {
    const back = { ref: 'R', sign: 'DBIT', at: '2026-11-21', transaction: 'TA' } as const
    put('1.xml', notice(credit({ transaction: 'TA' })))
    put('2.xml', notice(credit(back)))
    put('3.xml', statement(credit({ ...back, reversal: true }), '2026-11-21'))
    const { booked, records } = await readAll(bank)
    assert.deepEqual(booked, ['A 5'])
    assert.deepEqual(records, [])
  }))

test('a recall takes its credit back, whether or not it says what it is', () =>
  withFiles(async ({ put }, bank) => {
    const back = '<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>'
    const debit = (ref: string, change: Partial<EntryOptions>) =>
      credit({ ref, sign: 'DBIT', at: '2026-11-21', ...change })
    put(
      '1.xml',
      notice(
        credit({ ref: 'A', transaction: 'TA' }) +
          credit({ ref: 'B', amount: '6', end: 'PAYER' }) +
          credit({ ref: 'C', amount: '7', transaction: 'TC' }) +
          credit({ ref: 'D', amount: '8', transaction: 'TD' }),
      ),
    )
    put(
      '2.xml',
      notice(
        debit('R1', { transaction: 'TA', extra: back }) +
          debit('R2', { amount: '6', end: 'PAYER', extra: back }) +
          debit('R3', { amount: '7', transaction: 'TC' }) +
          debit('R4', { amount: '8', end: PAYEE }),
      ),
    )
    const { transfers } = bank
    const states = (await transfers?.incoming(null))?.movements
    assert.deepEqual(
      states?.map(({ foreign_id, state }) => [foreign_id, state]),
      [
        ['A', 'REVERSED'],
        ['B', 'REVERSED'],
        ['C', 'REVERSED'],
        ['D', 'FINAL'],
      ],
    )
    assert.deepEqual(
      (await transfers?.outgoing?.(null))?.movements.map(({ foreign_id }) => foreign_id),
      ['R4'],
    )
  }))
