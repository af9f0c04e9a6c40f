/** What the bank says about payments and balance: formats and accidents that the sandbox lacks. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { format } from '../../core/decimal.ts'
import {
  BARE,
  entryXml,
  lookup,
  notificationXml,
  order,
  PAYEE,
  statementXml,
  statusXml,
  withFiles,
} from './bank-files.testing.ts'
import type { EntryOptions } from './bank-files.testing.ts'

test('the state of a payment, from everything the bank may say', async (t) => {
  const debitOf = (amount: string) =>
    notificationXml(entryXml({ ref: 'R1', sign: 'DBIT', amount, at: '2026-11-21', end: BARE }))
  const debit = debitOf('1234.50')
  const less = debitOf('40.00')
  const pending = notificationXml(
    entryXml({
      ref: 'R1',
      sign: 'DBIT',
      amount: '1.00',
      at: '2026-11-21',
      end: BARE,
      status: 'PDNG',
    }),
  )
  const table: [string, string, string[]][] = [
    ['PENDING', 'WAITING', []],
    ['PENDING', 'RCVD', [statusXml('RCVD', null)]],
    ['PENDING', 'ACCP', [statusXml('RCVD', null), statusXml('ACCP', 'ACCP')]],
    ['PENDING', 'ACSP', [statusXml('PART', 'ACSP')]],
    ['SUCCESS', 'ACSC', [statusXml('ACCP', 'ACCP'), statusXml(null, 'ACSC')]],
    ['SUCCESS', 'ACSC', [statusXml(null, 'ACSC'), statusXml('ACCP', 'ACCP')]],
    ['SUCCESS', 'BOOK', [statusXml('ACCP', 'ACCP'), debit]],
    ['SUCCESS', 'BOOK', [debit]],
    ['PENDING', 'PDNG', [pending]],
    ['REJECTED', 'RJCT AC04', [statusXml('RJCT', null, 'AC04')]],
    ['REJECTED', 'RJCT AM04', [statusXml('ACCP', 'ACCP'), statusXml('RJCT', 'RJCT', 'AM04')]],
    ['CANCELED', 'CANC', [statusXml(null, 'CANC')]],
    ['PENDING', 'ACCP', [statusXml('ACCP', 'ACCP'), statusXml('RJCT', null, 'DU01')]],
    ['SUCCESS', 'BOOK', [statusXml('RJCT', 'RJCT', 'AM05'), debit]],
    ['UNKNOWN', 'RJCT DU01', [statusXml('RJCT', null, 'DU01')]],
    ['UNKNOWN', 'XXXX', [statusXml(null, 'XXXX')]],
    ['UNKNOWN', 'BOOK', [less]],
    ['UNKNOWN', 'BOOK', [statusXml(null, 'ACSC'), less]],
    ['UNKNOWN', 'RJCT AC04', [statusXml('RJCT', null, 'AC04'), debit]],
    ['UNKNOWN', 'RJCT AC04', [statusXml(null, 'ACSC'), statusXml(null, 'RJCT', 'AC04')]],
  ]
  for (const [n, [state, sub_state, messages]] of table.entries()) {
    await t.test(`${n} ${state} ${sub_state}`, () =>
      withFiles(async ({ put }, bank) => {
        assert.deepEqual(await bank.transfers?.find(lookup()), { lookup: 'absent' })
        await bank.transfers?.send(order())
        put('1-other.xml', statusXml('RJCT', 'RJCT', 'AC04', 'another'))
        for (const [position, xml] of messages.entries()) put(`2-${position}.xml`, xml)
        const found = await bank.transfers?.find(lookup())
        assert.ok(found?.lookup === 'found')
        assert.deepEqual(
          {
            state: found.report.state,
            sub_state: found.report.sub_state,
            foreign_id: found.report.foreign_id,
          },
          { state, sub_state, foreign_id: BARE },
        )
      }),
    )
  }
})

test('where the directories cannot be read nothing is claimed', () =>
  withFiles(async ({ outbox, inbox }, bank) => {
    renameSync(join(outbox, 'done'), join(outbox, 'gone'))
    assert.equal((await bank.transfers?.find(lookup()))?.lookup, 'unknown')
    assert.equal((await bank.transfers?.send(order()))?.outcome, 'unknown')
    assert.deepEqual(readdirSync(outbox), ['gone'])
    rmSync(inbox, { recursive: true })
    const unreachable = { kind: 'VenueUnreachable' }
    await assert.rejects(bank.balances(), unreachable)
    await assert.rejects(bank.transfers?.incoming(null) ?? Promise.resolve(), unreachable)
  }))

test('a link in the inbox is not followed, and holds up no other file', () =>
  withFiles(async ({ put, inbox, outbox }, bank) => {
    const hidden = join(outbox, 'hidden.xml')
    writeFileSync(hidden, 'the key')
    symlinkSync(hidden, join(inbox, '1.xml'))
    symlinkSync(join(outbox, 'nowhere'), join(inbox, '2.xml'))
    mkdirSync(join(inbox, '3.xml'))
    put(
      '4.xml',
      notificationXml(entryXml({ ref: 'A', sign: 'CRDT', amount: '1', at: '2026-11-21' })),
    )
    const { movements, set_aside } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    rmSync(hidden)
    assert.equal(movements.length, 1)
    assert.equal(set_aside?.length, 3)
    for (const { reason, raw } of set_aside) {
      assert.match(reason, /it is a link or a folder/)
      assert.doesNotMatch(raw, /the key/)
    }
    assert.deepEqual(readdirSync(inbox).toSorted(), ['4.xml', 'aside'])
  }))

test('the balance is the newest closing and what was booked since, each once', () =>
  withFiles(async ({ put, inbox, problems }, bank) => {
    const total = async () =>
      (await bank.balances()).map((balance) =>
        balance.total === null ? null : format(balance.total),
      )
    /** A debit has a minus. */
    const booked = (ref: string, amount: string, at: string, more: Partial<EntryOptions> = {}) =>
      entryXml({
        ref,
        sign: amount.startsWith('-') ? 'DBIT' : 'CRDT',
        amount: amount.replace('-', ''),
        at,
        ...more,
      })
    await assert.rejects(total(), { kind: 'VenueUnreachable' })
    put('01.xml', notificationXml(booked('A', '0.10', '2026-11-20T09:00:00Z')))
    put(
      '02.xml',
      statementXml('1000.10', '2026-11-20T10:00:00Z', booked('A', '0.10', '2026-11-20T09:00:00Z')),
    )
    assert.deepEqual(await total(), ['1000.1'])
    put('03.xml', notificationXml(booked('B', '0.20', '2026-11-20T10:00:00Z')))
    put('04.xml', notificationXml(booked('B', '0.20', '2026-11-20T10:00:00Z')))
    put('05.xml', notificationXml(booked('C', '-100.00', '2026-11-20T11:00:00Z')))
    put(
      '06.xml',
      notificationXml(booked('D', '-1.00', '2026-11-20T11:00:00Z', { status: '<Cd>PDNG</Cd>' })),
    )
    put('07.xml', notificationXml(booked('E', '-1.00', '2026-11-20T11:00:00Z'), PAYEE))
    assert.deepEqual(await total(), ['900.3'])
    put('08.xml', statementXml('900.30', '2026-11-20T12:00:00Z'))
    // An entry told late, that the older statement already held; and an older statement told again.
    put('09.xml', notificationXml(booked('A0', '7.00', '2026-11-20T08:00:00Z')))
    put('10.xml', statementXml('1000.10', '2026-11-20T10:00:00Z'))
    assert.deepEqual(await total(), ['900.3'])
    // A statement by date alone holds its day; entries by date alone count from the day after.
    put('11.xml', statementXml('5.00', '2026-11-21', '', 'DBIT'))
    put(
      '12.xml',
      notificationXml(booked('F', '1.00', '2026-11-21') + booked('G', '2.00', '2026-11-22')),
    )
    assert.deepEqual(await total(), ['-3'])
    put('13.xml', '<Document><broken')
    assert.deepEqual(await total(), [null])
    assert.equal(problems.length, 1)
    assert.deepEqual(await total(), [null])
    assert.equal(problems.length, 1, 'said once')
    assert.deepEqual(readdirSync(join(inbox, 'aside')), ['13.xml'])
    put('14.xml', statementXml('8.00', '2026-11-23'))
    assert.deepEqual(await total(), ['8'])
  }))

test('a file that is no message is moved aside with a reason and holds up nobody', () =>
  withFiles(async ({ put, problems, inbox }, bank) => {
    const entry = (ref: string) =>
      notificationXml(entryXml({ ref, sign: 'CRDT', amount: '1.00', at: '2026-11-21' }))
    const bad = [
      'hello',
      '<Document><Other/></Document>',
      '<!DOCTYPE x [<!ENTITY a "b">]><Document/>',
      '<?xml version="1.0" encoding="klingon"?><Document/>',
    ]
    for (const [n, xml] of bad.entries()) put(`bad-${n}.xml`, xml)
    put('a.xml', entry('first'))
    put('z.xml', entry('last'))
    writeFileSync(join(inbox, 'notes.txt'), 'not a message')
    const { movements, set_aside, cursor } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    assert.deepEqual(
      movements.map((movement) => movement.foreign_id),
      ['first', 'last'],
    )
    assert.equal(problems.length, bad.length, problems.join('\n'))
    assert.deepEqual(
      set_aside?.map(({ foreign_id, direction, raw }) => [foreign_id, direction, JSON.parse(raw)]),
      bad.map((xml, n) => [
        `file-bad-${n}.xml`,
        null,
        { file: `bad-${n}.xml`, xml: n === 3 ? null : xml },
      ]),
    )
    assert.deepEqual(await bank.transfers?.incoming(cursor), {
      movements: [],
      set_aside: [],
      cursor,
    })
  }))
