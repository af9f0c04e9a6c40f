/** What leaves the account, as the bank reports it: our payments, others and charges. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BARE,
  entryXml,
  ID,
  lookup,
  notificationXml,
  order,
  withFiles,
} from './bank-files.testing.ts'

test('what leaves: ours by its reference, a second booking of it as another, charges apart', () =>
  withFiles(async ({ put }, bank) => {
    await bank.transfers?.send(order())
    const at = '2026-11-21T10:00:00Z'
    put(
      '01.xml',
      notificationXml(
        entryXml({ ref: 'CH', sign: 'DBIT', amount: '12.50', at, end: BARE, family: 'CHRG' }) +
          entryXml({ ref: 'P1', sign: 'DBIT', amount: '1234.50', at, end: BARE, family: 'XBCT' }),
      ),
    )
    put(
      '02.xml',
      notificationXml(
        entryXml({ ref: 'P2', sign: 'DBIT', amount: '1234.50', at, end: BARE }) +
          entryXml({ ref: 'P3', sign: 'DBIT', amount: '1', at, status: 'PDNG' }) +
          entryXml({ ref: 'C1', sign: 'CRDT', amount: '1', at }),
      ),
    )
    const { movements, cursor } = (await bank.transfers?.outgoing?.(null)) ?? assert.fail()
    const ours = {
      kind: 'TRANSFER',
      external_id: ID,
      state: 'SUCCESS',
      left: true,
      protocol: 'SEPA',
    }
    assert.deepEqual(
      movements.map((movement) => ({
        foreign_id: movement.foreign_id,
        kind: movement.kind,
        external_id: movement.external_id,
        state: movement.state,
        left: movement.left,
        protocol: movement.protocol,
      })),
      [
        { ...ours, foreign_id: 'CH', kind: 'CHARGE' },
        { ...ours, foreign_id: 'P1', protocol: 'FOREIGN' },
        { ...ours, foreign_id: 'P2', external_id: null },
        { ...ours, foreign_id: 'P3', external_id: null, state: 'PENDING', left: false },
      ],
    )
    assert.deepEqual((await bank.transfers?.outgoing?.(cursor))?.movements, [])
    const found = await bank.transfers?.find(lookup())
    assert.ok(found?.lookup === 'found')
    assert.deepEqual(
      { state: found.report.state, fee: found.report.fee },
      { state: 'SUCCESS', fee: 0n },
    )
  }))
