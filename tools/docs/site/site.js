/**
 * What the pages of the documentation do in the browser: the theme that was chosen in the console,
 * the menu on narrow screens, copying code, and the search.
 */
const root = document.documentElement.dataset.root ?? ''
const MOST_RESULTS = 20
const SNIPPET_BEFORE = 60
const SNIPPET_LENGTH = 180

takeTheme()
document.addEventListener('DOMContentLoaded', () => {
  openMenu()
  offerCopies()
  search()
})

/** Pages of files have no storage everywhere: then the theme is that of the system. */
function takeTheme() {
  try {
    const kept = localStorage.getItem('kontor.theme')
    if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}

function openMenu() {
  const button = document.getElementById('menu')
  const navigation = document.getElementById('navigation')
  button.addEventListener('click', () => {
    const isOpen = navigation.classList.toggle('open')
    button.setAttribute('aria-expanded', String(isOpen))
  })
  navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
}

function offerCopies() {
  if (navigator.clipboard === undefined) return
  for (const block of document.querySelectorAll('pre')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent)
      button.textContent = 'Copied'
    })
    const frame = document.createElement('div')
    frame.className = 'code'
    block.replaceWith(frame)
    frame.append(block, button)
  }
}

function search() {
  const field = document.getElementById('search')
  const results = document.getElementById('results')
  const show = async () => {
    const words = wordsOf(field.value)
    if (words.length === 0) {
      results.hidden = true
      return
    }
    const rows = await index()
    // Somebody may have typed on.
    if (wordsOf(field.value).join() !== words.join()) return
    const found = find(rows, words)
    results.replaceChildren(
      ...(found.length === 0 ? [nothing(field.value)] : found.map((row) => result(row, words))),
    )
    results.hidden = false
  }
  field.addEventListener('input', show)
  field.addEventListener('focus', show)
  document.addEventListener('click', ({ target }) => {
    if (target.closest('.search') === null) results.hidden = true
  })
  document.addEventListener('keydown', (event) => keys(event, field, results))
}

function keys(event, field, results) {
  const isTyping = event.target instanceof HTMLInputElement
  if (event.key === '/' && !isTyping) {
    event.preventDefault()
    field.focus()
  }
  if (event.key === 'Escape') {
    results.hidden = true
    field.blur()
  }
  if (results.hidden) return
  const links = [...results.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  if (event.key === 'Enter' && event.target === field) links[0]?.click()
  if (event.key === 'ArrowDown') moveTo(event, links[at + 1])
  if (event.key === 'ArrowUp') moveTo(event, at <= 0 ? field : links[at - 1])
}

function moveTo(event, element) {
  event.preventDefault()
  element?.focus()
}

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

let loading
/** Loaded when it is first asked for: few readers search. */
function index() {
  loading ??= new Promise((done, fail) => {
    const script = document.createElement('script')
    script.src = `${root}site/index.js`
    script.addEventListener('load', () => done(window.kontorIndex))
    script.addEventListener('error', () => fail(new Error('the index cannot be read')))
    document.head.append(script)
  })
  return loading
}

/** Sections that have every word; those that have them in their heading or title first. */
function find(rows, words) {
  const found = []
  for (const row of rows) {
    const [, title, heading, , text] = row
    const places = [heading.toLowerCase(), title.toLowerCase(), text.toLowerCase()]
    const scores = words.map((word) => scoreOf(word, places))
    if (scores.every((score) => score > 0))
      found.push({ row, score: scores.reduce((sum, score) => sum + score, 0) })
  }
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_RESULTS)
    .map(({ row }) => row)
}

function scoreOf(word, [heading, title, text]) {
  const inHeading = heading.includes(word) ? 10 : 0
  const isHeading = wordsOf(heading).includes(word) ? 10 : 0
  const inTitle = title.includes(word) ? 6 : 0
  return inHeading + isHeading + inTitle + Math.min(4, text.split(word).length - 1)
}

function result([address, title, heading, anchor, text], words) {
  const link = document.createElement('a')
  link.href = `${root}${address}#${anchor}`
  const name = document.createElement('strong')
  name.textContent = heading
  const place = document.createElement('small')
  place.textContent = heading === title ? '' : title
  const snippet = document.createElement('span')
  snippet.append(...marked(snippetOf(text, words), words))
  link.append(name, place, snippet)
  link.addEventListener('click', () => {
    document.getElementById('results').hidden = true
  })
  return link
}

function snippetOf(text, words) {
  const lower = text.toLowerCase()
  const at = Math.max(0, Math.min(...words.map((word) => positionOf(lower, word))) - SNIPPET_BEFORE)
  const piece = text.slice(at, at + SNIPPET_LENGTH)
  return `${at > 0 ? '…' : ''}${piece}${at + SNIPPET_LENGTH < text.length ? '…' : ''}`
}

function positionOf(text, word) {
  const at = text.indexOf(word)
  return at < 0 ? text.length : at
}

function marked(text, words) {
  const pattern = new RegExp(`(${words.join('|')})`, 'giu')
  return text.split(pattern).map((piece, place) => {
    if (place % 2 === 0) return piece
    const mark = document.createElement('mark')
    mark.textContent = piece
    return mark
  })
}

function nothing(text) {
  const words = document.createElement('p')
  words.textContent = `Nothing has “${text.trim()}”.`
  return words
}
