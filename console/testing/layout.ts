/**
 * What the eye would stumble over on a page, measured: text that is cut, text upon text, and what
 * can only be reached by scrolling sideways.
 */
import type { Page } from 'playwright-core'
import { until } from './browser.ts'

type Size = { width: number; height: number }
/** What a screen of 1440 by 900 has left at 200 %. */
export const HALF: Size = { width: 720, height: 450 }
/** What a screen of 1920 by 1080 has left at 200 %: a record leaves its list least room. */
export const LOW: Size = { width: 960, height: 540 }
/** A fault that stays is one. */
const MEASURE_MILLISECONDS = 5_000

/** Measures it at a size. What antd moves into place has come to rest by then. */
export async function isLaidOut(page: Page, what: string, size: Size): Promise<void> {
  await page.setViewportSize(size)
  const isSmall = size.width < 1000
  const measure = () => layoutFaults(page, { tables: !isSmall })
  await until(`${what} has no text cut or covered`, MEASURE_MILLISECONDS, async () => {
    const faults = await measure()
    return faults.length === 0 || faults.join('\n')
  })
}

/**
 * `tables`: also short tables that scroll sideways, which is right only where there is no room. A
 * long list scrolls: people choose its columns.
 */
export async function layoutFaults(
  page: Page,
  { tables = false }: { tables?: boolean } = {},
): Promise<string[]> {
  return [...(await whatIsCut(page, tables)), ...(await whatOverlaps(page))]
}

const whatIsCut = (page: Page, tables: boolean): Promise<string[]> =>
  page.evaluate((alsoTables) => {
    const faults: string[] = []
    const root = document.documentElement
    if (root.scrollWidth > innerWidth) faults.push(`the page is ${root.scrollWidth} px wide`)
    const list = document.querySelector('.grid-scroller')?.getBoundingClientRect()
    const record = document.querySelector('.record')?.getBoundingClientRect()
    if (list !== undefined && record !== undefined && record.left > 0 && record.left < list.right)
      faults.push('the record lies upon its list')

    // A cell that is cut misleads, though its title says it all: an amount without its currency.
    const isWhole = (element: Element): boolean =>
      element.matches('.grid th') ||
      (element.matches('.grid td') &&
        element.querySelector('.amount, .status, .side-word, time, .in-row') !== null)
    const mayScroll = alsoTables
      ? '.grid-scroller, pre'
      : '.grid-scroller, .rows, .page-head, .filters, pre'
    for (const element of document.body.querySelectorAll('*')) {
      const { width, height } = element.getBoundingClientRect()
      // What is smaller is meant for screen readers alone.
      const seen =
        width > 1 &&
        height > 1 &&
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      if (!seen || element.closest('svg') !== null) continue
      const text = (element.textContent ?? '').trim()
      const name = `${element.tagName.toLowerCase()}.${String(element.className)}`.slice(0, 60)
      const what = `${name} “${text.slice(0, 50)}”`
      const { overflowX, overflowY } = getComputedStyle(element)
      const wide = element.scrollWidth > element.clientWidth + 1
      if (wide && /auto|scroll/.test(overflowX) && element.closest(mayScroll) === null)
        faults.push(`scrolls sideways: ${what}`)
      const cut = wide && /hidden|clip/.test(overflowX) && element.clientWidth > 0
      const low = /hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 3
      const saidInFull =
        element.closest('[title]') !== null || element.querySelector('[title]') !== null
      if ((cut || low) && text !== '' && (!saidInFull || isWhole(element)))
        faults.push(`cut: ${what}`)
    }
    return [...new Set(faults)]
  }, tables)

const whatOverlaps = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const faults: string[] = []
    type Piece = { element: Element; box: DOMRect; text: string }
    const pieces: Piece[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement
      const text = node.textContent?.trim() ?? ''
      const shown = element?.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      if (element === null || text === '' || shown !== true) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const box of range.getClientRects())
        if (box.width > 2 && box.bottom > 0 && box.top < innerHeight)
          pieces.push({ element, box, text })
    }
    const isOpaque = (element: Element): boolean => {
      const color = getComputedStyle(element).backgroundColor
      return color !== 'transparent' && !/, 0(\.\d+)?\)|\/ 0/.test(color)
    }
    /** Whether both can be seen at this point: the one above hides the other with nothing. */
    const bothSeen = (one: Element, other: Element, x: number, y: number): boolean => {
      const stack = document.elementsFromPoint(x, y)
      const [a, b] = [stack.indexOf(one), stack.indexOf(other)]
      return a >= 0 && b >= 0 && !stack.slice(0, Math.max(a, b)).some(isOpaque)
    }
    pieces.sort((one, other) => one.box.top - other.box.top)
    for (const [index, { element, box, text }] of pieces.entries())
      for (const other of pieces.slice(index + 1)) {
        if (other.box.top >= box.bottom - 3) break
        const left = Math.max(box.left, other.box.left)
        const right = Math.min(box.right, other.box.right)
        const { top } = other.box
        const bottom = Math.min(box.bottom, other.box.bottom)
        if (other.element === element || right - left < 3 || bottom - top < 3) continue
        if (bothSeen(element, other.element, (left + right) / 2, (top + bottom) / 2))
          faults.push(`“${text.slice(0, 40)}” lies upon “${other.text.slice(0, 40)}”`)
      }
    return [...new Set(faults)]
  })
