import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classicAddressToXAddress } from 'ripple-address-codec'
import { checkAba, checkAddress, checkBic, checkIban, type AddressCheck } from './addresses.ts'

const CLASSIC = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B'
const STELLAR = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'
const X_WITH_TAG = classicAddressToXAddress(CLASSIC, 42, false)

const TABLE: [AddressCheck, string, string, string, (string | null)?][] = [
  // result, asset, protocol, address, tag
  ['valid', 'BTC', 'BTC', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ['valid', 'BTC', 'BTC', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'],
  ['valid', 'BTC', 'BTC', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
  ['valid', 'BTC', 'BTC', 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'],
  ['invalid', 'BTC', 'BTC', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'],
  ['invalid', 'BTC', 'BTC', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp'],
  ['invalid', 'BTC', 'BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
  ['invalid', 'BTC', 'BTC', ' 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ['invalid', 'BTC', 'BTC', ''],
  ['valid', 'ETH', 'ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['valid', 'ETH', 'ETH', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
  ['valid', 'USDC', 'ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['invalid', 'USDC', 'ETH', '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['valid', 'LTC', 'LTC', 'LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9'],
  ['valid', 'LTC', 'LTC', 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea'],
  ['invalid', 'LTC', 'LTC', 'LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH8'],
  ['invalid', 'LTC', 'LTC', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
  ['valid', 'XLM', 'XLM', STELLAR],
  ['invalid', 'XLM', 'XLM', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGA'],
  ['valid', 'XLM', 'XLM', STELLAR, '18446744073709551615'],
  ['valid', 'XLM', 'XLM', STELLAR, 'for Alice'],
  ['valid', 'XLM', 'XLM', STELLAR, 'ab'.repeat(32)],
  ['invalid', 'XLM', 'XLM', STELLAR, 'a text of more than 28 bytes.'],
  ['invalid', 'ETH', 'ETH', '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['invalid', 'ETH', 'ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe'],
  ['valid', 'XRP', 'XRP', CLASSIC, '0'],
  ['valid', 'XRP', 'XRP', CLASSIC, '4294967295'],
  ['valid', 'XRP', 'XRP', CLASSIC, null],
  ['invalid', 'XRP', 'XRP', CLASSIC, '4294967296'],
  ['invalid', 'XRP', 'XRP', CLASSIC, '-1'],
  ['invalid', 'XRP', 'XRP', CLASSIC, '007'],
  ['invalid', 'XRP', 'XRP', CLASSIC.replace('B', 'C'), '1'],
  ['valid', 'XRP', 'XRP', X_WITH_TAG],
  ['valid', 'XRP', 'XRP', X_WITH_TAG, '42'],
  ['invalid', 'XRP', 'XRP', X_WITH_TAG, '43'],
  ['invalid', 'XRP', 'XRP', classicAddressToXAddress(CLASSIC, 42, true)],
  ['valid', 'EUR', 'SEPA', 'DE89370400440532013000'],
  ['invalid', 'EUR', 'SEPA', 'DE88370400440532013000'],
  ['invalid', 'EUR', 'SEPA', 'DE89 3704 0044 0532 0130 00'],
  ['invalid', 'EUR', 'SEPA', 'de89370400440532013000'],
  ['invalid', 'EUR', 'SEPA', 'BR1500000000000010932840814P2'],
  ['invalid', 'EUR', 'SEPA_INSTANT', 'BR1500000000000010932840814P2'],
  ['valid', 'EUR', 'FOREIGN', 'BR1500000000000010932840814P2'],
  ['valid', 'EUR', 'SEPA', 'GB29NWBK60161331926819'],
  ['valid', 'EUR', 'SEPA', 'AL35202111090000000001234567'],
  ['unchecked', 'ATOM', 'ATOM', 'cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh'],
  ['valid', 'EUR', 'FOREIGN', '123456789'],
  ['valid', 'EUR', 'FOREIGN', 'DE89370400440532013000'],
  ['invalid', 'EUR', 'FOREIGN', 'DE88370400440532013000'],
  ['valid', 'EUR', 'SEPA_INSTANT', 'DE89370400440532013000'],
  ['invalid', 'EUR', 'SEPA_INSTANT', '123456789'],
  ['invalid', 'EUR', 'FOREIGN', 'no account'],
  ['unchecked', 'XYZ', 'NO_SUCH_CHAIN', 'anything'],
]

for (const [expected, asset, protocol, address, tag] of TABLE) {
  const what = `${asset}/${protocol} ${JSON.stringify(address)} tag ${tag ?? 'none'}`
  test(`${what} is ${expected}`, () => {
    assert.equal(checkAddress({ asset, protocol, address, tag: tag ?? null }), expected)
  })
}

test('IBAN, BIC and ABA', () => {
  assert.deepEqual(
    ['GB29NWBK60161331926819', 'GB28NWBK60161331926819', 'DE8937040044053201300', 'XX00'].map(
      checkIban,
    ),
    ['valid', 'invalid', 'invalid', 'invalid'],
  )
  assert.deepEqual(['DEUTDEFF', 'DEUTDEFF500', 'DEUTDEF', 'deutdeff', ''].map(checkBic), [
    'valid',
    'valid',
    'invalid',
    'invalid',
    'invalid',
  ])
  assert.deepEqual(['021000021', '021000022', '21000021', '02100002A'].map(checkAba), [
    'valid',
    'invalid',
    'invalid',
    'invalid',
  ])
})
