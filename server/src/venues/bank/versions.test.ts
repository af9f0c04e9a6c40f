/**
 * Every version of camt.052, camt.053 and camt.054 says the same in its own places. In .02 a bank
 * is named by BIC, later by BICFI; its charge is an amount, later a record; the payment's amount is
 * among the details, later before them. Up to .06 the status and the parties stand plain, later one
 * element deeper.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format } from '../../core/decimal.ts'
import { IBAN, PAYEE } from './bank-files.testing.ts'
import { ENTRY_KINDS, readBankMessage, type EntryKind } from './messages.ts'
import { mustBeValidIfKnown } from './schemas.testing.ts'

const ROOTS: Record<EntryKind, [root: string, part: string]> = {
  'camt.052': ['BkToCstmrAcctRpt', 'Rpt'],
  'camt.053': ['BkToCstmrStmt', 'Stmt'],
  'camt.054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
}
const FIRST = 2
const LAST = 13

const nameOf = (kind: EntryKind, version: number): string =>
  `${kind}.001.${String(version).padStart(2, '0')}`

function messageXml(kind: EntryKind, version: number): string {
  const [root, part] = ROOTS[kind]
  const name = nameOf(kind, version)
  const isOld = version <= 6
  const party = isOld ? '<Nm>Alice</Nm>' : '<Pty><Nm>Alice</Nm></Pty>'
  const bic = version === 2 ? 'BIC' : 'BICFI'
  const charge =
    version === 2
      ? '<Chrgs><Amt Ccy="EUR">1.00</Amt></Chrgs>'
      : '<Chrgs><Rcrd><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs>'
  const amount =
    version === 2
      ? '<AmtDtls><TxAmt><Amt Ccy="EUR">4.00</Amt></TxAmt></AmtDtls>'
      : '<Amt Ccy="EUR">4.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>'
  const balance =
    kind === 'camt.054'
      ? ''
      : '<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">95.00</Amt>' +
        '<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-21</Dt></Dt></Bal>'
  return [
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${name}"><${root}>`,
    '<GrpHdr><MsgId>M</MsgId><CreDtTm>2026-11-21T12:00:00</CreDtTm></GrpHdr>',
    `<${part}><Id>1</Id><CreDtTm>2026-11-21T12:00:00</CreDtTm>`,
    `<Acct><Id><IBAN>${IBAN}</IBAN></Id></Acct>${balance}`,
    '<Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>',
    `<Sts>${isOld ? 'BOOK' : '<Cd>BOOK</Cd>'}</Sts><BookgDt><Dt>2026-11-21</Dt></BookgDt>`,
    '<AcctSvcrRef>R</AcctSvcrRef><BkTxCd/><NtryDtls><TxDtls>',
    `<Refs><EndToEndId>E</EndToEndId><TxId>T</TxId></Refs>${amount}${charge}`,
    `<RltdPties><Cdtr>${party}</Cdtr>`,
    `<CdtrAcct><Id><IBAN>${PAYEE}</IBAN></Id></CdtrAcct></RltdPties>`,
    `<RltdAgts><CdtrAgt><FinInstnId><${bic}>OTHRATWW</${bic}></FinInstnId></CdtrAgt></RltdAgts>`,
    '<RmtInf><Ustrd>text</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>',
    `</${part}></${root}></Document>`,
  ].join('\n')
}

for (const kind of ENTRY_KINDS)
  test(`${kind}.001.02 to .13 say the same`, async () => {
    for (let version = FIRST; version <= LAST; version += 1) {
      const xml = messageXml(kind, version)
      await mustBeValidIfKnown(nameOf(kind, version), xml)
      const message = readBankMessage(xml, { number: IBAN, currency: 'EUR' })
      assert.deepEqual(message.unread, [], `version ${version}`)
      assert.deepEqual(
        message.statements.map(({ closing }) => format(closing)),
        kind === 'camt.054' ? [] : ['95'],
      )
      const [entry, ...further] = message.entries
      assert.deepEqual(further, [])
      assert.deepEqual(
        entry?.parts.map((part) => ({
          quantity: format(part.quantity),
          charge: part.charge,
          booked: part.booked,
          names: [part.end_to_end_id, part.transaction_id],
          counterparty: part.counterparty,
          text: part.reference_text,
        })),
        ['4', '1'].map((quantity) => ({
          quantity,
          charge: quantity === '1',
          booked: true,
          names: ['E', 'T'],
          counterparty: { name: 'Alice', iban: PAYEE, bic: 'OTHRATWW' },
          text: 'text',
        })),
        `version ${version}`,
      )
    }
  })
