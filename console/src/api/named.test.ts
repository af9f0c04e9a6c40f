import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSought, namedOf, nameWords } from './named.ts'

const [FIRST, SECOND] = [
  '01a3185c-5000-7242-88be-0fa6705c66c8',
  '01a3185c-5000-7243-996e-1de221c508be',
] as const
const customer = (id: string, foreign_id: string | null) =>
  namedOf({ id, foreign_id }, { name: 'Anna Meier', of: 'customer' })
const [first, second] = [customer(FIRST, 'CRM-1'), customer(SECOND, null)]

describe('customers of one name', () => {
  it('are told by reference and the end of the id', () => {
    assert.equal(nameWords(first), 'Anna Meier · CRM-1 · …5c66c8')
    assert.equal(nameWords(second), 'Anna Meier · …c508be')
  })

  it('and so are their accounts, whatever these are called', () => {
    const account = (name: string, holder?: typeof first) =>
      nameWords(
        namedOf(
          { id: '01a3185c-5000-7250-8000-00000000acc0', foreign_id: 'OLD-1', customer_id: FIRST },
          { name, of: 'account', holder },
        ),
      )
    assert.equal(account('Anna Meier', first), 'Anna Meier · CRM-1 · …5c66c8')
    assert.equal(account('Savings', first), 'Savings · Anna Meier · CRM-1 · …5c66c8')
    assert.equal(account('Savings'), 'Savings · OLD-1 · …5c66c8', 'who may not see customers')
  })

  it('are found by name, reference and id, in any order', () => {
    for (const typed of ['meier', 'crm anna', 'CRM-1', '…5c66c8', FIRST, 'Meier · …5C66C8', ''])
      assert.ok(isSought(typed, first), typed)
    for (const typed of ['meier crm', '5c66c8', 'bob']) assert.ok(!isSought(typed, second), typed)
  })

  it('other records have their name alone', () => {
    const venue = namedOf({ id: FIRST, foreign_id: 'x' }, { name: 'Kraken', of: 'venue' })
    assert.equal(nameWords(venue), 'Kraken')
    const account = namedOf(
      { id: SECOND, customer_id: null },
      { name: 'Bank charges', of: 'account' },
    )
    assert.equal(nameWords(account), 'Bank charges')
  })
})
