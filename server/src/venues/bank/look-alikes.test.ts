/** Two files with one total: which entry stands for which. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { order, statementXml, withFiles } from './bank-files.testing.ts'
import { openBank } from './bank.ts'
import {
  AT,
  batchEntryXml,
  batchXml,
  FIRST,
  SECOND,
  sendBoth,
  sharing,
} from './shared-files.testing.ts'

type Work = Parameters<Parameters<typeof withFiles>[0]>

/** The ids of two files of one total. */
async function sendTwoFiles(...[files, bank]: Work): Promise<[string, string]> {
  const one = await sendBoth(files, bank)
  const further = ['c-1', 'c-2'].map((external_id, place) =>
    order({ external_id, quantity: [FIRST, SECOND][place]?.quantity ?? 0n }),
  )
  await Promise.all(further.map((payment) => bank.transfers?.send(payment)))
  const ids = readdirSync(files.outbox).filter((file) => /^F.*\.xml$/.test(file))
  const other = ids.map((file) => file.replace('.xml', '')).find((id) => id !== one) ?? ''
  return [one, other]
}

const TWO_FILES: [name: string, ...messages: ((one: string, other: string) => string)[]][] = [
  [
    'without references, in another order in each message',
    (one) => batchXml(one, '30.30', '', 'NONREF'),
    (one, other) =>
      statementXml(
        '100.00',
        AT,
        batchEntryXml(other, '30.30', '', 'NONREF') + batchEntryXml(one, '30.30', '', 'NONREF'),
      ),
    (one) => batchXml(one, '30.30', '', 'NONREF'),
  ],
  [
    'under one reference',
    (one) => batchXml(one, '30.30', '', 'RUN'),
    (_one, other) => batchXml(other, '30.30', '', 'RUN'),
    (one, other) =>
      statementXml(
        '100.00',
        AT,
        batchEntryXml(other, '30.30', '', 'RUN') + batchEntryXml(one, '30.30', '', 'RUN'),
      ),
  ],
]

for (const [name, ...messages] of TWO_FILES)
  test(`two files of one total ${name}: each is booked once`, () =>
    withFiles(
      async (files, bank) => {
        const [one, other] = await sendTwoFiles(files, bank)
        for (const [index, write] of messages.entries())
          files.put(`${index}.xml`, write(one, other))
        const { movements = [], set_aside } = (await bank.transfers?.outgoing?.(null)) ?? {}
        assert.deepEqual(
          movements.map(({ external_id }) => external_id).toSorted(),
          [SECOND.external_id, FIRST.external_id, 'c-1', 'c-2'].toSorted(),
        )
        assert.deepEqual(set_aside, [])
        assert.equal(new Set(movements.map(({ foreign_id }) => foreign_id)).size, 4)
      },
      { sharing },
    ))

test('a message that came late under an older name: the same names after a restart', () =>
  withFiles(
    async (files, bank) => {
      const namesOf = async (from: typeof bank) => {
        const { movements = [] } = (await from.transfers?.outgoing?.(null)) ?? {}
        return Object.fromEntries(
          movements.map(({ external_id, foreign_id }) => [external_id, foreign_id]),
        )
      }
      const [one, other] = await sendTwoFiles(files, bank)
      files.put('2.xml', batchXml(one, '30.30', '', 'NONREF'))
      await namesOf(bank)
      files.put('1.xml', batchXml(other, '30.30', '', 'NONREF'))
      const told = await namesOf(bank)
      assert.equal(Object.keys(told).length, 4)
      const restarted = await openBank(files.config, assert.fail)
      assert.deepEqual(await namesOf(restarted), told)
      await restarted.close()
    },
    { sharing },
  ))
