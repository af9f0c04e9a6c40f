/** A document as HTML, its headings, and its text by sections for the search. */
import { Marked } from 'marked'
import type { Token, Tokens } from 'marked'
import { anchors, targetOf } from './links.ts'

export type Heading = { depth: number; text: string; anchor: string }
type Section = { heading: string; anchor: string; text: string }
export type Rendered = {
  title: string
  html: string
  headings: Heading[]
  sections: Section[]
  /** Files of the repository that it shows or links to. */
  files: string[]
}

/** Answers the address of a link from this document, or undefined where the site has nothing. */
type Resolve = (path: string) => { address: string; isFile: boolean } | undefined

export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

export function renderDocument(source: string, markdown: string, resolve: Resolve): Rendered {
  const anchorOf = anchors()
  const headings: Heading[] = []
  const files = new Set<string>()
  const addressOf = (href: string): string | undefined => {
    const target = targetOf(href, source)
    if (target.kind === 'outside') return href
    if (target.path === source && target.anchor !== undefined) return `#${target.anchor}`
    const found = target.exists ? resolve(target.path) : undefined
    if (found?.isFile === true) files.add(target.path)
    const anchor = target.anchor === undefined ? '' : `#${target.anchor}`
    return found && found.address + anchor
  }
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = plainOf(tokens)
        const anchor = anchorOf(text)
        headings.push({ depth, text, anchor })
        const inner = this.parser.parseInline(tokens)
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`
        return `<h${depth} id="${anchor}">${inner} ${link}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const address = addressOf(href)
        if (address === undefined) return inner
        const isForeign = /^https?:/.test(address)
        return `<a href="${escapeHtml(address)}"${isForeign ? ' rel="noopener"' : ''}>${inner}</a>`
      },
      image({ href, text }) {
        const source = escapeHtml(addressOf(href) ?? '')
        return `<img src="${source}" alt="${escapeHtml(text)}" loading="lazy">`
      },
      table(token) {
        const rows = [token.header, ...token.rows].map((row) =>
          row.map(({ tokens }) => this.parser.parseInline(tokens)),
        )
        return tableOf(rows)
      },
      code({ text, lang }) {
        const language = escapeHtml(lang?.split(' ')[0] ?? '')
        return `<pre data-language="${language}"><code>${escapeHtml(text)}</code></pre>\n`
      },
      html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
    },
  })
  const tokens = marked.lexer(markdown)
  const html = marked.parser(tokens)
  const title = headings[0]?.text ?? source
  return { title, html, headings, sections: sectionsOf(tokens, headings), files: [...files] }
}

/** The first row is the head. A wide table scrolls in its frame. */
function tableOf([head = [], ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>\n`
  return `<div class="table" tabindex="0" role="region" aria-label="Table"><table>
<thead>${line(head, 'th')}</thead>
<tbody>${rows.map((row) => line(row, 'td')).join('')}</tbody>
</table></div>\n`
}

function plainOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return plainOf(token.tokens)
      return 'text' in token ? String(token.text) : ''
    })
    .join('')
}

/** What stands below each heading, as words. */
function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: Section[] = []
  for (const token of tokens) {
    const heading = token.type === 'heading' ? headings[sections.length] : undefined
    if (heading !== undefined)
      sections.push({ heading: heading.text, anchor: heading.anchor, text: '' })
    else if (sections.length > 0) {
      const last = sections.at(-1)
      if (last !== undefined) last.text = `${last.text} ${wordsOf(token)}`.trim()
    }
  }
  return sections
}

function wordsOf(token: Token): string {
  if (token.type === 'html' || token.type === 'space') return ''
  const text = token.type === 'code' ? (token as Tokens.Code).text : token.raw
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`|^[-*] |^\|[-| :]+\|$|\|/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
