/** Every link and anchor of every document leads somewhere, in the repository and in the site. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Marked } from 'marked'
import { ROOT } from '../setup/setup.mjs'
import { writeSite } from './build.ts'
import { anchors, targetOf } from './links.ts'
import { addressOf, areasOf, documents } from './pages.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

function linksIn(markdown: string): string[] {
  const links: string[] = []
  const marked = new Marked({
    walkTokens(token) {
      if (token.type === 'link' || token.type === 'image') links.push(token.href)
    },
  })
  marked.parse(markdown)
  return links
}

function anchorsIn(path: string): Set<string> {
  const anchorOf = anchors()
  const headings = read(path)
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm)
  return new Set(Array.from(headings, ([, text = '']) => anchorOf(text.replaceAll('`', ''))))
}

describe('links of the documents', () => {
  for (const source of documents())
    it(`of ${source} lead to what is there`, () => {
      const broken = linksIn(read(source)).flatMap((href) => {
        const target = targetOf(href, source)
        if (target.kind === 'outside') return []
        if (!target.exists) return [href]
        const { path, anchor } = target
        return anchor === undefined || anchorsIn(path).has(anchor) ? [] : [href]
      })
      assert.deepEqual(broken, [])
    })
})

const NO_PAGE = '404.html'

function targetOfLink(page: string, path: string): string {
  if (path === '') return page
  return path.startsWith('/docs/')
    ? path.slice('/docs/'.length)
    : posix.join(posix.dirname(page), path)
}

describe('the site', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-site-'))
    await writeSite(folder)
  })
  after(() => rm(folder, { recursive: true }))

  it('has a page for each document, and each is reached from the navigation', () => {
    const sources = documents()
    for (const source of sources) assert.ok(existsSync(join(folder, addressOf(source))), source)
    const first = readFileSync(join(folder, 'index.html'), 'utf8')
    for (const source of areasOf(sources).flatMap((area) => area.sources))
      assert.ok(first.includes(`href="${addressOf(source)}"`), source)
  })

  it('leads from every page to files and headings that are there, and nowhere else', () => {
    const pages = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
      name.endsWith('.html'),
    )
    const idsOf = new Map(
      pages.map((page) => {
        const html = readFileSync(join(folder, page), 'utf8')
        return [page, new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id))]
      }),
    )
    const broken = pages.flatMap((page) =>
      Array.from(
        readFileSync(join(folder, page), 'utf8').matchAll(/ (?:href|src)="([^"]+)"/g),
        ([, address = '']) => address,
      )
        .filter((address) => !/^(https?:|mailto:)/.test(address))
        .filter((address) => {
          const [path = '', anchor] = address.split('#')
          const target = targetOfLink(page, path)
          if (path.startsWith('/') && page !== NO_PAGE) return true
          if (!statSync(join(folder, target), { throwIfNoEntry: false })?.isFile()) return true
          return anchor !== undefined && idsOf.get(target)?.has(decodeURIComponent(anchor)) !== true
        })
        .map((address) => `${page}: ${address}`),
    )
    assert.deepEqual(broken, [])
  })

  it('finds words by an index of its own', () => {
    const script = readFileSync(join(folder, 'site/index.js'), 'utf8')
    const rows = JSON.parse(script.replace('window.kontorIndex = ', '')) as string[][]
    const found = rows.find(([page, , heading]) => page === 'operations.html' && heading === 'Disk')
    assert.match(found?.[4] ?? '', /KONTOR_DISK_FREE_MB/)
  })

  it('runs no script and shows no style that stands in a page', () => {
    const html = readFileSync(join(folder, 'operations.html'), 'utf8')
    assert.doesNotMatch(html, /<script(?! src=)|<style| style=| on[a-z]+=/)
  })
})
