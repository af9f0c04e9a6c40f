/** What no payment can carry is refused with the route's field, before anything is requested. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../core/errors.ts'
import type { TransferFields } from '../../venues/index.ts'
import { assertDestination, textsAsSent, transferDetails } from './fields.ts'

const text = { type: 'string', required: false, description: '', characters: 'SEPA' } as const
const FIELDS: TransferFields = {
  from: [],
  to: [
    { ...text, name: 'name', maximum: 70 },
    { ...text, name: 'reference', maximum: 140 },
  ],
}

function refusalOf(work: () => void): string {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return `${error.details[0]?.code} ${error.message}`
  }
  return 'taken'
}

const NAMES: [name: string, answer: string][] = [
  ['Jörg Weiß & Söhne', 'taken'],
  ['é'.repeat(70), 'taken'],
  [
    'ß'.repeat(36),
    'RANGE transfer.to.name has 72 characters as it is sent, and at most 70 are possible',
  ],
  [
    'Αθηνά @ 株式会社 @',
    'FORMAT transfer.to.name has characters that a payment cannot carry: Α θ η ν α @ 株 式 会 社',
  ],
  ['\u0301', 'FORMAT transfer.to.name is blank in the characters of SEPA'],
]
for (const [name, answer] of NAMES)
  test(`a payee named ${JSON.stringify(name)}: ${answer}`, () => {
    assert.equal(
      refusalOf(() => transferDetails(FIELDS, { to: { name } })),
      answer,
    )
  })

test('texts that are sent in other characters are shown as they are sent', () => {
  const details = transferDetails(FIELDS, { to: { name: 'Jörg', reference: 'R 1' } })
  assert.deepEqual(details.to, { name: 'Jörg', reference: 'R 1' })
  assert.deepEqual(textsAsSent(FIELDS, details), { name: 'Joerg' })
})

test('a payment within SEPA reaches no account outside', () => {
  const address = 'BR1500000000000010932840814P2'
  const to = { asset: 'EUR', address, tag: null, tag_required: false }
  assert.equal(
    refusalOf(() => {
      assertDestination({ ...to, protocol: 'SEPA' })
    }),
    `INVALID_ADDRESS the destination's account ${address} is outside SEPA: ` +
      'it cannot be paid by SEPA',
  )
  assertDestination({ ...to, protocol: 'FOREIGN' })
})
