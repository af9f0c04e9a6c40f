/** The page around a document: navigation by areas, search, what is on the page. */
import { escapeHtml } from './render.ts'
import type { Heading } from './render.ts'

type Entry = { title: string; address: string }
export type Menu = { title: string; entries: Entry[] }[]
type Page = Entry & { html: string; headings: readonly Heading[] }

/** `root` is where the site begins, seen from the page. */
type Frame = { menu: Menu; version: string; root?: string }

/** Deeper ones would make the list longer than it helps. */
const LISTED_DEPTHS = [2, 3]
const MOST_LISTED = 40

/** `../` as often as the page lies deep. */
export const rootOf = (address: string): string => '../'.repeat(address.split('/').length - 1)

export function pageOf({ title, address, html, headings }: Page, frame: Frame): string {
  const { menu, version, root = rootOf(address) } = frame
  const whole = address === 'index.html' ? 'Kontor' : `${title} · Kontor`
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(whole)}</title>
<link rel="icon" href="${root}site/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}site/style.css">
<script src="${root}site/site.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="${root}index.html">
<img class="mark" src="${root}site/mark.svg" alt=""><span>Kontor</span>
<small>${escapeHtml(version)}</small></a>
<div class="search" role="search">
<input type="search" id="search" placeholder="Search ( / )" aria-label="Search the documentation"
autocomplete="off" spellcheck="false">
<div id="results" hidden></div>
</div>
<button type="button" id="menu" aria-expanded="false" aria-controls="navigation">Menu</button>
</header>
<div class="columns">
<nav id="navigation" aria-label="Documentation">
${menu.map((area) => areaOf(area, address, root)).join('\n')}
</nav>
<main id="content">
${html}
${neighboursOf(menu, address, root)}
</main>
${contentsOf(headings)}
</div>
</body>
</html>
`
}

function areaOf({ title, entries }: Menu[number], address: string, root: string): string {
  const items = entries.map((entry) => {
    const current = entry.address === address ? ' aria-current="page"' : ''
    return `<li><a href="${root}${entry.address}"${current}>${escapeHtml(entry.title)}</a></li>`
  })
  return `<section><h2>${escapeHtml(title)}</h2>\n<ul>${items.join('\n')}</ul></section>`
}

function contentsOf(headings: readonly Heading[]): string {
  const all = headings.filter(({ depth }) => LISTED_DEPTHS.includes(depth))
  const listed = all.length > MOST_LISTED ? all.filter(({ depth }) => depth === 2) : all
  if (listed.length < 2) return ''
  const items = listed.map(
    ({ depth, text, anchor }) =>
      `<li class="depth-${depth}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  )
  return `<aside aria-label="On this page"><h2>On this page</h2>
<ul>${items.join('\n')}</ul></aside>`
}

function neighboursOf(menu: Menu, address: string, root: string): string {
  const all = menu.flatMap(({ entries }) => entries)
  const index = all.findIndex((entry) => entry.address === address)
  if (index < 0) return ''
  const link = (entry: Entry | undefined, name: string, words: string): string => {
    if (entry === undefined) return ''
    const address = `${root}${entry.address}`
    const title = escapeHtml(entry.title)
    return `<a class="${name}" href="${address}"><small>${words}</small>${title}</a>`
  }
  const before = link(all[index - 1], 'before', 'Before')
  return `<footer>${before}${link(all[index + 1], 'next', 'Next')}</footer>`
}
