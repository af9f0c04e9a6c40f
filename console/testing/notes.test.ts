/** Comments, tags and files on records, seen by colleagues as they are written. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import {
  COLOUR_RULES,
  openForTests,
  PATIENCE_MILLISECONDS,
  seriousFindings,
  until,
} from './browser.ts'
import { choose, dialog, go, press } from './hands.ts'

const { here, skip } = await openForTests()
const COLLEAGUE = { email: 'tara@example.com', password: 'a password for Tara' }

describe('notes on a record', { skip }, () => {
  let page: Page
  let colleague: Page
  let path: string

  before(async () => {
    await here.kontor.post('/users', {
      body: {
        ...COLLEAGUE,
        name: 'Tara Treasurer',
        roles: ['TREASURER'],
        must_change_password: false,
      },
    })
    await until('the customers of the demo are there', PATIENCE_MILLISECONDS, async () => {
      const customers = await here.kontor.get('/customers')
      const jonas = customers.find(({ label }) => label === 'Jonas Keller')
      path = `/customers/${jonas?.id}`
      return jonas !== undefined
    })
    page = await here.page({ path: `${path}#notes` })
    colleague = await here.page({ ...COLLEAGUE, path: `${path}#notes` })
  })
  const record = (of: Page) => dialog(of, 'Customer')
  const part = (of: Page, name: string) => record(of).getByRole('region', { name })

  it('are a comment that mentions a colleague, who sees it at once', async () => {
    await part(colleague, 'Comments').getByText('No comments yet').waitFor()
    const comment = part(page, 'Comments').getByRole('textbox', { name: 'New comment' })
    await comment.click()
    await comment.pressSequentially('Please call him, @Tara')
    await page.getByRole('menuitem', { name: 'Tara Treasurer' }).click()
    await press(part(page, 'Comments'), 'Comment')
    await part(colleague, 'Comments').getByText('Please call him, @Tara Treasurer').waitFor()
    await record(colleague).getByRole('tab', { name: 'Notes (1)' }).waitFor()
    const [written] = (
      await here.kontor.get('/notes/{kind}/{record_id}', {
        params: { kind: 'customer', record_id: path.split('/')[2] ?? '' },
      })
    ).comments
    assert.equal(written?.mentions.length, 1)
    assert.equal(await part(colleague, 'Comments').getByText('Delete').count(), 0)
  })

  it('ring the bell of the colleague, who reads it and chooses what to be told', async () => {
    await go(colleague, '/overview')
    const bell = (name: RegExp) => colleague.getByRole('button', { name })
    await bell(/^Notifications: \d+ not read$/).click()
    const told = colleague.getByRole('region', { name: 'Notifications' })
    await told.getByText('Jonas Keller').waitFor()
    assert.deepEqual(await seriousFindings(colleague), [])
    const mention = told.getByRole('listitem').filter({ hasText: 'mentions you in a comment' })
    const isRead = colleague.waitForResponse((response) =>
      response.url().endsWith('/notifications/read'),
    )
    await mention.getByRole('link').click()
    await part(colleague, 'Comments').waitFor()
    assert.equal((await isRead).status(), 200)
    await go(colleague, '/overview')
    await bell(/^Notifications/).click()
    await mention.waitFor()
    assert.equal(await mention.getByRole('button', { name: 'Mark as read' }).count(), 0)
    await told.getByRole('button', { name: 'Preferences' }).click()
    const form = dialog(colleague, 'Notification settings')
    await form.getByText('A deposit has no owner').waitFor()
    assert.deepEqual(await seriousFindings(colleague), [])
    await choose(form.getByLabel('A deposit has no owner'), 'Not at all')
    await press(form, 'Save')
    await form.waitFor({ state: 'hidden' })
    await go(colleague, `${path}#notes`)
  })

  it('are tags, which the list shows in a column', async () => {
    await part(colleague, 'Tags').getByRole('textbox', { name: 'New tag' }).fill('Urgent')
    await press(part(colleague, 'Tags'), 'Add tag')
    await part(page, 'Tags').getByText('urgent').waitFor()
    await go(page, `${path}?columns=label,tags#notes`)
    const rows = page.locator('.grid-scroller')
    await rows.getByText('urgent').waitFor()
    await go(page, '/customers')
    await rows.locator('tr.opens').nth(1).waitFor()
    await page.getByRole('textbox', { name: 'Tag', exact: true }).fill('Urgent')
    await page.keyboard.press('Enter')
    await until(
      'one row is left',
      PATIENCE_MILLISECONDS,
      async () => (await rows.locator('tr.opens').count()) === 1,
    )
    await go(page, `${path}?columns=label,tags&tag=urgent#notes`)
    await rows.getByText('urgent').waitFor()
    await part(colleague, 'Tags').getByRole('button', { name: 'Remove the tag urgent' }).click()
    await page.locator('.grid-scroller').getByText('urgent').waitFor({ state: 'detached' })
  })

  it('are no tags of two words: nothing that was typed is cut', async () => {
    const tags = part(colleague, 'Tags')
    const field = tags.getByRole('textbox', { name: 'New tag' })
    await field.fill('call back')
    await press(tags, 'Add tag')
    await tags.getByText('A tag is one word: write call-back').waitFor()
    assert.equal(await field.inputValue(), 'call back')
    assert.equal(await tags.getByRole('listitem').count(), 0)
    await field.fill('')
  })

  it('are files, which are downloaded as they were attached', async () => {
    const files = part(page, 'Files')
    await files.locator('input[type=file]').setInputFiles({
      name: 'Vertrag.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('agreed by telephone'),
    })
    const link = part(colleague, 'Files').getByRole('button', { name: 'Download Vertrag.txt' })
    await link.waitFor()
    const [download] = await Promise.all([colleague.waitForEvent('download'), link.click()])
    assert.equal(download.suggestedFilename(), 'Vertrag.txt')
    assert.equal(await readFile(await download.path(), 'utf8'), 'agreed by telephone')
    await files.locator('input[type=file]').setInputFiles({
      name: 'page.html',
      mimeType: 'text/html',
      buffer: Buffer.from('<p>'),
    })
    await page.getByText(/Files of this type are not taken/).waitFor()
  })

  it('are no file that cannot be read, and the person is told', async () => {
    await page.evaluate(() => {
      FileReader.prototype.readAsDataURL = function fail() {
        this.dispatchEvent(new ProgressEvent('error'))
      }
    })
    await part(page, 'Files')
      .locator('input[type=file]')
      .setInputFiles({ name: 'gone.txt', mimeType: 'text/plain', buffer: Buffer.from('gone') })
    await page.getByText(/The file could not be read/).waitFor()
  })

  it('have nothing serious for axe in either theme', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      const rules = scheme === 'light' ? undefined : COLOUR_RULES
      assert.deepEqual(await seriousFindings(page, rules), [], scheme)
    }
  })

  it('are deleted by their author, and leave a line', async () => {
    await part(page, 'Comments').getByRole('button', { name: 'Delete your comment' }).click()
    await press(page.getByRole('tooltip'), 'Delete')
    await part(colleague, 'Comments')
      .getByText(/Deleted by its author/)
      .waitFor()
  })
})
