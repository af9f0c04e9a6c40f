/** People sign in by a provider, at its own page, and come back. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { CLIENT, startProvider } from '../../server/src/access/providers/provider.testing.ts'
import type { Person } from '../../server/src/access/providers/provider.testing.ts'
import { openForTests, seriousFindings } from './browser.ts'
import { press } from './hands.ts'

const { here, skip } = await openForTests({
  KONTOR_SIGN_IN_NETWORKS: '127.0.0.1/32',
  KONTOR_SIGN_IN_PLAIN: 'on',
})

describe('signing in by a provider', { skip }, () => {
  const people = new Map<string, Person>([
    ['nora', { email: 'nora@example.com', groups: ['desk'] }],
    ['otto', { email: 'otto@example.com', groups: ['canteen'] }],
  ])

  it('begins at a button, goes on at the provider, and ends here', async () => {
    const provider = await startProvider({ people })
    after(() => provider.close())
    const declared = await here.kontor.post('/sign-in-providers', {
      body: {
        ...CLIENT,
        label: 'Company account',
        issuer: provider.issuer,
        scopes: ['groups'],
        roles_claim: 'groups',
        role_mapping: [{ value: 'desk', role: 'TRADER' }],
        listed: true,
        creates_users: true,
      },
    })
    assert.equal(declared.redirect_uri, `${here.url}/signed-in/${declared.id}`)
    provider.enter(declared.redirect_uri)
    const page = await here.page({ out: true })
    await page.getByRole('button', { name: 'Sign in by Company account' }).waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    await press(page, 'Sign in by Company account')
    await page.getByLabel('Account').fill('nora')
    await press(page, 'Sign in')
    await page.getByRole('navigation').waitFor()
    await page.reload()
    await page.getByRole('navigation').waitFor()
    // The provider knows her, and asks all the same.
    await page.goto(`${declared.sign_in_address}?again=true`)
    await page.getByLabel('Account').fill('nora')
    await press(page, 'Sign in')
    await page.getByRole('navigation').waitFor()

    const other = await here.page({ out: true })
    await other.goto(declared.sign_in_address ?? '')
    await other.getByLabel('Account').fill('otto')
    await press(other, 'Sign in')
    await other.getByText('the claim groups has none of the values').waitFor()
    assert.deepEqual(await seriousFindings(other), [])
    await press(other, 'To the login')
    await other.getByLabel('E-mail').waitFor()
  })
})
