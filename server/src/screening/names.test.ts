import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { normalAddress, normalBic, normalName } from './names.ts'

describe('a name is compared', () => {
  const same: [string, string, string][] = [
    ['without case', 'JONAS KELLER', 'jonas keller'],
    ['without accents', 'Søren Émile Łódź', 'Soren Emile Lodz'],
    ['with ß as ss', 'Strauß', 'STRAUSS'],
    ['in any order of words', 'KELLER, Jonas Maria', 'Jonas Maria Keller'],
    ['without punctuation', 'O’Neil (Trading) Co.', "O'NEIL TRADING CO"],
    ['with full stops left out', 'Example S.A.', 'EXAMPLE SA'],
    ['with hyphens as blanks', 'al-Erfunden', 'AL  ERFUNDEN'],
    ['in other scripts', 'Владимир Пример', 'ПРИМЕР, Владимир'],
    ['with letters joined to one', 'ﬁnance', 'FINANCE'],
  ]
  for (const [how, one, other] of same)
    it(how, () => {
      assert.equal(normalName(one), normalName(other))
    })

  const others: [string, string, string][] = [
    ['with another spelling', 'Mueller', 'Müller'],
    ['with a word more', 'Jonas Maria Keller', 'Jonas Keller'],
    ['with a word twice', 'Ali Ali', 'Ali'],
  ]
  for (const [how, one, other] of others)
    it(`${how} it is another`, () => {
      assert.notEqual(normalName(one), normalName(other))
    })

  it('of punctuation alone is none', () => {
    assert.equal(normalName(' -.- '), '')
  })
})

describe('an address', () => {
  it('of hexadecimal digits, of bech32, or an IBAN, has no case', () => {
    assert.equal(normalAddress('0xAB54A98CEB1F0AD2ab54a98ceb1f0ad2ab54a98c').slice(0, 6), '0xab54')
    assert.equal(
      normalAddress('BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ'),
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    )
    assert.equal(
      normalAddress('bitcoincash:qq3vlashthktqpeppuv7trmw070e3mydgq63zq348v'),
      'qq3vlashthktqpeppuv7trmw070e3mydgq63zq348v',
    )
    assert.equal(normalAddress('de89 3704 0044 0532 0130 00'), 'DE89370400440532013000')
  })

  it('of base58 has, as it tells addresses apart', () => {
    const address = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'
    assert.equal(normalAddress(` ${address} `), address)
    assert.notEqual(normalAddress(address.toLowerCase()), address)
  })

  it('of a bank: the head office has no branch', () => {
    assert.equal(normalBic(`invedeff ${'X'.repeat(3)}`), 'INVEDEFF')
    assert.equal(normalBic('INVEDEFF500'), 'INVEDEFF500')
  })
})
