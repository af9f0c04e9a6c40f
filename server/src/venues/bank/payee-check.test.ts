/** What banks say about the payee's name, in the shapes that they are known to write. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BARE,
  entryXml,
  lookup,
  notificationXml,
  order,
  statusXml,
  withFiles,
} from './bank-files.testing.ts'

const AT = '2026-11-21T10:00:00Z'
const ALL_TEXTS =
  '<StsRsnInf><AddtlInf>RCVC The name matches.</AddtlInf>' +
  '<AddtlInf>RVNM The name does not match.</AddtlInf></StsRsnInf>'

/** The name that we sent. */
const OURS = '<OrgnlTxRef><Cdtr><Pty><Nm>Max Mustermann</Nm></Pty></Cdtr></OrgnlTxRef>'

/** With the explanation of every code beside the group's, and lines beside the payment's. */
function checkXml(group: string | null, payment: string | null, ...lines: string[]): string {
  const texts = lines.map((line) => `<AddtlInf>${line}</AddtlInf>`).join('')
  const beside = texts === '' ? '' : `<StsRsnInf>${texts}</StsRsnInf>`
  return statusXml(group, payment)
    .replace('</GrpSts>', `</GrpSts>${ALL_TEXTS}`)
    .replace('</TxSts>', `</TxSts>${beside}${OURS}`)
}

const ADVICE = 'release or cancel it at the bank'
const booked = notificationXml(
  entryXml({ ref: 'A', sign: 'DBIT', amount: '1234.50', at: AT, end: BARE }),
)

const CASES: [name: string, state: string, sub_state: string, reason: string | null, string[]][] = [
  ['a match of group and payment', 'PENDING', 'RCVC', null, [checkXml('RCVC', 'RCVC', 'A B')]],
  ['a match of the group alone', 'PENDING', 'RCVC', null, [checkXml('RCVC', null)]],
  ['a check that goes on', 'PENDING', 'RVNC', null, [checkXml('RVNC', null)]],
  [
    'no match',
    'PENDING_REVIEW',
    'RVNM',
    `the payee's name is not that of the account: ${ADVICE}`,
    [checkXml('RVCM', 'RVNM', 'No match')],
  ],
  [
    "a payment's code for the group",
    'PENDING_REVIEW',
    'RVNM',
    `the payee's name is not that of the account: ${ADVICE}`,
    [checkXml('RVMC', 'RVNM')],
  ],
  [
    'a close match',
    'PENDING_REVIEW',
    'RVMC',
    `the payee's name is almost that of the account (the bank says A. Bee): ${ADVICE}`,
    [checkXml('RVCM', 'RVMC', 'A. Bee')],
  ],
  [
    'a close match whose name is in quotes and in two lines',
    'PENDING_REVIEW',
    'RVMC',
    `the payee's name is almost that of the account (the bank says A. Bee and Company): ${ADVICE}`,
    [checkXml('RVCM', 'RVMC', '&quot;A. Bee and', 'Company&quot;')],
  ],
  [
    'a close match with explanations alone',
    'PENDING_REVIEW',
    'RVMC',
    `the payee's name is almost that of the account: ${ADVICE}`,
    [checkXml('RVCM', 'RVMC', 'RVMC The name is almost that.', 'RVNM The name does not match.')],
  ],
  [
    'a check that was not possible',
    'PENDING_REVIEW',
    'RVNA',
    `the payee's name could not be checked: ${ADVICE}`,
    [checkXml('RVCM', 'RVNA')],
  ],
  [
    'a mismatch of the group alone, misspelt',
    'PENDING_REVIEW',
    'RCVM',
    `the payee check found a mismatch: ${ADVICE}`,
    [checkXml('RCVM', null)],
  ],
  [
    'a receipt after the mismatch',
    'PENDING_REVIEW',
    'RVNM',
    `the payee's name is not that of the account: ${ADVICE}`,
    [checkXml('RVCM', 'RVNM'), statusXml('ACTC', null)],
  ],
  [
    'a release',
    'PENDING',
    'ACCP',
    null,
    [statusXml('RCVD', null), checkXml('RVCM', 'RVNM'), statusXml('ACCP', 'ACCP')],
  ],
  [
    'a cancellation, which the bank tells of the whole file',
    'CANCELED',
    'CANC',
    null,
    [checkXml('RVCM', 'RVNM'), statusXml('CANC', null)],
  ],
  [
    'a cancellation of the whole file, after a word about the payment',
    'CANCELED',
    'CANC',
    null,
    [statusXml('ACTC', 'ACTC'), checkXml('RVCM', 'RVNM'), statusXml('CANC', null)],
  ],
  [
    'a refusal of the whole file, after a word about the payment',
    'REJECTED',
    'RJCT',
    null,
    [statusXml('ACTC', 'ACTC'), checkXml('RVCM', 'RVNM'), statusXml('RJCT', null)],
  ],
  [
    'a refusal of a repetition after the mismatch',
    'PENDING_REVIEW',
    'RVNM',
    `the payee's name is not that of the account: ${ADVICE}`,
    [statusXml('ACTC', 'ACTC'), checkXml('RVCM', 'RVNM'), statusXml('RJCT', null, 'DU01')],
  ],
  [
    'a refusal of the whole file, where nothing is against the payee',
    'UNKNOWN',
    'RJCT',
    'the bank refused the whole file after it had gone on with this payment',
    [statusXml('ACSP', 'ACSP'), statusXml('RJCT', null)],
  ],
  [
    'an execution without another word',
    'SUCCESS',
    'BOOK',
    null,
    [checkXml('RVCM', 'RVNM'), booked],
  ],
]

for (const [name, state, sub_state, reason, messages] of CASES)
  test(`payee check: ${name}`, () =>
    withFiles(async ({ put }, bank) => {
      await bank.transfers?.send(order())
      for (const [index, xml] of messages.entries()) put(`${index}.xml`, xml)
      const found = await bank.transfers?.find(lookup())
      assert.ok(found?.lookup === 'found')
      const { report } = found
      assert.deepEqual(
        { state: report.state, sub_state: report.sub_state, reason: report.reason },
        { state, sub_state, reason },
      )
    }))
