import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstPage, originOf } from './first-page.ts'
import type { FirstPage } from './first-page.ts'

const facts: FirstPage = { version: '1.2.3', database: 'PostgreSQL 18.1', sandbox: true, missing: undefined, origin: 'http://localhost:4000', now: 1_800_000_000_000 }

test('it tells the state and where to go, and loads nothing', () => {
  const page = firstPage(facts)
  for (const text of ['✓ ready', '1.2.3', 'PostgreSQL 18.1', 'no real money moves', 'href="/api/docs/"', 'href="/api/openapi.json"', 'href="/healthz"', 'href="/readyz"', 'href="/metrics"', 'http://localhost:4000/api/auth/login', '2027-01-15 08:00:00 UTC']) {
    assert.ok(page.includes(text), text)
  }
  assert.doesNotMatch(page, /<script|src=|url\(|@import|href="(?:https?:)?\/\//)
})

test('it tells what is missing, without letting it be markup', () => {
  const page = firstPage({ ...facts, missing: '<img src=x>', database: null, sandbox: false })
  assert.ok(page.includes('✗ not ready') && page.includes('&lt;img src=x&gt;') && page.includes('✗ does not answer') && page.includes('as configured, real'))
  assert.ok(!page.includes('<img'))
})

test('the address in the example is the reader\'s own, or a plain one', () => {
  assert.equal(originOf('https', 'kontor.example:8443'), 'https://kontor.example:8443')
  assert.equal(originOf('http', '[::1]:4000'), 'http://[::1]:4000')
  for (const host of [undefined, '', 'a b', "x'; rm -rf /", '$(x)', 'a/b', '<b>']) assert.equal(originOf('http', host), 'http://localhost:4000')
})
